/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrows: jumps between the rows on the screen, in lanes beside them.
 *
 * A short jump has a lane near the rows, a longer one that passes it a lane further away; the
 * longest are left out where there are too many. Of a jump that leads off the screen the part
 * that is on it is drawn. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_ARROWS_H
#define CPROFTOP_UI_ARROWS_H

#include "src/base/vec.h"
#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	ARROW_LANES = 6,
};

struct arrow {
	size_t from, to; /* places in the list of rows */
	bool is_chosen;	 /* that of the row under the cursor */
	int lane;	 /* from 0, beside the rows; -1: left out */
};

struct arrows {
	VEC(struct arrow) list;
	int lanes; /* used */
};

/* Give lanes to those that are seen between the places TOP and BOTTOM; at most LANES. */
void arrows_arrange(struct arrows *arrows, size_t top, size_t bottom, int lanes);

/* Draw them: the row of place TOP is ROW of GRID, and the lanes are left of COLUMN, which is
   that of the rows' text. */
void arrows_draw(const struct arrows *arrows, struct grid *grid, int row, size_t top,
	size_t bottom, int column);

#endif
