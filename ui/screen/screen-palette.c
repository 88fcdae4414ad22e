/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The palette (`:`, Ctrl-P): views, actions but the movements, and functions, found by a part
 * of their name (screen.h). Enter shows the view, does the action, or goes to the function.
 */
#include "src/facts/text/typed.h"
#include "ui/draw/utf8.h"
#include "ui/keys/action.h"
#include "ui/keys/key.h"
#include "ui/screen/screen.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	BOX_COLUMNS = 100, /* at most */
	KEY_COLUMNS = 8,
	FOUND_MAX = 200 /* nobody reads more; the best ones are kept */
};

/* Functions begin with the heaviest, as the report has them by total. */
static uint64_t weight_of(const struct report *report, const struct report_function *row)
{
	return metric_of(view_metric(report), &row->total);
}

static int compare(const void *left, const void *right)
{
	const struct palette_row *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->score != b->score && a->rank >= RANK_FUNCTION)
		return a->score > b->score ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->action != b->action)
		return a->action < b->action ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static const char *title_of(enum action action)
{
	const struct action_row *row = &action_rows[action];

	return row->title[0] ? row->title : row->help;
}

/* Does each word of QUERY begin a word of TEXT? Letters anywhere would be found in any
   sentence. */
static bool has_words(const char *text, const char *query)
{
	for (query += strspn(query, " "); *query; query += strspn(query, " ")) {
		size_t length = strcspn(query, " ");
		const char *at = text;
		while (*at && (strncasecmp(at, query, length) != 0 ||
				      (at > text && isalnum((unsigned char)at[-1]))))
			at++;
		if (!*at)
			return false;
		query += length;
	}
	return true;
}

static void add_actions(const struct screen *screen, struct palette *palette)
{
	for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
		bool is_view = action >= ACTION_VIEW_1 && action <= ACTION_VIEW_8;
		bool is_there = !is_view ||
				screen_has_view(screen, (size_t)(action - ACTION_VIEW_1));
		if (!is_there || action_rows[action].group == GROUP_MOVE ||
			action == ACTION_PALETTE ||
			!has_words(title_of(action), screen->prompt.text))
			continue;
		const struct palette_row row = {.rank = is_view ? RANK_VIEW : RANK_ACTION,
			.action = action,
			.function = PROFILE_NONE};
		vec_push(&palette->rows, row);
	}
}

static void add_functions(
	struct palette *palette, const char *query, const struct report *report)
{
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const char *name = profile_function(report->profile, row->function)->name;
		int score = typed_score(query, name, NULL);
		if (score == TYPED_NONE)
			continue;
		const struct palette_row found = {
			.rank = strcmp(name, query) == 0 ? RANK_EXACT : RANK_FUNCTION,
			.function = row->function,
			.score = score,
			.weight = weight_of(report, row)};
		vec_push(&palette->rows, found);
	}
}

static void find(struct screen *screen)
{
	struct palette *palette = &screen->palette;
	const char *query = screen->prompt.text;

	palette->rows.len = 0;
	add_actions(screen, palette);
	if (screen->report && query[strspn(query, " ")])
		add_functions(palette, query, screen->report);
	if (palette->rows.len)
		qsort(palette->rows.data, palette->rows.len,
			sizeof(palette->rows.data[0]), compare);
	if (palette->rows.len > FOUND_MAX)
		palette->rows.len = FOUND_MAX;
	palette->list = (struct list){0};
	palette->report = screen->report;
}

/* Ids of functions are those of a report: the next one may have others. */
static void find_again(struct screen *screen)
{
	struct palette *palette = &screen->palette;
	struct list list = palette->list;
	struct palette_row chosen = {0};

	if (palette->report == screen->report && palette->is_current)
		return;
	bool stays = palette->is_current && list.cursor < palette->rows.len;
	if (stays)
		chosen = palette->rows.data[list.cursor];
	find(screen);
	/* The cursor stays on its row while the numbers change. */
	for (size_t i = 0; stays && i < palette->rows.len; i++)
		if (palette->rows.data[i].action == chosen.action &&
			palette->rows.data[i].function == chosen.function) {
			palette->list = list;
			palette->list.cursor = i;
		}
	palette->is_current = true;
}

static void go_to_function(struct screen *screen, uint32_t function)
{
	const struct view_ops *view = screen_view(screen);

	screen->state.reveal = function;
	if (view != &view_table && view != &view_flame && view != &view_callers)
		screen->state.go_to = view_table.name;
	screen_follow_view(screen);
}

static void choose(struct screen *screen)
{
	struct palette *palette = &screen->palette;

	screen->mode = MODE_VIEW;
	if (palette->list.cursor >= palette->rows.len)
		return;
	const struct palette_row row = palette->rows.data[palette->list.cursor];
	if (row.action != ACTION_NONE)
		screen_act(screen, row.action);
	else
		go_to_function(screen, row.function);
}

