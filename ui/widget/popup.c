/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/popup.h"

enum {
	AROUND_TEXT = 8, /* columns: edges, indent, gaps */
};

void popup_add(struct popup *popup, const char *first, const char *second)
{
	int first_columns = grid_text_width(first);
	int second_columns = grid_text_width(second);

	if (first_columns > popup->first_columns)
		popup->first_columns = first_columns;
	if (second_columns > popup->second_columns)
		popup->second_columns = second_columns;
}

void popup_place(struct popup *popup, const struct grid *grid, int n_rows, int cursor)
{
	popup->rows = n_rows + 2;
	popup->columns = popup->first_columns + popup->second_columns + AROUND_TEXT;
	if (popup->columns > grid->columns)
		popup->columns = grid->columns;
	if (popup->rows > grid->rows)
		popup->rows = grid->rows;
	popup->row = (grid->rows - popup->rows) / 2;
	popup->column = (grid->columns - popup->columns) / 2;

	int room = popup->rows - 2;
	popup->scroll = room > 0 && cursor >= room ? cursor - room + 1 : 0;
}

struct grid popup_draw(const struct popup *popup, struct grid *grid, const char *title)
{
	grid_box(grid, popup->row, popup->column, popup->rows, popup->columns,
		STYLE(ROLE_MENU), title);
	return grid_part(grid, popup->row + 1, popup->column + 1, popup->rows - 2,
		popup->columns - 2);
}

void popup_draw_more(const struct popup *popup, struct grid *grid, int n_rows)
{
	int column = popup->column + popup->columns - 3;

	if (popup->scroll > 0)
		grid_put(grid, popup->row, column, STYLE(ROLE_MENU),
			grid_glyph(grid, GLYPH_UP));
	if (popup->scroll + popup->rows - 2 < n_rows)
		grid_put(grid, popup->row + popup->rows - 1, column, STYLE(ROLE_MENU),
			grid_glyph(grid, GLYPH_DOWN));
}

bool popup_has(const struct popup *popup, int row, int column)
{
	return row >= popup->row && row < popup->row + popup->rows &&
	       column >= popup->column && column < popup->column + popup->columns;
}
