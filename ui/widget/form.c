/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/form.h"

#include "ui/keys/action.h"
#include "ui/keys/key.h"
#include "ui/widget/popup.h"

#include <stdio.h>

enum {
	LEFT = 3,	  /* columns before a label */
	GAP = 2,	  /* between label and value */
	LABEL_LEAST = 12, /* of a label, if it is cut */
};

void form_start(struct form *form, const char *title)
{
	form->title = title;
	form->n_rows = 0;
}

static void add(struct form *form, const char *label, const char *value, bool is_title)
{
	if (form->n_rows == FORM_MAX)
		return;
	struct form_row *row = &form->rows[form->n_rows++];
	*row = (struct form_row){.label = label, .is_title = is_title};
	snprintf(row->value, sizeof(row->value), "%s", value);
	if (form->cursor == form->n_rows - 1 && is_title)
		form->cursor++;
}

void form_add(struct form *form, const char *label, const char *value)
{
	add(form, label, value, false);
}

void form_add_title(struct form *form, const char *label)
{
	add(form, label, "", true);
}

/* By one row, over titles; the cursor stays where there is none. */
static void move(struct form *form, int by)
{
	int at = form->cursor + by;

	while (at >= 0 && at < form->n_rows && form->rows[at].is_title)
		at += by;
	if (at >= 0 && at < form->n_rows)
		form->cursor = at;
}

enum form_result form_key(struct form *form, uint32_t key)
{
	switch (action_of_key(key)) {
	case ACTION_UP:
		move(form, -1);
		return FORM_OPEN;
	case ACTION_DOWN:
		move(form, 1);
		return FORM_OPEN;
	case ACTION_LEFT:
	case ACTION_MIN_LESS:
		return FORM_PREVIOUS;
	case ACTION_RIGHT:
	case ACTION_ZOOM:
	case ACTION_MIN_MORE:
		return FORM_NEXT;
	case ACTION_FIRST:
		form->cursor = -1;
		move(form, 1);
		return FORM_OPEN;
	case ACTION_LAST:
		form->cursor = form->n_rows;
		move(form, -1);
		return FORM_OPEN;
	case ACTION_SETTINGS:
	case ACTION_POP:
	case ACTION_QUIT:
		return FORM_CLOSED;
	default:
		return key == K_SPACE ? FORM_NEXT : FORM_OPEN;
	}
}

static struct popup place(const struct form *form, const struct grid *grid)
{
	struct popup popup = {0};

	for (int i = 0; i < form->n_rows; i++)
		popup_add(&popup, form->rows[i].label, form->rows[i].value);
	popup_place(&popup, grid, form->n_rows, form->cursor);
	return popup;
}

/* A label and its value at the right of it. Where there is no room for both, the label is cut:
   what it is about can be guessed, the value not. */
static void draw_setting(const struct popup *popup, struct grid *inside, int row,
	struct style style, const struct form_row *line)
{
	int columns = inside->columns - LEFT - GAP - 1; /* of both */
	int value = grid_text_width(line->value);
	bool fits = popup->first_columns + popup->second_columns <= columns;
	int label = columns - value < LABEL_LEAST ? LABEL_LEAST : columns - value;

	if (label > popup->first_columns)
		label = popup->first_columns;
	int at = grid_put_field(inside, row, LEFT, label, ALIGN_LEFT, style, line->label);
	grid_put_field(inside, row, at + GAP, inside->columns - at - GAP - 1,
		fits ? ALIGN_LEFT : ALIGN_RIGHT, style, line->value);
}

void form_draw(const struct form *form, struct grid *grid)
{
	struct popup popup = place(form, grid);
	struct grid inside = popup_draw(&popup, grid, form->title);

	for (int row = 0; row < inside.rows; row++) {
		int i = row + popup.scroll;
		const struct form_row *line = &form->rows[i];
		struct style style =
			STYLE(i == form->cursor ? ROLE_MENU_CURSOR : ROLE_MENU,
				line->is_title ? ATTR_BOLD : 0);
		grid_fill(&inside, row, 0, 1, inside.columns, style);
		if (line->is_title)
			grid_put_field(&inside, row, 1, popup.first_columns, ALIGN_LEFT,
				style, line->label);
		else
			draw_setting(&popup, &inside, row, style, line);
	}
	popup_draw_more(&popup, grid, form->n_rows);
}

enum form_result form_click(
	struct form *form, const struct grid *grid, int row, int column)
{
	struct popup popup = place(form, grid);
	int i = row - popup.row - 1 + popup.scroll;

	if (!popup_has(&popup, row, column))
		return FORM_CLOSED;
	if (row == popup.row || row == popup.row + popup.rows - 1 || i >= form->n_rows ||
		form->rows[i].is_title)
		return FORM_OPEN;
	form->cursor = i;
	return FORM_NEXT;
}
