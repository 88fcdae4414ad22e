/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/header-file.h"

#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <time.h>

/* LABEL and TEXT from COLUMN on; returns where the next one may begin. */
static int put(
	struct grid *grid, int row, int column, const char *label, const char *text)
{
	if (column >= grid->columns)
		return column;
	column = grid_put(grid, row, column, STYLE(ROLE_LABEL), label);
	column = grid_put(grid, row, column + 1, STYLE(ROLE_VALUE), text);
	return column + 3;
}

static void draw_name(const char *name, struct grid *grid)
{
	int column = grid_put(grid, 0, 0, STYLE(ROLE_LABEL), "profile ");
	grid_put_field(grid, 0, column, grid->columns - column, ALIGN_LEFT,
		STYLE(ROLE_VALUE), name);
}

static void draw_values(const struct origin *origin, const struct report *report,
	struct grid *grid, int row)
{
	char text[128];

	int column = put(grid, row, 0, "values", report_value_name(report));
	snprintf(text, sizeof(text), "%s of %s", view_value(report, &report->total).text,
		view_value(report, &report->everything).text);
	column = put(grid, row, column, "shown", text);
	if (origin->types.len > 1) {
		snprintf(text, sizeof(text), "%u of %zu (m: the next)",
			report->shown_type + 1, origin->types.len);
		put(grid, row, column, "type", text);
	}
}

static void draw_samples(const struct report *report, struct grid *grid, int row)
{
	int column =
		put(grid, row, 0, "samples", format_count(report->total.samples).text);
	column = put(
		grid, row, column, "functions", format_count(report->n_functions).text);
	put(grid, row, column, "complete",
		format_share(report_complete_share(report)).text);
}

static void draw_time(const struct origin *origin, struct grid *grid, int row)
{
	time_t start = (time_t)(origin->time_ns / (int64_t)NS_PER_SEC);
	struct tm utc;
	char date[40] = "not in the file";

	if (origin->time_ns > 0 && gmtime_r(&start, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &utc);
	int column = put(grid, row, 0, "recorded", date);
	if (origin->duration_ns > 0)
		put(grid, row, column, "for",
			format_duration((uint64_t)origin->duration_ns).text);
}

void header_draw_file(
	const struct source_facts *facts, const struct report *report, struct grid *grid)
{
	draw_name(facts->command, grid);
	if (!report)
		return;
	if (grid->rows > 1)
		draw_values(facts->origin, report, grid, 1);
	if (grid->rows > 2)
		draw_samples(report, grid, 2);
	if (grid->rows > 3)
		draw_time(facts->origin, grid, 3);
}
