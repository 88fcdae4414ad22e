/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/notice.h"

#include "ui/draw/format.h"

#include <stdio.h>

void notice_draw(struct grid *grid, int top, const char *const *lines)
{
	int count = 0;

	while (lines[count])
		count++;

	int row = top + (grid->rows - top - count) / 3;
	for (int i = 0; i < count; i++)
		grid_put_field(grid, (row > top ? row : top) + i, 0, grid->columns,
			ALIGN_CENTRE, STYLE(i == 0 ? ROLE_NORMAL : ROLE_DIM), lines[i]);
}

bool notice_draw_empty(struct grid *grid, int top, const struct report *report)
{
	const struct report_request *request = &report->request;
	char first[REPORT_TEXT_MAX + 128], second[128];
	const char *const lines[] = {first, second, NULL};

	if (report->total.samples > 0)
		return false;
	snprintf(second, sizeof(second),
		"%s samples are not shown; Esc shows them again.",
		format_count(report->everything.samples).text);
	if (report->everything.samples == 0) {
		snprintf(first, sizeof(first), "%s",
			report->origin ? "The file has no values of this type."
				       : "Nothing ran in this window.");
		snprintf(second, sizeof(second), "%s",
			report->origin ? "m shows the next type."
				       : "Only threads that run are sampled; an idle one "
					 "costs nothing.");
	} else if (report_around(report)->samples > 0) {
		uint32_t zoomed = request->zoom.path[request->zoom.length - 1];
		snprintf(first, sizeof(first), "%.*s has not run in this window.",
			REPORT_TEXT_MAX, profile_function(report->profile, zoomed)->name);
		snprintf(second, sizeof(second),
			"It comes back with its samples; Esc goes back up.");
	} else if (request->filter[0] != '\0')
		snprintf(first, sizeof(first), "No stack %s %s",
			request->filter[0] == '!' ? "is without" : "matches",
			request->filter + (request->filter[0] == '!'));
	else if (request->module[0] != '\0')
		snprintf(first, sizeof(first), "No stack goes through %s",
			request->module);
	else if (request->n_tids > 0 || request->thread_pattern[0] != '\0')
		snprintf(first, sizeof(first), "The chosen threads did not run.");
	else
		snprintf(first, sizeof(first), "No samples.");
	notice_draw(grid, top, lines);
	return true;
}

void notice_draw_more(struct grid *grid, int row, int from, enum glyph glyph,
	size_t count, const char *word)
{
	char text[64];

	if (count == 0)
		return;
	snprintf(text, sizeof(text), " %s %zu %s ", grid_glyph(grid, glyph), count, word);
	int start = grid->columns - grid_text_width(text);
	if (start < grid->columns / 2) /* keep what is there: it is more important */
		return;
	grid_fill(grid, row, from < start ? from : start, 1, grid->columns,
		STYLE(ROLE_NORMAL));
	grid_put(grid, row, start, STYLE(ROLE_DIM), text);
}
