/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandwich-rows: the rows of the sandwich view: callers, the function, callees.
 *
 * The callers and what begins with the function add up to its total, and so do what it
 * did itself and its callees (edges_of in src/count/edges.h). The heaviest caller is the
 * row right above the function, the heaviest callee comes first below. UI thread.
 */
#ifndef CPROFTOP_UI_SANDWICH_ROWS_H
#define CPROFTOP_UI_SANDWICH_ROWS_H

#include "src/count/report.h"

#include <stddef.h>
#include <stdint.h>

enum sandwich_kind {
	SANDWICH_OUTERMOST, /* the stacks on which nothing called the function */
	SANDWICH_CALLER,
	SANDWICH_FUNCTION,
	SANDWICH_SELF, /* the stacks that end in the function */
	SANDWICH_CALLEE
};

struct sandwich_row {
	enum sandwich_kind kind;
	uint32_t function; /* of a caller or callee; else the function in the middle */
	struct weight weight;
};

/* Zeroed it is empty. */
struct sandwich_rows {
	struct sandwich_row *data;
	size_t len, cap;
	size_t middle; /* the row of the function */
};

/* Fill ROWS with FUNCTION, which need not be in REPORT. */
void sandwich_rows_build(
	struct sandwich_rows *rows, const struct report *report, uint32_t function);
void sandwich_rows_finish(struct sandwich_rows *rows);

#endif
