/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/menu.h"

#include "ui/keys/key.h"

enum {
	DIGITS = 9, /* rows beyond have none */
};

struct box {
	int row, column, rows, columns, name_columns;
};

void menu_add(struct menu *menu, const char *name, const char *description)
{
	if (menu->n_rows == MENU_MAX)
		return;
	menu->rows[menu->n_rows].name = name;
	menu->rows[menu->n_rows++].description = description;
}

int menu_key(struct menu *menu, uint32_t key)
{
	switch (key) {
	case K_UP:
	case 'k':
		menu->cursor = (menu->cursor + menu->n_rows - 1) % menu->n_rows;
		return MENU_OPEN;
	case K_DOWN:
	case 'j':
	case K_TAB:
		menu->cursor = (menu->cursor + 1) % menu->n_rows;
		return MENU_OPEN;
	case K_HOME:
	case 'g':
		menu->cursor = 0;
		return MENU_OPEN;
	case K_END:
	case 'G':
		menu->cursor = menu->n_rows - 1;
		return MENU_OPEN;
	case K_ENTER:
		return menu->cursor;
	case K_ESC:
	case K_BACKSPACE:
	case K_CTRL('C'):
	case 'q':
		return MENU_CLOSED;
	default:
		break;
	}
	if (key >= '1' && key < '1' + DIGITS && key - '1' < (uint32_t)menu->n_rows)
		return (int)(key - '1');
	for (int i = 0; i < menu->n_rows; i++)
		if (key == (unsigned char)menu->rows[i].name[0])
			return i;
	return MENU_OPEN;
}

/* The place of the box. It is as wide as its rows need, if the grid has that room. */
static struct box place(const struct menu *menu, const struct grid *grid)
{
	struct box box = {.rows = menu->n_rows + 2};
	int widest = 0;

	for (int i = 0; i < menu->n_rows; i++) {
		int name = grid_text_width(menu->rows[i].name);
		int description = grid_text_width(menu->rows[i].description);
		box.name_columns = name > box.name_columns ? name : box.name_columns;
		widest = description > widest ? description : widest;
	}
	box.columns = box.name_columns + widest + 8; /* edges, "1 ", two gaps */
	if (box.columns > grid->columns)
		box.columns = grid->columns;
	if (box.rows > grid->rows)
		box.rows = grid->rows;
	box.row = (grid->rows - box.rows) / 2;
	box.column = (grid->columns - box.columns) / 2;
	return box;
}

/* The first row shown, so that the cursor is visible. */
static int scroll_of(const struct menu *menu, const struct box *box)
{
	int room = box->rows - 2;

	return room > 0 && menu->cursor >= room ? menu->cursor - room + 1 : 0;
}

void menu_draw(const struct menu *menu, struct grid *grid)
{
	struct box box = place(menu, grid);
	int scroll = scroll_of(menu, &box);

	grid_box(grid, box.row, box.column, box.rows, box.columns, STYLE(ROLE_MENU),
		menu->title);
	struct grid inside = grid_part(
		grid, box.row + 1, box.column + 1, box.rows - 2, box.columns - 2);
	for (int row = 0; row < inside.rows; row++) {
		int i = row + scroll;
		struct style style =
			STYLE(i == menu->cursor ? ROLE_MENU_CURSOR : ROLE_MENU);
		grid_fill(&inside, row, 0, 1, inside.columns, style);
		if (i < DIGITS)
			grid_printf(&inside, row, 1, style, "%d", i + 1);
		int column = grid_put_field(&inside, row, 3, box.name_columns, ALIGN_LEFT,
			style, menu->rows[i].name);
		grid_put_field(&inside, row, column + 2, inside.columns - column - 3,
			ALIGN_LEFT, style, menu->rows[i].description);
	}
}

int menu_click(const struct menu *menu, const struct grid *grid, int row, int column)
{
	struct box box = place(menu, grid);
	int i = row - box.row - 1;

	if (row < box.row || row >= box.row + box.rows || column < box.column ||
		column >= box.column + box.columns)
		return MENU_CLOSED;
	return i >= 0 && i < box.rows - 2 ? i + scroll_of(menu, &box) : MENU_OPEN;
}
