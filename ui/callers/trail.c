/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/callers/trail.h"

#include "ui/draw/elide.h"

#include <string.h>

enum {
	NAME_COLUMNS = 28,   /* of one function */
	BETWEEN_COLUMNS = 3, /* " > " */
	MORE_COLUMNS = 2,    /* the ellipsis before the first that is shown */
};

void trail_start(struct trail *trail, uint32_t function)
{
	trail->functions[0] = function;
	trail->length = 1;
}

void trail_push(struct trail *trail, uint32_t function)
{
	if (trail->length == TRAIL_MOST) {
		memmove(trail->functions, trail->functions + 1,
			(TRAIL_MOST - 1) * sizeof(*trail->functions));
		trail->length--;
	}
	trail->functions[trail->length++] = function;
}

uint32_t trail_end(const struct trail *trail)
{
	return trail->length > 0 ? trail->functions[trail->length - 1] : PROFILE_NONE;
}

static void name_of(const struct report *report, uint32_t function, int columns,
	const char *ellipsis, char text[ELIDE_MAX])
{
	elide_name(text, ELIDE_MAX, profile_function(report->profile, function)->name,
		columns < NAME_COLUMNS ? columns : NAME_COLUMNS, ellipsis);
}

/* The widths that names are drawn in, for both drawing and clicks: an ellipsis is one
   column wide, whichever it is. Returns the first function that is shown. */
static size_t lay_out(const struct trail *trail, const struct report *report, int columns,
	int widths[TRAIL_MOST])
{
	int room = columns;
	size_t first = trail->length;
	while (first > 0) {
		char text[ELIDE_MAX];
		int left = first == trail->length ? columns - MORE_COLUMNS : NAME_COLUMNS;
		name_of(report, trail->functions[first - 1], left > 1 ? left : 1, "~",
			text);
		int width = grid_text_width(text);
		int needed = width + (first < trail->length ? BETWEEN_COLUMNS : 0) +
			     (first > 1 ? MORE_COLUMNS : 0);
		if (needed > room && first < trail->length)
			break;
		room -= needed - (first > 1 ? MORE_COLUMNS : 0);
		widths[--first] = width;
	}
	return first;
}

void trail_draw(const struct trail *trail, const struct report *report, struct grid *grid,
	int row)
{
	int widths[TRAIL_MOST];
	size_t first = lay_out(trail, report, grid->columns, widths);
	int at = 0;
	if (first > 0)
		at = grid_put(grid, row, 0, STYLE(ROLE_DIM),
			     grid_glyph(grid, GLYPH_ELLIPSIS)) +
		     1;
	for (size_t i = first; i < trail->length; i++) {
		bool is_end = i + 1 == trail->length;
		char text[ELIDE_MAX];
		name_of(report, trail->functions[i], widths[i],
			grid_glyph(grid, GLYPH_ELLIPSIS), text);
		if (i > first)
			grid_put(grid, row, at - 2, STYLE(ROLE_DIM),
				grid_glyph(grid, GLYPH_RIGHT));
		grid_put(grid, row, at, STYLE(is_end ? ROLE_TAB_ACTIVE : ROLE_TAB), text);
		at += widths[i] + BETWEEN_COLUMNS;
	}
}

int trail_at(const struct trail *trail, const struct report *report, int columns, int x)
{
	int widths[TRAIL_MOST];
	size_t first = lay_out(trail, report, columns, widths);
	int at = first > 0 ? MORE_COLUMNS : 0;
	for (size_t i = first; i < trail->length; i++) {
		if (x >= at && x < at + widths[i])
			return (int)i;
		at += widths[i] + BETWEEN_COLUMNS;
	}
	return -1;
}
