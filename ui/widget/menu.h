/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * menu: choices in a box over the view, which scrolls if there are more than fit.
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_MENU_H
#define CPROFTOP_UI_MENU_H

#include "ui/draw/grid.h"

#include <stdint.h>

enum {
	MENU_MAX = 160
};

/* The strings are borrowed. */
struct menu {
	const char *title;
	struct {
		const char *name, *description;
	} rows[MENU_MAX];
	int n_rows;
	int cursor;
};

enum {
	MENU_OPEN = -1,
	MENU_CLOSED = -2 /* Esc, q */
};

void menu_add(struct menu *menu, const char *name, const char *description);

/* Handle KEY. Returns MENU_OPEN, MENU_CLOSED, or the row chosen by Enter, by its number
   (the first nine have one) or by the first letter of its name. */
int menu_key(struct menu *menu, uint32_t key);

/* Draw in the middle of GRID. */
void menu_draw(const struct menu *menu, struct grid *grid);

/* The row at a cell of GRID; MENU_OPEN inside the box beside the rows, MENU_CLOSED
   outside. */
int menu_click(const struct menu *menu, const struct grid *grid, int row, int column);

#endif
