/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/header-file.h"

#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/header/header-difference.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <time.h>

enum {
	TIMELINE_LEAST = 8,
	TIMELINE_MOST = 60,
};

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

/* The values of the range over time, if the file says when they were. */
static void draw_timeline(
	const struct report *report, struct grid *grid, int row, int column)
{
	int width = grid->columns - column < TIMELINE_MOST ? grid->columns - column
							   : TIMELINE_MOST;
	double sums[TIMELINE_MOST] = {0}, highest = 0;

	if (!report->origin->moments.len || width < TIMELINE_LEAST)
		return;
	for (int i = 0; i < REPORT_TIMELINE; i++)
		sums[i * width / REPORT_TIMELINE] +=
			(double)report->timeline[i].sampled_cpu_ns;
	for (int i = 0; i < width; i++)
		highest = sums[i] > highest ? sums[i] : highest;
	for (int i = 0; i < width && highest > 0; i++)
		grid_spark(
			grid, row, column + i, sums[i] / highest, STYLE(ROLE_BAR_TOTAL));
}

static void draw_time(const struct report *report, struct grid *grid, int row)
{
	const struct origin *origin = report->origin;
	time_t start = (time_t)(origin->time_ns / (int64_t)NS_PER_SEC);
	struct tm utc;
	char date[40] = "not in the file";

	if (origin->time_ns > 0 && gmtime_r(&start, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &utc);
	int column = put(grid, row, 0, "recorded", date);
	if (origin->moments.len)
		column = put(grid, row, column, "shown",
			format_duration(report->end_ns - report->start_ns).text);
	if (origin->duration_ns > 0)
		column = put(grid, row, column, origin->moments.len ? "of" : "for",
			format_duration((uint64_t)origin->duration_ns).text);
	draw_timeline(report, grid, row, column);
}

void header_draw_file(
	const struct source_facts *facts, const struct report *report, struct grid *grid)
{
	if (report && report->difference) {
		header_draw_difference(facts, report, grid);
		return;
	}
	draw_name(facts->command, grid);
	if (!report)
		return;
	if (grid->rows > 1)
		draw_values(facts->origin, report, grid, 1);
	if (grid->rows > 2)
		draw_samples(report, grid, 2);
	if (grid->rows > 3)
		draw_time(report, grid, 3);
}
