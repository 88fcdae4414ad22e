/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/menu.h"

#include "ui/keys/key.h"
#include "ui/widget/popup.h"

enum {
	DIGITS = 9, /* rows beyond have none */
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

static struct popup place(const struct menu *menu, const struct grid *grid)
{
	struct popup popup = {0};

	for (int i = 0; i < menu->n_rows; i++)
		popup_add(&popup, menu->rows[i].name, menu->rows[i].description);
	popup_place(&popup, grid, menu->n_rows, menu->cursor);
	return popup;
}

void menu_draw(const struct menu *menu, struct grid *grid)
{
	struct popup popup = place(menu, grid);
	struct grid inside = popup_draw(&popup, grid, menu->title);

	for (int row = 0; row < inside.rows; row++) {
		int i = row + popup.scroll;
		struct style style =
			STYLE(i == menu->cursor ? ROLE_MENU_CURSOR : ROLE_MENU);
		grid_fill(&inside, row, 0, 1, inside.columns, style);
		if (i < DIGITS)
			grid_printf(&inside, row, 1, style, "%d", i + 1);
		int column = grid_put_field(&inside, row, 3, popup.first_columns,
			ALIGN_LEFT, style, menu->rows[i].name);
		grid_put_field(&inside, row, column + 2, inside.columns - column - 3,
			ALIGN_LEFT, style, menu->rows[i].description);
	}
	popup_draw_more(&popup, grid, menu->n_rows);
}

int menu_click(const struct menu *menu, const struct grid *grid, int row, int column)
{
	struct popup popup = place(menu, grid);
	int i = row - popup.row - 1;

	if (!popup_has(&popup, row, column))
		return MENU_CLOSED;
	return i >= 0 && i < popup.rows - 2 ? i + popup.scroll : MENU_OPEN;
}
