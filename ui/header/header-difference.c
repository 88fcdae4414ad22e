/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/header-difference.h"

#include "ui/draw/format.h"
#include "ui/view/view.h"

#include <stdio.h>

static void say_comparison(const struct report *report, char *text, size_t size)
{
	enum normalization how = report->difference->normalization;
	snprintf(text, size, "%s%s%s",
		how == NORMALIZE_CPU	? "shares of "
		: how == NORMALIZE_NONE ? "values of "
					: "",
		report_value_name(report), how == NORMALIZE_TIME ? " per second" : "");
}

static void draw_side(struct grid *grid, int row, const char *label, const char *name,
	const struct report *report)
{
	char text[96];
	snprintf(text, sizeof(text), "%s, %s samples",
		view_value(report, &report->everything).text,
		format_count(report->everything.samples).text);
	int width = grid_text_width(text) + 2;
	int column = grid_put(grid, row, 0, STYLE(ROLE_LABEL), label);
	int room = grid->columns - column - width;
	if (room < 8) {
		room = grid->columns - column;
		width = 0;
	}
	int end = column + grid_text_width(name);
	grid_put_field(grid, row, column, room, ALIGN_LEFT, STYLE(ROLE_VALUE), name);
	if (width)
		grid_put(grid, row, (end < column + room ? end : column + room) + 2,
			STYLE(ROLE_DIM), text);
}

/* What cannot be found, and after how long it can. */
static void draw_hidden(
	const struct difference *difference, struct grid *grid, int column)
{
	column = grid_printf(grid, 3, column, STYLE(ROLE_DIM),
		"(not below %.1f points of %.0f %%", 100 * difference->hidden_of_few,
		100 * DIFFERENCE_FEW);
	if (difference->by_blocks && difference->needed_of_few.times > 1)
		column = grid_printf(grid, 3, column, STYLE(ROLE_DIM), "; %.0f take %s",
			100 * DIFFERENCE_GOAL,
			format_duration(difference->needed_of_few.ns).text);
	grid_put(grid, 3, column, STYLE(ROLE_DIM), ")");
}

void header_draw_difference(
	const struct source_facts *facts, const struct report *report, struct grid *grid)
{
	const struct difference *difference = report->difference;
	char text[128];

	draw_side(grid, 0, "before    ", facts->before, difference->before);
	if (grid->rows > 1)
		draw_side(grid, 1, "now       ", facts->command, difference->after);
	if (grid->rows > 2) {
		say_comparison(report, text, sizeof(text));
		int column = grid_put(grid, 2, 0, STYLE(ROLE_LABEL), "compared ");
		column = grid_put(grid, 2, column + 1, STYLE(ROLE_VALUE), text);
		column = grid_put(grid, 2, column + 3, STYLE(ROLE_LABEL), "noise ");
		column = grid_put(grid, 2, column, STYLE(ROLE_VALUE),
			difference->by_blocks ? "by time" : "by counts");
		if (difference->by_blocks)
			grid_printf(grid, 2, column + 1, STYLE(ROLE_DIM),
				"(not phases over %s)",
				format_duration((difference->after->end_ns -
							difference->after->start_ns) /
						difference->after->n_blocks)
					.text);
		else
			grid_put(grid, 2, column + 1, STYLE(ROLE_WARN),
				"(phases look like changes)");
	}
	if (grid->rows > 3) {
		int column = grid_put(grid, 3, 0, STYLE(ROLE_LABEL), "changed ");
		column = grid_printf(grid, 3, column + 2, STYLE(ROLE_VALUE),
			"%zu of %zu functions by more than noise (*)", difference->n_real,
			report->n_functions);
		if (difference->hidden_of_few > 0)
			draw_hidden(difference, grid, column + 1);
	}
}

int header_draw_against(const struct report *report, struct grid *grid, int column)
{
	const struct difference *difference = report->difference;
	const struct report *before = difference->before;
	struct style style = STYLE(ROLE_MATCH);

	return grid_printf(grid, 0, column, style, " %zu changed* against %s ",
		difference->n_real,
		format_duration(before->end_ns - before->start_ns).text);
}
