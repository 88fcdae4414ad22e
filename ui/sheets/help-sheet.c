/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/sheets/help-sheet.h"

#include "ui/draw/elide.h"
#include "ui/keys/action.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SAMPLE_COLUMNS = 28,
	MODULES_MOST = 40 /* more would bury the keys */
};

/* By area, and where that is the same, by hue: the order in which they came. */
static int compare(const void *a, const void *b)
{
	const struct hue_holder *x = a, *y = b;

	if (x->area != y->area)
		return x->area < y->area ? 1 : -1;
	return x->hue < y->hue ? -1 : x->hue > y->hue;
}

static void add_modules(struct sheet *sheet, const struct module_hues *hues)
{
	VEC(struct hue_holder) sorted = {0};
	char name[ELIDE_MAX];
	size_t n = 0;

	vec_each (&hues->holders, holder)
		if (holder->area > 0)
			vec_push(&sorted, *holder);
	if (sorted.len > 0)
		qsort(sorted.data, sorted.len, sizeof(sorted.data[0]), compare);
	vec_each (&sorted, holder) {
		if (n++ == MODULES_MOST)
			break;
		elide_name(name, sizeof(name), holder->module, SAMPLE_COLUMNS, "~");
		sheet_add_sample(sheet, STYLE((uint8_t)(ROLE_HUE + holder->hue)), name);
	}
	if (n > MODULES_MOST)
		sheet_add_sample(sheet, STYLE(ROLE_DIM), "and more");
	vec_free(&sorted);
}

static void add_legend(struct sheet *sheet, const struct module_hues *hues)
{
	if (hues->holders.len == 0)
		return;
	sheet_add(sheet, true, "", "Colours: modules; and in the flame graph");
	add_modules(sheet, hues);
	sheet_add_sample(sheet, STYLE(ROLE_CURSOR), "selected");
	sheet_add_sample(sheet, STYLE(ROLE_MATCH), "found by /");
	sheet_add_sample(sheet, STYLE(ROLE_NO_CODE), "waiting, or a broken stack");
	sheet_add_sample(sheet, STYLE(ROLE_OTHER), "too thin for cells of their own");
}

static void add_row(struct sheet *sheet, enum action row, const char *help)
{
	char keys[ACTION_KEYS_MAX];

	action_row_keys(row, keys);
	sheet_add(sheet, false, keys, help ? help : action_rows[row].help);
}

void sheet_help(
	struct sheet *sheet, const struct view_ops *view, const struct module_hues *hues)
{
	bool is_told[ACTION_COUNT] = {[ACTION_HELP] = true};
	char title[64];

	sheet_start(sheet, "Keys and colours");
	snprintf(title, sizeof(title), "In this view, %s", view->title);
	sheet_add(sheet, true, "", title);
	for (const struct view_key *key = view->keys; key->action != ACTION_NONE; key++) {
		enum action row = action_row_of(key->action);
		if (!is_told[row])
			add_row(sheet, row, key->help);
		is_told[row] = true;
	}
	sheet_add(sheet, true, "", "In every view");
	for (enum action row = ACTION_NONE + 1; row < ACTION_COUNT; row++)
		if (action_rows[row].help && action_rows[row].group != GROUP_SOME &&
			!is_told[row])
			add_row(sheet, row, NULL);
	sheet_add(sheet, false, "mouse",
		"select, sort, drag times; double or right click: zoom in");
	add_legend(sheet, hues);
}
