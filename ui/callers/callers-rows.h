/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers-rows: the rows of the callers view: callers, the function, callees.
 *
 * The callers and what begins with the function add up to its total, and so do what it
 * did itself and its callees (edges_of in src/count/edges.h). The heaviest caller is the
 * row right above the function, the heaviest callee comes first below. UI thread.
 */
#ifndef CPROFTOP_UI_CALLERS_ROWS_H
#define CPROFTOP_UI_CALLERS_ROWS_H

#include "src/count/report.h"

#include <stddef.h>
#include <stdint.h>

enum callers_kind {
	CALLERS_OUTERMOST, /* the stacks on which nothing called the function */
	CALLERS_CALLER,
	CALLERS_FUNCTION,
	CALLERS_SELF, /* the stacks that end in the function */
	CALLERS_CALLEE
};

struct callers_row {
	enum callers_kind kind;
	uint32_t function; /* of a caller or callee; else the function in the middle */
	struct weight weight;
};

/* Zeroed it is empty. */
struct callers_rows {
	struct callers_row *data;
	size_t len, cap;
	size_t middle; /* the row of the function */
};

/* Fill ROWS with FUNCTION, which need not be in REPORT. */
void callers_rows_build(
	struct callers_rows *rows, const struct report *report, uint32_t function);
void callers_rows_finish(struct callers_rows *rows);

#endif
