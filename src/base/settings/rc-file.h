/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rc-file: the text of a settings file, which a person and the program both write.
 *
 * A line is `NAME = VALUE`, a comment that begins with `#`, or blank. The value is the rest of
 * the line without the blanks around it; `#` in it is a character like any other, because
 * regular expressions have it. What the program does not change stays byte by byte as it was:
 * comments, order, and lines that nobody understands. Any thread, one at a time.
 */
#ifndef CPROFTOP_RC_FILE_H
#define CPROFTOP_RC_FILE_H

#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	RC_BYTES_MAX = 64 * 1024
};

/* A line that is not `NAME = VALUE` has neither name nor value; it is_bad unless it is a
   comment or blank. */
struct rc_line {
	char *text;	    /* as it is in the file, without its end */
	char *name, *value; /* NULL, or of this line */
	bool is_bad;
};

struct rc_file {
	VEC(struct rc_line) lines;
};

/* FILE is zeroed. Characters that could control a terminal make a line bad. */
void rc_file_parse(struct rc_file *file, const char *text, size_t size);
void rc_file_finish(struct rc_file *file);

/* From now on the lines of NAME have these VALUES: they stand where the first one stood, or
   at the end. No value removes them. */
void rc_file_set(struct rc_file *file, const char *name, const char *const *values,
	size_t n_values);

/* The whole text; the caller frees it. */
char *rc_file_text(const struct rc_file *file);

#endif
