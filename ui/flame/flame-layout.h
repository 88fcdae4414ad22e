/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame-layout: which columns of which row belong to which node of the call tree.
 *
 *	|main                                     |   row 0: the root of the picture
 *	|compute                 |parse    |io|   |   the gap at the end is main's own
 *	|multiply       |add |...| a |b |..|      |   "...": too small for a column each
 *
 * The columns of a node are shared among its children, an "other" cell and the node's own
 * weight, in whole numbers, by the method of largest remainders. They sum exactly to the
 * node's width, and a heavier child is never narrower. Children that would get no column
 * are merged into the "other" cell, which is at least one column wide, so nothing that
 * was sampled disappears. Children keep the report's order; "other" comes last.
 *
 * What has no branches for long is a trunk, and says little in many rows. Its nodes are folded
 * into one cell: each has one child as wide as itself, which may be wrong by half a column. The
 * last one of them is not, nor are those that end in a tip, which are what was done there.
 *
 * Pure: a function of the report, the root and the width. The layout owns its arrays and
 * does not keep the report. A zeroed layout is empty and valid, and may be built again.
 */
#ifndef CPROFTOP_FLAME_LAYOUT_H
#define CPROFTOP_FLAME_LAYOUT_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "ui/view/metric.h"

#include <stdbool.h>
#include <stdint.h>

struct flame_cell {
	uint32_t node;	   /* in the report; of an "other" cell: the parent */
	uint32_t parent;   /* index of the cell above; the root's is its own */
	uint32_t x, width; /* columns; width is at least 1 */
	uint32_t row;	   /* 0 is the root */
	uint32_t merged;   /* "other": how many children it stands for, else 0 */
	uint32_t folded; /* how many nodes it stands for, from `node` to `last`; else 0 */
	uint32_t last;	 /* whose children are below; if it is not folded, `node` */
	uint32_t next;	 /* folded: the child of `last` to which the trunk leads */
	uint64_t weight; /* in the layout's metric */
	uint32_t first_child, n_children; /* cells of the next row */
};

struct flame_layout {
	VEC(struct flame_cell) cells; /* row by row, left to right */
	VEC(uint32_t) rows;	      /* index of the first cell of each row */
};

/* Lay out the tree below node ROOT in WIDTH columns (at least 1). Children that weigh
   less than LEAST are merged, even if they would get a column. FOLDS: trunks are folded. */
void flame_layout_build(struct flame_layout *layout, const struct report *report,
	uint32_t root, uint32_t width, enum metric metric, uint64_t least, bool folds);

void flame_layout_finish(struct flame_layout *layout);

/* The cells of ROW, and how many: none if there is no such row. */
const struct flame_cell *flame_layout_row(
	const struct flame_layout *layout, uint32_t row, size_t *count);

/* The cell of ROW that covers column X, or NULL. */
const struct flame_cell *flame_layout_at(
	const struct flame_layout *layout, uint32_t row, uint32_t x);

/* The method of largest remainders: share WIDTH columns among COUNT weights whose sum is
   at most WHOLE (not 0), and write the widths to OUT. The rest of WHOLE takes part like
   one more weight; returns its width. */
uint32_t flame_layout_share(const uint64_t *weights, size_t count, uint64_t whole,
	uint32_t width, uint32_t *out);

#endif
