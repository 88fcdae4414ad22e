/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/table-cells.h"

#include "src/base/settings/choices.h"
#include "ui/draw/format.h"
#include "ui/table/table-rows.h"
#include "ui/view/changed.h"
#include "ui/view/view.h"

#include <math.h>
#include <string.h>

enum {
	NAME_WISH = 42 /* at 80 columns that leaves room for a bar and the module */
};

/* The function comes first: seconds and samples, which only repeat the shares, go before its
   name is cut short. */
static const struct column columns_of_one[TABLE_COLUMNS] = {
	[TABLE_SELF_SHARE] = {"Self%", 7, 0, 0, TABLE_BY_SELF, ALIGN_RIGHT},
	[TABLE_TOTAL_SHARE] = {"Total%", 7, 0, 1, TABLE_BY_TOTAL, ALIGN_RIGHT},
	[TABLE_BAR] = {"", 8, 24, 3, -1, ALIGN_LEFT},
	[TABLE_SELF_TIME] = {"Self", FORMAT_SECONDS_WIDTH, 0, 4, TABLE_BY_SELF_TIME,
		ALIGN_RIGHT},
	[TABLE_TOTAL_TIME] = {"Total", FORMAT_SECONDS_WIDTH, 0, 5, TABLE_BY_TOTAL_TIME,
		ALIGN_RIGHT},
	[TABLE_SAMPLES] = {"Samples", 8, 0, 6, TABLE_BY_SAMPLES, ALIGN_RIGHT},
	[TABLE_NAME] = {"Function", 22, 120, 0, TABLE_BY_NAME, ALIGN_LEFT, NAME_WISH},
	[TABLE_MODULE] = {"Module", 12, 32, 2, TABLE_BY_MODULE, ALIGN_LEFT},
};

/* The changes are what one looks for, so they stay when columns must go. */
static const struct column columns_of_two[TABLE_COLUMNS] = {
	[TABLE_SELF_SHARE] = {"Self", 8, 0, 3, TABLE_BY_SELF, ALIGN_RIGHT},
	[TABLE_TOTAL_SHARE] = {"Total", 8, 0, 2, TABLE_BY_TOTAL, ALIGN_RIGHT},
	[TABLE_BAR] = {"Less/more", 11, 25, 5, -1, ALIGN_CENTRE},
	[TABLE_SELF_TIME] = {"Self +-", CHANGED_WIDTH, 0, 0, TABLE_BY_SELF_TIME,
		ALIGN_RIGHT},
	[TABLE_TOTAL_TIME] = {"Total +-", CHANGED_WIDTH, 0, 1, TABLE_BY_TOTAL_TIME,
		ALIGN_RIGHT},
	[TABLE_SAMPLES] = {"Samples", 8, 0, 6, TABLE_BY_SAMPLES, ALIGN_RIGHT},
	[TABLE_NAME] = {"Function", 22, 120, 0, TABLE_BY_NAME, ALIGN_LEFT},
	[TABLE_MODULE] = {"Module", 12, 32, 4, TABLE_BY_MODULE, ALIGN_LEFT},
};

/* What a row is, by granularity. */
static const char *const row_titles[NAMING_GRANULARITIES] = {
	[NAMING_FUNCTION] = "Function",
	[NAMING_LINE] = "Function and line",
	[NAMING_MODULE] = "Module",
	[NAMING_ADDRESS] = "Function and address",
};

void table_columns(struct column table[TABLE_COLUMNS], const struct report *report)
{
	memcpy(table, report->difference ? columns_of_two : columns_of_one,
		sizeof(columns_of_one));
	table[TABLE_NAME].title = row_titles[report->request.naming.granularity];
	/* By module the name is the module, and is not shown twice. */
	if (report->request.naming.granularity == NAMING_MODULE)
		table[TABLE_MODULE].width = table[TABLE_MODULE].most = 0;
}

void table_hide(struct column table[TABLE_COLUMNS], unsigned hidden)
{
	static const enum table_column columns[COLUMN_CHOICES] = {
		[CHOICE_SELF_SHARE] = TABLE_SELF_SHARE,
		[CHOICE_TOTAL_SHARE] = TABLE_TOTAL_SHARE,
		[CHOICE_BAR] = TABLE_BAR,
		[CHOICE_SELF_TIME] = TABLE_SELF_TIME,
		[CHOICE_TOTAL_TIME] = TABLE_TOTAL_TIME,
		[CHOICE_SAMPLES] = TABLE_SAMPLES,
		[CHOICE_MODULE] = TABLE_MODULE,
	};

	for (int i = 0; i < COLUMN_CHOICES; i++)
		if (hidden & 1u << i)
			table[columns[i]].width = table[columns[i]].most = 0;
}

