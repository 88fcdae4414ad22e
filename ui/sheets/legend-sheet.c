/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/sheets/legend-sheet.h"

#include "ui/draw/elide.h"

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

void sheet_legend(struct sheet *sheet, const struct module_hues *hues)
{
	if (hues->holders.len == 0)
		return;
	sheet_add(sheet, true, "", "Colours: modules");
	add_modules(sheet, hues);
	sheet_add(sheet, true, "", "");
	sheet_add(sheet, true, "", "and in the flame graph");
	sheet_add_sample(sheet, STYLE(ROLE_CURSOR), "selected");
	sheet_add_sample(sheet, STYLE(ROLE_MATCH), "found by /");
	sheet_add_sample(sheet, STYLE(ROLE_NO_CODE), "waiting, or a broken stack");
	sheet_add_sample(sheet, STYLE(ROLE_OTHER), "too thin for cells of their own");
	sheet_add(sheet, true, "", "");
}
