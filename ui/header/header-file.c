/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/header-file.h"

#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/header/header-difference.h"
#include "ui/header/items.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	LEAST_NAME = 16, /* columns */
};

/* When it was recorded, as text of at most SIZE bytes; "" if the file does not say. */
static void date_of(const struct origin *origin, char *text, size_t size)
{
	time_t start = (time_t)(origin->time_ns / (int64_t)NS_PER_SEC);
	struct tm utc;

	text[0] = '\0';
	if (origin->time_ns > 0 && gmtime_r(&start, &utc))
		strftime(text, size, "recorded %Y-%m-%d %H:%M:%S UTC", &utc);
}

static void draw_name(const char *name, const struct origin *origin, struct grid *grid)
{
	char date[64];
	int column = grid_put(grid, 0, 0, STYLE(ROLE_LABEL), "profile ");

	date_of(origin, date, sizeof(date));
	int width = (int)strlen(date), room = grid->columns - column - width - 3;
	if (width == 0 || room < LEAST_NAME) {
		grid_put_field(grid, 0, column, grid->columns - column, ALIGN_LEFT,
			STYLE(ROLE_VALUE), name);
		return;
	}
	grid_put_field(grid, 0, column, room, ALIGN_LEFT, STYLE(ROLE_VALUE), name);
	grid_put(grid, 0, grid->columns - width, STYLE(ROLE_DIM), date);
}

/* The length of what is shown, if samples have times; else of the recording. */
static void add_length(
	struct items *items, const struct origin *origin, const struct report *report)
{
	char text[80];
	struct format whole = format_duration(
		origin->duration_ns > 0 ? (uint64_t)origin->duration_ns : 0);

	if (origin->moments.len) {
		snprintf(text, sizeof(text), "%s%s%s",
			format_duration(report->end_ns - report->start_ns).text,
			origin->duration_ns > 0 ? " of " : "",
			origin->duration_ns > 0 ? whole.text : "");
		items_add(items, 2, ROLE_VALUE, 0, "window", text);
	} else if (origin->duration_ns > 0)
		items_add(items, 4, ROLE_VALUE, 0, "for", whole.text);
}

static void draw_figures(const struct origin *origin, const struct report *report,
	struct grid *grid, int row)
{
	struct items items = {0};
	char text[128];

	items_add(&items, 0, ROLE_VALUE, 0, "values", report_value_name(report));
	snprintf(text, sizeof(text), "%s of %s", view_value(report, &report->total).text,
		view_value(report, &report->everything).text);
	items_add(&items, 1, ROLE_VALUE, 0, "shown", text);
	items_add(&items, 3, ROLE_VALUE, 0, "samples",
		format_count(report->total.samples).text);
	add_length(&items, origin, report);
	items_add(&items, 5, ROLE_VALUE, 0, "complete",
		format_share(report_complete_share(report)).text);
	if (origin->types.len > 1) {
		snprintf(text, sizeof(text), "%u of %zu (m: the next)",
			report->shown_type + 1, origin->types.len);
		items_add(&items, 4, ROLE_VALUE, 0, "type", text);
	}
	items_add(&items, 6, ROLE_VALUE, 0, "functions",
		format_count(report->n_functions).text);
	items_draw(&items, grid, row);
}

void header_draw_file(
	const struct source_facts *facts, const struct report *report, struct grid *grid)
{
	if (report && report->difference) {
		header_draw_difference(facts, report, grid);
		return;
	}
	draw_name(facts->command, facts->origin, grid);
	if (report && grid->rows > 1)
		draw_figures(facts->origin, report, grid, 1);
}
