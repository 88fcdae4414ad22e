/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-file: the text of one source file, in lines, safe to show.
 *
 * A path of debugging information may name any file, so nothing is taken for granted:
 * only a regular file is read, of at most SOURCE_FILE_MAX_BYTES, and none that holds a NUL
 * (it is no text). Tabs become spaces, control characters and the like \xNN
 * (src/base/clean.h), and a line is cut at SOURCE_LINE_MAX bytes. Immutable after
 * source_file_read, with a count of references; any thread.
 */
#ifndef CPROFTOP_SOURCE_FILE_H
#define CPROFTOP_SOURCE_FILE_H

#include "src/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SOURCE_FILE_MAX_BYTES = 10 << 20,
	SOURCE_LINE_MAX = 1024,
	SOURCE_TAB = 8,
};

struct source_line {
	const char *text; /* ends with a NUL */
};

struct source_file;

/* Read the file open at FD (borrowed), which is called PATH. One reference; NULL and ERR,
   which does not name the file, if it is not to be shown. */
struct source_file *source_file_read(int fd, const char *path, struct error *err);
struct source_file *source_file_ref(const struct source_file *file);
void source_file_unref(const struct source_file *file); /* NULL is fine */

/* Where it was found. */
const char *source_file_path(const struct source_file *file);
uint32_t source_file_lines(const struct source_file *file);
/* Line NUMBER, from 1; NULL if there is none. */
const struct source_line *source_file_line(
	const struct source_file *file, uint32_t number);

#endif