/* Self is a solid bar, the callees' part a line, so that it can be read without
   colours. */
static void put_bar(const struct columns *columns, struct grid *grid, int row,
	const struct report *report, const struct report_function *function)
{
	enum metric metric = view_metric(report);
	int at = columns->at[TABLE_BAR], width = columns->width[TABLE_BAR];
	double whole = (double)metric_of(metric, &report->total);
	double self = (double)metric_of(metric, &function->self) / whole;
	double total = (double)metric_of(metric, &function->total) / whole;

	if (width == 0 || !(whole > 0))
		return;
	grid_bar(grid, row, at, width, self, STYLE(ROLE_BAR));
	for (int x = 0; x < (int)(total * width + 0.5); x++) {
		if (grid_cell(grid, row, at + x)->text[0] == ' ')
			grid_put(grid, row, at + x, STYLE(ROLE_BAR_TOTAL),
				grid_glyph(grid, GLYPH_HORIZONTAL));
	}
}

/* From the middle to the left for less, to the right for more; the largest change of all
   fills its half. */
static void put_change_bar(const struct columns *columns, struct grid *grid, int row,
	const struct report *report, const struct change *self)
{
	int at = columns->at[TABLE_BAR], half = (columns->width[TABLE_BAR] - 1) / 2;
	double largest = report->difference->largest_self, by = change_of(self);

	if (half <= 0)
		return;
	int length = largest > 0 ? (int)(fabs(by) / largest * half + 0.5) : 0;
	grid_put(grid, row, at + half, STYLE(ROLE_DIM), grid_glyph(grid, GLYPH_VERTICAL));
	for (int x = 1; x <= length; x++)
		grid_put(grid, row, at + half + (by > 0 ? x : -x),
			STYLE(changed_role(self)),
			grid_glyph(grid, self->real ? GLYPH_BAR_FULL : GLYPH_HORIZONTAL));
}

static void put_changes(const struct columns *columns, struct grid *grid, int row,
	const struct report *report, uint32_t index)
{
	const struct change *self = &report->difference->self[index],
			    *total = &report->difference->total[index];
	struct style own = STYLE(self->after > 0 ? ROLE_NORMAL : ROLE_DIM);

	columns_put(columns, grid, row, TABLE_SELF_SHARE, own,
		changed_value(report, self->after).text);
	columns_put(columns, grid, row, TABLE_TOTAL_SHARE, STYLE(ROLE_NORMAL),
		changed_value(report, total->after).text);
	put_change_bar(columns, grid, row, report, self);
	columns_put(columns, grid, row, TABLE_SELF_TIME, STYLE(changed_role(self)),
		changed_by(report, self).text);
	columns_put(columns, grid, row, TABLE_TOTAL_TIME, STYLE(changed_role(total)),
		changed_by(report, total).text);
	columns_put(columns, grid, row, TABLE_SAMPLES, own,
		view_samples(&report->functions[index].self).text);
}

void table_put_numbers(const struct columns *columns, struct grid *grid, int row,
	const struct report *report, uint32_t index)
{
	const struct report_function *function = &report->functions[index];
	enum metric metric = view_metric(report);
	uint64_t self = metric_of(metric, &function->self);
	uint64_t total = metric_of(metric, &function->total);
	uint64_t whole = metric_of(metric, &report->total);
	enum role role = view_is_few(report) ? ROLE_DIM : ROLE_NORMAL;
	struct style own = STYLE(self > 0 ? role : ROLE_DIM);

	if (report->difference) {
		put_changes(columns, grid, row, report, index);
		return;
	}
	columns_put(columns, grid, row, TABLE_SELF_SHARE, own,
		format_percent(self, whole).text);
	columns_put(columns, grid, row, TABLE_TOTAL_SHARE, STYLE(role),
		format_percent(total, whole).text);
	put_bar(columns, grid, row, report, function);
	columns_put(columns, grid, row, TABLE_SELF_TIME, own,
		view_value(report, &function->self).text);
	columns_put(columns, grid, row, TABLE_TOTAL_TIME, STYLE(ROLE_NORMAL),
		view_value(report, &function->total).text);
	columns_put(columns, grid, row, TABLE_SAMPLES, own,
		view_samples(&function->self).text);
}
