/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys and mouse, for what is on top (screen.h). */
#include "src/write/export.h"
#include "ui/keys/action.h"
#include "ui/keys/key.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

enum {
	WHEEL_ROWS = 3
};

/* Check what is typed, if not everything is possible; if it is not valid, say why in the
   prompt. */
static bool typed_is_valid(struct screen *screen)
{
	struct prompt *prompt = &screen->prompt;
	char why[128];
	size_t offset;

	if (screen->purpose == PURPOSE_EXPORT || screen->purpose == PURPOSE_MARK)
		return true;
	if (prompt->text[0] == '\0' ||
		report_pattern_valid(prompt->text, &offset, why, sizeof(why)))
		return true;
	snprintf(prompt->error, sizeof(prompt->error), "%s (at %zu)", why, offset);
	return false;
}

/* A search is applied while it is typed; a filter needs a new report, so it is applied
   with Enter. */
static void prompt_changed(struct screen *screen)
{
	if (!typed_is_valid(screen))
		return;
	if (screen->purpose == PURPOSE_SEARCH) {
		screen_search(screen, screen->prompt.text);
		screen_find(screen, FIND_FROM_HERE);
	}
}

static void prompt_done(struct screen *screen)
{
	const char *text = screen->prompt.text;

	if (!typed_is_valid(screen))
		return; /* the prompt stays open, so that it can be corrected */
	screen->mode = MODE_VIEW;
	switch (screen->purpose) {
	case PURPOSE_SEARCH:
		screen_search(screen, text);
		if (text[0] != '\0' && !screen_find(screen, FIND_FROM_HERE))
			screen_say(screen, ROLE_WARN, "nothing matches /%s", text);
		break;
	case PURPOSE_FILTER:
		snprintf(screen->state.request.filter, REPORT_TEXT_MAX, "%s", text);
		break;
	case PURPOSE_MARK:
		screen_mark_typed(screen);
		break;
	case PURPOSE_EXPORT:
		if (text[0] != '\0')
			screen_export(screen, screen->format, text);
		break;
	}
}

