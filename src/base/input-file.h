/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input-file: a file that somebody gave us, read from its beginning to its end.
 *
 * Compressed by gzip or not, a regular file or a pipe; "-" is standard input. What it may
 * cost is bounded: a line has at most INPUT_LINE_MAX bytes, and all of it at most what the
 * caller says, after it was unpacked. One thread at a time.
 */
#ifndef CPROFTOP_INPUT_FILE_H
#define CPROFTOP_INPUT_FILE_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	INPUT_LINE_MAX = 64 << 20,
	INPUT_PEEK = 4096,
};

struct input_file;

/* Open PATH for reading; -1: it cannot be, or is a folder. */
int input_file_descriptor(const char *path, struct error *err);

/* What is open at FD, which is its own from now on, also if it fails (NULL). Errors, here and
   below, begin with NAME. */
struct input_file *input_file_open(int fd, const char *name, struct error *err);
void input_file_close(struct input_file *input); /* NULL is fine */

/* What PATH is called in errors: itself, or "standard input". */
const char *input_file_name_of(const char *path);

/* NAME. */
const char *input_file_name(const struct input_file *input);

/* The first bytes, at most INPUT_PEEK, without taking them. False on an error. */
bool input_file_peek(
	struct input_file *input, const char **bytes, size_t *length, struct error *err);

/* The next line without its end, cleaned of nothing, a NUL behind it; the caller may
   change it, and it lasts until the next call. *LINE is NULL at the end. False on an
   error. */
bool input_file_line(
	struct input_file *input, char **line, size_t *length, struct error *err);

/* The number of the line that was read last, from 1. */
uint64_t input_file_line_number(const struct input_file *input);

/* All that is left; the caller frees *BYTES, behind which is a NUL. False on an error, or
   if it is more than MAX. */
bool input_file_rest(struct input_file *input, size_t max, char **bytes, size_t *size,
	struct error *err);

#endif
