/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table-rows: which functions of a report a table shows, in which order.
 *
 * Pure except for the memory of the rows, which they own. Zeroed is empty and valid, and
 * may be built again. A report is sorted by self CPU time already, so that order costs
 * nothing. UI thread.
 */
#ifndef CPROFTOP_UI_TABLE_ROWS_H
#define CPROFTOP_UI_TABLE_ROWS_H

#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are sorted from the largest down, texts from A on. Ties keep the order of the
   report, so that rows do not move. */
enum table_order {
	TABLE_BY_SELF,
	TABLE_BY_TOTAL,
	TABLE_BY_SELF_TIME,
	TABLE_BY_TOTAL_TIME,
	TABLE_BY_SAMPLES, /* self */
	TABLE_BY_NAME,
	TABLE_BY_MODULE,
	TABLE_ORDERS
};

struct table_rows {
	uint32_t *rows; /* indices of report->functions */
	size_t count, capacity;
	size_t hidden; /* functions whose total is below the least share */
};

void table_rows_build(struct table_rows *rows, const struct report *report,
	enum table_order order, bool reversed, double least_share);

void table_rows_finish(struct table_rows *rows);

#endif
