/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame-cursor: a place in the flame graph that outlives reports and layouts.
 *
 * The cursor is a path of function ids from the root of the call tree, so it stays on the
 * same stack when cells move, when the terminal is resized, and when the stack has no
 * samples for a while: then its nearest ancestor is shown selected, and it returns when
 * the stack does. An "other" cell is its parent's path and PROFILE_NONE. UI thread.
 */
#ifndef CPROFTOP_UI_FLAME_CURSOR_H
#define CPROFTOP_UI_FLAME_CURSOR_H

#include "src/base/vec.h"
#include "src/report/report.h"
#include "ui/flame/flame-layout.h"
#include "ui/view/search.h"

#include <stdbool.h>
#include <stdint.h>

struct flame_cursor {
	VEC(uint32_t) path; /* wanted */
	uint32_t cell;	    /* of the layout: where it is, as near as can be */
	bool exact;	    /* the path is there, be it inside an "other" cell */
	uint32_t node;	    /* of the report: what is at the path, if exact */
};

/* Find the path again, in a LAYOUT of REPORT whose root is at ROOT_PATH. A path outside
   of that root becomes the root's. The layout has at least one cell. */
void flame_cursor_resolve(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, const uint32_t *root_path, size_t root_length);

/* Go to a cell, or to a node (which may be inside an "other" cell: resolve again). */
void flame_cursor_to_cell(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, uint32_t cell);
void flame_cursor_to_node(
	struct flame_cursor *cursor, const struct report *report, uint32_t node);

/* Whether the wanted path begins with ROOT_PATH. */
bool flame_cursor_is_below(
	const struct flame_cursor *cursor, const uint32_t *root_path, size_t root_length);

/* The node that weighs most of those of FUNCTION, or, if SEARCH is given, of those that
   match it; 0: there is none. */
uint32_t flame_heaviest(
	const struct report *report, uint32_t function, const struct search *search);

void flame_cursor_finish(struct flame_cursor *cursor);

/* Neighbours of a cell; the cell itself if there is none. */
uint32_t flame_widest_child(const struct flame_layout *layout, uint32_t cell);
uint32_t flame_next_in_row(const struct flame_layout *layout, uint32_t cell, int step);

/* The leaf end of the hottest path below CELL: down while one child outweighs what the
   cell spends itself. */
uint32_t flame_hottest_leaf(const struct flame_layout *layout,
	const struct report *report, enum metric metric, uint32_t cell);

#endif
