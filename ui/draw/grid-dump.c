/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grids as text: what golden screens are made of (grid.h). */
#include "ui/draw/grid.h"

#include <string.h>

static bool style_equal(struct style a, struct style b)
{
	return a.role == b.role && a.attributes == b.attributes;
}

static void dump_row(const struct grid *grid, int row, FILE *out)
{
	int end = grid->columns;

	while (end > 0 && strcmp(grid_cell(grid, row, end - 1)->text, " ") == 0)
		end--;
	for (int column = 0; column < end; column++)
		fputs(grid_cell(grid, row, column)->text, out);
	fputc('\n', out);
}

static void dump_row_styles(const struct grid *grid, int row, FILE *out)
{
	const char *between = "   ";
	int end;

	for (int start = 0; start < grid->columns; start = end) {
		struct style style = grid_cell(grid, row, start)->style;
		char role[THEME_ROLE_NAME_MAX];

		for (end = start + 1; end < grid->columns; end++)
			if (!style_equal(grid_cell(grid, row, end)->style, style))
				break;
		if (style_equal(style, STYLE(ROLE_NORMAL)))
			continue;
		theme_role_name(style.role, role);
		fprintf(out, "%s%d+%d %s%s%s%s%s", between, start, end - start, role,
			style.attributes & ATTR_BOLD ? ",bold" : "",
			style.attributes & ATTR_UNDERLINE ? ",underline" : "",
			style.attributes & ATTR_REVERSE ? ",reverse" : "",
			style.attributes & ATTR_DIM ? ",dim" : "");
		between = "; ";
	}
	if (between[0] == ';')
		fputc('\n', out);
}

void grid_dump(const struct grid *grid, FILE *out)
{
	for (int row = 0; row < grid->rows; row++)
		dump_row(grid, row, out);
}

void grid_dump_styles(const struct grid *grid, FILE *out)
{
	for (int row = 0; row < grid->rows; row++) {
		dump_row(grid, row, out);
		dump_row_styles(grid, row, out);
	}
}