static void key_to_prompt(struct screen *screen, uint32_t key)
{
	switch (prompt_key(&screen->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		prompt_changed(screen);
		break;
	case PROMPT_DONE:
		prompt_done(screen);
		break;
	case PROMPT_CANCELLED:
		screen->mode = MODE_VIEW;
		if (screen->purpose == PURPOSE_SEARCH)
			screen_search(screen, screen->search_before);
		break;
	}
}

static void menu_chosen(struct screen *screen, int row)
{
	if (row == MENU_OPEN)
		return;
	screen->mode = MODE_VIEW;
	if (row >= 0)
		screen_export_prompt(screen, export_formats[row]);
}

static struct grid body_of(const struct screen *screen)
{
	return grid_part(&screen->grid, screen->layout.body_row, 0,
		screen->layout.body_rows, screen->grid.columns);
}

static void key_to_sheet(struct screen *screen, uint32_t key)
{
	struct grid body = body_of(screen);

	if (key != 'q' && action_of_key(key) == ACTION_QUIT) /* q leaves the help */
		screen_act(screen, ACTION_QUIT);
	else if (!sheet_key(&screen->sheet, key, &body))
		screen->mode = MODE_VIEW;
}

void screen_key(struct screen *screen, uint32_t key)
{
	screen->status[0] = '\0';
	screen->was_used = true;
	if (key == K_CTRL('Z') || key == K_CTRL('L')) {
		screen_act(screen, action_of_key(key));
		return;
	}
	switch (screen->mode) {
	case MODE_PROMPT:
		key_to_prompt(screen, key);
		break;
	case MODE_MENU:
		if (key == action_key(ACTION_QUIT))
			screen_act(screen, ACTION_QUIT);
		else
			menu_chosen(screen, menu_key(&screen->menu, key));
		break;
	case MODE_SHEET:
		key_to_sheet(screen, key);
		break;
	case MODE_SETTINGS:
		screen_settings_key(screen, key);
		break;
	case MODE_PALETTE:
		screen_palette_key(screen, key);
		break;
	case MODE_VIEW:
		screen_act(screen, action_of_key(key));
		break;
	}
}

/* Turned above or below the views it scrolls the one that has the keys. */
static void wheel(struct screen *screen, const struct term_event *event, bool in_body)
{
	bool up = event->mouse == MOUSE_WHEEL_UP;

	if (screen->mode == MODE_VIEW && in_body)
		screen_enter_pane(screen, event->column);
	for (int i = 0; i < WHEEL_ROWS; i++) {
		if (screen->mode == MODE_VIEW)
			screen_act(screen, up ? ACTION_UP : ACTION_DOWN);
		else if (screen->mode != MODE_PROMPT)
			screen_key(screen, up ? K_UP : K_DOWN);
	}
}

static void click_view(struct screen *screen, int row, int column, enum view_click click)
{
	bool is_held = click == CLICK_DRAG || click == CLICK_RELEASE;
	int inside = is_held ? column : screen_enter_pane(screen, column);
	const struct view_ops *view = screen_view(screen);

	if (!screen->report || !view->click || (inside < 0 && !is_held))
		return;
	screen_prepare(screen);
	view->click(screen->view_data[screen->shown], &screen->state, screen->report, row,
		inside, click);
	screen_follow_view(screen);
}

static void click_body(struct screen *screen, int row, int column, enum view_click click)
{
	struct grid body = body_of(screen);

	if (screen->mode == MODE_MENU)
		menu_chosen(screen, menu_click(&screen->menu, &body, row, column));
	else if (screen->mode == MODE_SHEET)
		screen->mode = MODE_VIEW;
	else if (screen->mode == MODE_VIEW)
		click_view(screen, row, column, click);
	else if (screen->mode == MODE_SETTINGS)
		screen_settings_click(screen, &body, row, column);
	else if (screen->mode == MODE_PALETTE)
		screen_palette_click(screen, &body, row, column);
}

void screen_mouse(struct screen *screen, const struct term_event *event)
{
	const struct screen_layout *layout = &screen->layout;
	int row = event->row - layout->body_row;
	bool in_view = screen->mode == MODE_VIEW;
	bool is_drag = event->mouse == MOUSE_DRAG || event->mouse == MOUSE_RELEASE;
	bool in_body = row >= 0 && row < layout->body_rows;

	screen->was_used = true;
	/* The first click of the two did what there was to do in a box over the view, and
	   perhaps closed it: the second one is not meant for what is there now. */
	if (event->mouse == MOUSE_DOUBLE && screen->pressed_in != MODE_VIEW)
		return;
	if (event->mouse == MOUSE_LEFT)
		screen->pressed_in = screen->mode;
	if (in_view && screen_strip_mouse(screen, event))
		return;
	if (is_drag) {
		if (in_view && screen_view(screen)->drags)
			click_body(screen, row, event->column,
				event->mouse == MOUSE_DRAG ? CLICK_DRAG : CLICK_RELEASE);
	} else if (event->mouse == MOUSE_WHEEL_UP || event->mouse == MOUSE_WHEEL_DOWN)
		wheel(screen, event, in_body);
	else if (in_body)
		click_body(screen, row, event->column,
			event->mouse == MOUSE_LEFT ? CLICK_SELECT : CLICK_ZOOM);
	else if (event->mouse != MOUSE_LEFT)
		return;
	else if (in_view && layout->tab_rows > 0 &&
		 event->row == layout->header_rows + layout->strip_rows) {
		int tab = screen_tab_at(screen, event->column);
		if (tab >= 0)
			screen_act(screen, ACTION_VIEW_1 + (enum action)tab);
	} else if (layout->bar_rows > 0 && event->row == screen->grid.rows - 1) {
		uint32_t key = screen_bar_at(screen, event->column);
		if (key != K_NONE)
			screen_key(screen, key);
	}
}
