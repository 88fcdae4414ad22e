/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: profiles that others or we have written, read into a recording.
 *
 * One format is one file, src/count/import/import-NAME.c, and one row of the list in
 * src/count/import/import-formats.h; which one a file has, its content says. What a reader makes is the
 * same for all of them (src/count/import/recording.h), so nothing behind it knows formats. Main
 * thread.
 */
#ifndef CPROFTOP_IMPORT_H
#define CPROFTOP_IMPORT_H

#include "src/base/error.h"
#include "src/count/import/recording.h"

#include <stdbool.h>
#include <stddef.h>

/* Add what the file has that is open at FD to RECORDING, and close it. ERR begins with NAME and
   says, where that makes sense, the place in it. After a failure RECORDING may hold a part of it. */
bool import_file(
	struct recording *recording, int fd, const char *name, struct error *err);

/* The name of the format that the file at FD, which is closed, goes on as; NULL: none. */
const char *import_format_of(int fd);

/* Folded stacks begin as many a text with numbers does. */
#define IMPORT_FOLDED "folded stacks"

/* The names of all formats, "pprof, folded stacks", into OUT: for help and messages. */
void import_format_names(char *out, size_t size);

#endif
