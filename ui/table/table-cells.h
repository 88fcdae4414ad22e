/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table-cells: the columns of the table, and the cells of a row that are numbers or bars.
 *
 * A report of two (src/count/difference/difference.h) has other numbers in them: what each function
 * takes now, and by how much that has changed. Pure: into a grid. UI thread.
 */
#ifndef CPROFTOP_UI_TABLE_CELLS_H
#define CPROFTOP_UI_TABLE_CELLS_H

#include "src/count/report.h"
#include "ui/draw/columns.h"
#include "ui/draw/grid.h"

#include <stdint.h>

enum table_column {
	TABLE_SELF_SHARE,
	TABLE_TOTAL_SHARE,
	TABLE_BAR,
	TABLE_SELF_TIME, /* of a report of two: its change */
	TABLE_TOTAL_TIME,
	TABLE_SAMPLES,
	TABLE_NAME,
	TABLE_MODULE,
	TABLE_COLUMNS
};

/* Fill in TABLE for REPORT. */
void table_columns(struct column table[TABLE_COLUMNS], const struct report *report);

/* Leave out the columns of HIDDEN (src/base/settings/choices.h). */
void table_hide(struct column table[TABLE_COLUMNS], unsigned hidden);

/* All but name and module of the function INDEX of REPORT. */
void table_put_numbers(const struct columns *columns, struct grid *grid, int row,
	const struct report *report, uint32_t index);

#endif
