/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/items.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void items_add(struct items *items, int rank, enum role role, int width,
	const char *label, const char *value)
{
	assert(items->count < ITEMS_MAX);
	struct item *item = &items->items[items->count++];

	*item = (struct item){.width = width, .rank = rank, .role = role};
	snprintf(item->label, sizeof(item->label), "%s", label);
	snprintf(item->value, sizeof(item->value), "%s", value);
}

static int item_width(const struct item *item)
{
	int value = grid_text_width(item->value);

	return (int)strlen(item->label) + 1 + (value > item->width ? value : item->width);
}

static int items_width(const struct items *items)
{
	int sum = 0;
	for (int i = 0; i < items->count; i++)
		sum += item_width(&items->items[i]) + (i > 0 ? ITEMS_GAP : 0);
	return sum;
}

static void leave_out(struct items *items, int room)
{
	while (items->count > 0 && items_width(items) > room) {
		int out = 0;
		for (int i = 1; i < items->count; i++)
			out = items->items[i].rank >= items->items[out].rank ? i : out;
		memmove(&items->items[out], &items->items[out + 1],
			(size_t)(items->count - out - 1) * sizeof(struct item));
		items->count--;
	}
}

void items_draw(struct items *items, struct grid *grid, int row)
{
	int column = 0;

	leave_out(items, grid->columns);
	for (int i = 0; i < items->count; i++) {
		const struct item *item = &items->items[i];
		int start = column + (i > 0 ? ITEMS_GAP : 0);
		int label = (int)strlen(item->label) + 1;

		column = start + item_width(item);
		grid_put(grid, row, start, STYLE(ROLE_LABEL), item->label);
		grid_put_field(grid, row, start + label, column - start - label,
			ALIGN_LEFT, STYLE(item->role), item->value);
	}
}
