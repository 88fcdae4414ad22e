/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/key-bar.h"

#include "ui/keys/key.h"

#include <string.h>

/* Where the buttons are. */
struct places {
	struct key_bar_item items[KEY_BAR_MAX + 1];
	int at[KEY_BAR_MAX + 2]; /* of button i, and where the last one ends */
	int count;
};

void key_bar_add(struct key_bar *bar, uint32_t key, const char *label)
{
	for (int i = 0; i < bar->n_items; i++)
		if (bar->items[i].key == key)
			return;
	if (bar->n_items == KEY_BAR_MAX || (bar->last.label && bar->last.key == key))
		return;
	bar->items[bar->n_items++] = (struct key_bar_item){key, label};
}

void key_bar_end(struct key_bar *bar, uint32_t key, const char *label)
{
	bar->last = (struct key_bar_item){key, label};
}

/* The key as the button has it: "F1", and others with a blank behind, because "eEdit" could
   not be read without colours. */
static void name_of(uint32_t key, char name[KEY_NAME_MAX + 1])
{
	key_describe(key, name);
	if (key < K_F1 || key > K_F12)
		strcat(name, " ");
}

/* Key and label, and a blank before the next key. */
static int width_of(const struct key_bar_item *item)
{
	char name[KEY_NAME_MAX + 1];

	name_of(item->key, name);
	return grid_text_width(name) + grid_text_width(item->label) + 1;
}

static void find_places(const struct key_bar *bar, int columns, struct places *places)
{
	int rest = columns;

	places->count = 0;
	if (bar->last.label)
		rest -= width_of(&bar->last);
	for (int i = 0; i < bar->n_items && rest >= width_of(&bar->items[i]); i++) {
		places->items[places->count++] = bar->items[i];
		rest -= width_of(&bar->items[i]);
	}
	if (bar->last.label)
		places->items[places->count++] = bar->last;
	int at = 0;
	for (int i = 0; i < places->count; i++) {
		int share = rest > 0 ? rest / (places->count - i) : 0;
		places->at[i] = at;
		at += width_of(&places->items[i]) + share;
		rest -= share;
	}
	places->at[places->count] = at;
}

void key_bar_draw(const struct key_bar *bar, struct grid *grid)
{
	struct places places;
	char name[KEY_NAME_MAX + 1];

	find_places(bar, grid->columns, &places);
	for (int i = 0; i < places.count; i++) {
		name_of(places.items[i].key, name);
		int at = grid_put(grid, 0, places.at[i], STYLE(ROLE_KEY), name);
		grid_put_field(grid, 0, at, places.at[i + 1] - at, ALIGN_LEFT,
			STYLE(ROLE_KEY_LABEL), places.items[i].label);
	}
}

uint32_t key_bar_at(const struct key_bar *bar, int columns, int column)
{
	struct places places;

	find_places(bar, columns, &places);
	for (int i = 0; i < places.count; i++)
		if (column >= places.at[i] && column < places.at[i + 1])
			return places.items[i].key;
	return K_NONE;
}
