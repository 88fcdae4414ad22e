/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * popup: a box in the middle of the screen with rows of two columns, as menus and forms are.
 *
 * A zeroed popup is told the texts of its rows, then placed. UI thread.
 */
#ifndef CPROFTOP_UI_POPUP_H
#define CPROFTOP_UI_POPUP_H

#include "ui/draw/grid.h"

#include <stdbool.h>

struct popup {
	int first_columns, second_columns; /* the widest texts so far */
	/* From popup_place on: of the box with its edges, and how many rows of those that
	   do not fit are above it. */
	int row, column, rows, columns, scroll;
};

/* One of its rows has FIRST and SECOND. */
void popup_add(struct popup *popup, const char *first, const char *second);

/* Place it on GRID, as wide as its rows need if there is that room, scrolled so that row
   CURSOR of N_ROWS is visible. */
void popup_place(struct popup *popup, const struct grid *grid, int n_rows, int cursor);

/* Draw the edges with TITLE. Returns what is inside. */
struct grid popup_draw(const struct popup *popup, struct grid *grid, const char *title);

/* Say at the edges whether there are more of its N_ROWS rows above and below. */
void popup_draw_more(const struct popup *popup, struct grid *grid, int n_rows);

/* Is this place of the grid in it, edges included? */
bool popup_has(const struct popup *popup, int row, int column);

#endif
