/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * items: numbers with their names in a line, as many as there is room for.
 *
 * If they do not fit, those with the highest rank are left out first. UI thread.
 */
#ifndef CPROFTOP_UI_ITEMS_H
#define CPROFTOP_UI_ITEMS_H

#include "ui/draw/grid.h"

enum {
	ITEMS_MAX = 16,
	ITEMS_GAP = 3, /* columns between two items */
};

struct item {
	char label[24], value[80];
	/* columns reserved for the value, so that its neighbours do not move */
	int width;
	int rank;
	enum role role;
};

/* A zeroed struct is empty. */
struct items {
	struct item items[ITEMS_MAX];
	int count;
};

void items_add(struct items *items, int rank, enum role role, int width,
	const char *label, const char *value);

/* Leave out what does not fit into GRID, and draw the others in ROW from its left edge. */
void items_draw(struct items *items, struct grid *grid, int row);

#endif