/* Keys that move: letters are text here. */
static enum action move_of(uint32_t key)
{
	switch (key) {
	case K_UP:
	case K_CTRL('P'):
		return ACTION_UP;
	case K_DOWN:
	case K_CTRL('N'):
	case K_TAB:
		return ACTION_DOWN;
	case K_PAGE_UP:
		return ACTION_PAGE_UP;
	case K_PAGE_DOWN:
		return ACTION_PAGE_DOWN;
	default:
		return ACTION_NONE;
	}
}

static size_t page_of(const struct screen *screen)
{
	return screen->layout.body_rows > 3 ? (size_t)screen->layout.body_rows - 2 : 1;
}

void screen_palette_key(struct screen *screen, uint32_t key)
{
	struct palette *palette = &screen->palette;

	find_again(screen);
	if (list_move(&palette->list, move_of(key), palette->rows.len, page_of(screen)))
		return;
	switch (prompt_key(&screen->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		palette->is_current = false;
		break;
	case PROMPT_DONE:
		choose(screen);
		break;
	case PROMPT_CANCELLED:
		screen->mode = MODE_VIEW;
		break;
	}
}

static struct grid box_of(const struct grid *grid)
{
	int columns = grid->columns < BOX_COLUMNS ? grid->columns : BOX_COLUMNS;

	return grid_part(grid, 0, (grid->columns - columns) / 2, grid->rows, columns);
}

void screen_palette_click(
	struct screen *screen, const struct grid *grid, int row, int column)
{
	struct palette *palette = &screen->palette;
	struct grid box = box_of(grid);
	int left = (grid->columns - box.columns) / 2;
	size_t at = palette->list.top + (size_t)(row - 1);

	find_again(screen);
	if (column < left || column >= left + box.columns) {
		screen->mode = MODE_VIEW;
	} else if (row >= 1 && row < box.rows - 1 && at < palette->rows.len) {
		palette->list.cursor = at;
		choose(screen);
	}
}

/* NAME, with the letters that were found set apart. */
static void put_name(struct grid *grid, int row, int column, struct style style,
	const char *query, const char *name)
{
	bool found[TYPED_NAME_MAX];
	size_t size = strlen(name);

	typed_score(query, name, found);
	for (size_t at = 0; at < size && column < grid->columns;) {
		struct utf8 c = utf8_decode(name + at, size - at);
		char text[8] = "";
		struct style own = style;
		memcpy(text, name + at, c.length < sizeof(text) ? c.length : 1);
		if (at < TYPED_NAME_MAX && found[at])
			own.attributes |= ATTR_BOLD | ATTR_UNDERLINE;
		column = grid_put(grid, row, column, own, text);
		at += c.length;
	}
}

static void draw_row(const struct screen *screen, struct grid *grid, int at,
	const struct palette_row *row, bool is_cursor)
{
	struct style style = STYLE(is_cursor ? ROLE_MENU_CURSOR : ROLE_MENU);
	const struct report *report = screen->report;
	char key[sizeof(struct format)] = "";
	const char *name;

	if (row->action != ACTION_NONE) {
		key_describe(action_key(row->action), key);
		name = title_of(row->action);
	} else {
		snprintf(key, sizeof(key), "%s",
			format_percent(row->weight,
				metric_of(view_metric(report), &report->total))
				.text);
		name = profile_function(report->profile, row->function)->name;
	}
	grid_fill(grid, at, 0, 1, grid->columns, style);
	grid_put_field(grid, at, 1, KEY_COLUMNS, ALIGN_RIGHT,
		is_cursor ? style : STYLE(ROLE_LABEL), key);
	put_name(grid, at, KEY_COLUMNS + 3, style, screen->prompt.text, name);
}

void screen_palette_draw(struct screen *screen, struct grid *grid)
{
	struct palette *palette = &screen->palette;
	struct grid box = box_of(grid);

	find_again(screen);
	grid_box(&box, 0, 0, box.rows, box.columns, STYLE(ROLE_MENU),
		"Views, actions and functions");
	struct grid inside = grid_part(&box, 1, 1, box.rows - 2, box.columns - 2);
	if (inside.rows <= 0)
		return;
	list_reveal(&palette->list, palette->rows.len, (size_t)inside.rows);
	for (int at = 0; at < inside.rows; at++) {
		size_t i = palette->list.top + (size_t)at;
		if (i < palette->rows.len)
			draw_row(screen, &inside, at, &palette->rows.data[i],
				i == palette->list.cursor);
	}
	if (palette->rows.len == 0)
		grid_put_field(&inside, 0, 0, inside.columns, ALIGN_CENTRE,
			STYLE(ROLE_MENU), "nothing fits");
}
