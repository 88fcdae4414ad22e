/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns: which columns of a table fit, where they are, and their headings.
 *
 * A table is an array of columns in the order of the screen. What does not fit is dropped
 * by rank, the highest first; what is left over goes to the columns that grow. Pure; UI
 * thread.
 */
#ifndef CPROFTOP_UI_COLUMNS_H
#define CPROFTOP_UI_COLUMNS_H

#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	COLUMNS_MAX = 12
};

struct column {
	const char *title;
	int width; /* at least */
	int most;  /* grows up to this; 0: does not grow */
	int rank;  /* dropped in descending order; 0 is never dropped */
	int sort;  /* the order it stands for, -1: cannot be sorted by */
	enum align align;
};

struct columns {
	const struct column *columns;
	size_t count;
	int at[COLUMNS_MAX], width[COLUMNS_MAX]; /* width 0: dropped */
};

/* Fit COUNT columns, one blank between two, into TOTAL. */
void columns_fit(
	struct columns *columns, const struct column *table, size_t count, int total);

/* The headings across row ROW of GRID; the one of SORT is marked. */
void columns_draw_titles(const struct columns *columns, struct grid *grid, int row,
	int sort, bool ascending);

/* The column at X of the screen, or -1. */
int columns_at(const struct columns *columns, int x);

#endif
