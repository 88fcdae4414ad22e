/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame-cursor: a place in the flame graph that outlives reports and layouts.
 *
 * The cursor is a path of function ids from the root of the call tree. So it stays on the
 * same stack when cells move or the terminal is resized. When the stack has no samples
 * for a while, its nearest ancestor is selected, and the cursor returns when the stack
 * does. For an "other" cell the path is its parent's and PROFILE_NONE. UI thread.
 */
#ifndef CPROFTOP_UI_FLAME_CURSOR_H
#define CPROFTOP_UI_FLAME_CURSOR_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "ui/flame/flame-layout.h"
#include "ui/view/search.h"

#include <stdbool.h>
#include <stdint.h>

struct flame_cursor {
	VEC(uint32_t) path; /* where the cursor should be */
	uint32_t cell;	    /* its cell in the layout, or that of its nearest ancestor */
	/* the path exists in the report, perhaps inside an "other" cell */
	bool exact;
	uint32_t node; /* if exact: the node of the report at the path */
};

/* Find the path again in a LAYOUT of REPORT whose root is at ROOT_PATH. A path that does
   not begin with ROOT_PATH becomes ROOT_PATH. The layout has at least one cell. */
void flame_cursor_resolve(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, const uint32_t *root_path, size_t root_length);

/* Move to a cell, or to a node. A node may be inside an "other" cell, so call
   flame_cursor_resolve afterwards. */
void flame_cursor_to_cell(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, uint32_t cell);
void flame_cursor_to_node(
	struct flame_cursor *cursor, const struct report *report, uint32_t node);

/* Move to the heaviest node of FUNCTION below ROOT_PATH, unless the cursor is at one already.
   False, and nothing has changed, if there is none. Call flame_cursor_resolve afterwards. */
bool flame_cursor_point(struct flame_cursor *cursor, const struct report *report,
	uint32_t function, const uint32_t *root_path, size_t root_length);

/* Does the cursor's path begin with ROOT_PATH? */
bool flame_cursor_is_below(
	const struct flame_cursor *cursor, const uint32_t *root_path, size_t root_length);

/* The heaviest node of FUNCTION or, if SEARCH is given, of all functions that it matches;
   0: there is none. */
uint32_t flame_heaviest(
	const struct report *report, uint32_t function, const struct search *search);

void flame_cursor_finish(struct flame_cursor *cursor);

/* Neighbours of a cell; the cell itself if there is none. */
uint32_t flame_widest_child(const struct flame_layout *layout, uint32_t cell);
uint32_t flame_next_in_row(const struct flame_layout *layout, uint32_t cell, int step);

/* The end of the hottest path below CELL: go down as long as one child weighs more than
   the cell's own time. */
uint32_t flame_hottest_leaf(const struct flame_layout *layout,
	const struct report *report, enum metric metric, uint32_t cell);

#endif
