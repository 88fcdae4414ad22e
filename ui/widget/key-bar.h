/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key-bar: the line at the bottom that says which keys matter now.
 *
 * The caller adds keys, the most important first. As many as fit are shown, in that order, and
 * the room that is left is shared among them, so that the whole line is a row of buttons. The
 * last key that was added as such stands at the right end, whatever else fits. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_KEY_BAR_H
#define CPROFTOP_UI_KEY_BAR_H

#include "ui/draw/grid.h"

#include <stdint.h>

enum {
	KEY_BAR_MAX = 32
};

struct key_bar_item {
	uint32_t key;
	const char *label; /* borrowed */
};

struct key_bar {
	struct key_bar_item items[KEY_BAR_MAX];
	int n_items;
	struct key_bar_item last; /* without a label: none */
};

/* What is there already, by its key, is not added again; nor what has no room. */
void key_bar_add(struct key_bar *bar, uint32_t key, const char *label);
void key_bar_end(struct key_bar *bar, uint32_t key, const char *label);

/* Into the first row of GRID. */
void key_bar_draw(const struct key_bar *bar, struct grid *grid);

/* The key whose button covers COLUMN, in a bar of COLUMNS; K_NONE if none does. */
uint32_t key_bar_at(const struct key_bar *bar, int columns, int column);

#endif
