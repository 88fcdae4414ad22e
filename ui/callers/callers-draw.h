/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers-draw: the columns of the callers view, and how one row of it looks.
 *
 * Callers, callees and the function itself differ by a mark before the name, so that they
 * can be told apart without colours. Pure: into a grid. UI thread.
 */
#ifndef CPROFTOP_UI_CALLERS_DRAW_H
#define CPROFTOP_UI_CALLERS_DRAW_H

#include "src/count/report.h"
#include "ui/callers/callers-rows.h"
#include "ui/draw/columns.h"
#include "ui/draw/grid.h"
#include "ui/view/search.h"

#include <stdbool.h>
#include <stddef.h>

enum callers_column {
	CALLERS_SHARE, /* of the function's total */
	CALLERS_OF_ALL,
	CALLERS_BAR,
	CALLERS_TIME,
	CALLERS_SAMPLES,
	CALLERS_NAME,
	CALLERS_MODULE,
	CALLERS_COLUMNS
};

extern const struct column callers_columns[CALLERS_COLUMNS];

/* What all rows have in common. */
struct callers_frame {
	const struct columns *columns;
	const struct report *report;
	const struct search *search;
	const struct module_hues *hues;
	int left; /* columns that names are scrolled by */
};

/* The name in ROW: of a function, or what else the row stands for. */
const char *callers_row_name(const struct report *report, const struct callers_row *row);

/* Draw row INDEX of ROWS in row AT of GRID. */
void callers_draw_row(const struct callers_frame *frame, const struct callers_rows *rows,
	struct grid *grid, int at, size_t index, bool is_selected);

#endif
