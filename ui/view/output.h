/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output: the last lines that a launched command wrote.
 *
 * The command's stdout and stderr go to a pipe, because they would spoil the screen; the
 * output view shows them. The text is cleaned as it is read. At most OUTPUT_LINES lines
 * are kept, each cut at CLEAN_MAX bytes. UI thread.
 */
#ifndef CPROFTOP_UI_OUTPUT_H
#define CPROFTOP_UI_OUTPUT_H

#include "src/base/clean.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OUTPUT_LINES = 5000
};

struct output {
	char *lines[OUTPUT_LINES]; /* circular: line N is at N % OUTPUT_LINES */
	uint64_t first, end;	   /* the lines kept are FIRST <= N < END */
	char pending[CLEAN_MAX];   /* the bytes of a line that has not ended */
	size_t n_pending;
	bool closed; /* the command has closed it */
};

struct output *output_create(void);
void output_destroy(struct output *output); /* NULL is fine */

/* Add LENGTH bytes of the command's output. */
void output_add(struct output *output, const char *bytes, size_t length);

/* Read what FD (non-blocking) has now. Sets `closed` at its end. */
void output_read(struct output *output, int fd);

/* Line N, FIRST <= N < END. */
const char *output_line(const struct output *output, uint64_t n);

#endif
