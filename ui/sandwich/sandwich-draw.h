/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandwich-draw: the columns of the sandwich view, and how one row of it looks.
 *
 * Callers, callees and the function itself differ by a mark before the name, so that they
 * can be told apart without colours. Pure: into a grid. UI thread.
 */
#ifndef CPROFTOP_UI_SANDWICH_DRAW_H
#define CPROFTOP_UI_SANDWICH_DRAW_H

#include "src/count/report.h"
#include "ui/draw/columns.h"
#include "ui/draw/grid.h"
#include "ui/sandwich/sandwich-rows.h"
#include "ui/view/search.h"

#include <stdbool.h>
#include <stddef.h>

enum sandwich_column {
	SANDWICH_SHARE, /* of the function's total */
	SANDWICH_OF_ALL,
	SANDWICH_BAR,
	SANDWICH_TIME,
	SANDWICH_SAMPLES,
	SANDWICH_NAME,
	SANDWICH_MODULE,
	SANDWICH_COLUMNS
};

extern const struct column sandwich_columns[SANDWICH_COLUMNS];

/* What all rows have in common. */
struct sandwich_frame {
	const struct columns *columns;
	const struct report *report;
	const struct search *search;
	const struct module_hues *hues;
	int left; /* columns that names are scrolled by */
};

/* The name in ROW: of a function, or what else the row stands for. */
const char *sandwich_row_name(
	const struct report *report, const struct sandwich_row *row);

/* Draw row INDEX of ROWS in row AT of GRID. */
void sandwich_draw_row(const struct sandwich_frame *frame,
	const struct sandwich_rows *rows, struct grid *grid, int at, size_t index,
	bool is_selected);

#endif
