/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns: which columns of a table fit, where they are, and their headings.
 *
 * A table is an array of columns in the order of the screen. If they do not fit, the
 * column with the highest rank is dropped first, and so on; the columns left that may
 * grow share what room there is. A column may wish for more than it needs, as names do:
 * then those that can be done without are dropped before it gets less. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_COLUMNS_H
#define CPROFTOP_UI_COLUMNS_H

#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	COLUMNS_MAX = 12,
	COLUMNS_EXTRA = 4 /* columns of this rank or higher go before a wish does */
};

struct column {
	const char *title;
	int width; /* at least */
	int most;  /* grows up to this; 0: does not grow */
	int rank;  /* dropped in descending order; 0 is never dropped */
	int sort;  /* the order that its heading sorts by; -1: none */
	enum align align;
	int wish; /* this wide before any other grows; 0: none */
};

struct columns {
	const struct column *columns;
	size_t count;
	int at[COLUMNS_MAX], width[COLUMNS_MAX]; /* width 0: dropped */
};

/* Fit COUNT columns, one blank between two, into TOTAL. */
void columns_fit(
	struct columns *columns, const struct column *table, size_t count, int total);

/* Draw the headings in row ROW of GRID; the heading of the order SORT is marked. */
void columns_draw_titles(const struct columns *columns, struct grid *grid, int row,
	int sort, bool ascending);

/* TEXT in column INDEX of ROW, if that is shown. */
void columns_put(const struct columns *columns, struct grid *grid, int row, int index,
	struct style style, const char *text);

/* The index of the column at screen column X, or -1. */
int columns_at(const struct columns *columns, int x);

#endif
