/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame-draw: how the pieces of the flame graph look.
 *
 * Pure: into a grid, from a report and a cell of its layout. UI thread.
 */
#ifndef CPROFTOP_UI_FLAME_DRAW_H
#define CPROFTOP_UI_FLAME_DRAW_H

#include "src/count/report.h"
#include "ui/draw/grid.h"
#include "ui/flame/flame-cursor.h"
#include "ui/flame/flame-layout.h"
#include "ui/view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function of CELL, or one that is folded into it, that SEARCH matches; PROFILE_NONE. */
uint32_t flame_cell_hit(const struct flame_cell *cell, const struct search *search,
	const struct report *report);

/* The name of a node's function, "all" for the root. */
const char *flame_node_name(const struct report *report, const struct report_node *node);

/* Draw one cell in row ROW. Its colour is that of its module, in two tones by function,
   so that a caller and its callee in one module can be told apart. A line marks the border
   before every cell but the first of a row. */
void flame_draw_cell(struct grid *grid, int row, const struct flame_cell *cell,
	bool selected, const struct view_state *state, const struct report *report);

/* Draw in the first row the zoomed PATH (LENGTH is not 0), outermost function first; if
   it is too long, its inner end. Then the share of ROOT, which is NULL if it has no
   samples. */
void flame_draw_title(struct grid *grid, const struct report *report,
	const uint32_t *path, size_t length, const struct flame_cell *root);

/* Say that FUNCTION, which is zoomed, has no samples. */
void flame_draw_absence(
	struct grid *grid, int top, const struct report *report, uint32_t function);

/* The text of the status line about the cell under CURSOR, which is in LAYOUT, a layout of
   REPORT that has cells. ZOOMED: its root is not that of the whole tree. */
void flame_status(char *text, size_t size, const struct report *report,
	const struct flame_layout *layout, const struct flame_cursor *cursor,
	bool zoomed);

#endif
