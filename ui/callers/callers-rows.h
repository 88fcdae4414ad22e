/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers-rows: the rows of the callers view: the function, its callers as a tree, callees.
 *
 * The callers next to the function, and what begins with it, add up to its total, and so do what
 * it did itself and its callees (edges_of in src/count/edges.h). Below each caller stand its own,
 * on the way to the function. A caller that has nine tenths of what it stands below is open by
 * itself, until one is the program's own. The heaviest comes first. UI thread.
 */
#ifndef CPROFTOP_UI_CALLERS_ROWS_H
#define CPROFTOP_UI_CALLERS_ROWS_H

#include "src/base/idmap.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum callers_kind {
	CALLERS_FUNCTION,
	CALLERS_OUTERMOST, /* the stacks on which nothing called the function */
	CALLERS_CALLER,
	CALLERS_SELF, /* the stacks that end in the function */
	CALLERS_CALLEE
};

struct callers_row {
	enum callers_kind kind;
	uint32_t function; /* of a caller or callee; else the function itself */
	struct weight weight;
	int depth; /* of a caller; next to the function it is 1 */
	bool has_callers, is_open;
	uint64_t key; /* of a caller: the same as long as the way to the function is */
};

/* Zeroed it is empty. */
struct callers_rows {
	struct callers_row *data;
	size_t len, cap;
	struct idmap flipped; /* (key, 0): a person has opened it, or closed it */
};

/* Fill ROWS with FUNCTION, which need not be in REPORT. */
void callers_rows_build(
	struct callers_rows *rows, const struct report *report, uint32_t function);
/* Open or close ROW: to be built anew. */
void callers_rows_flip(struct callers_rows *rows, const struct callers_row *row);
void callers_rows_finish(struct callers_rows *rows);

#endif
