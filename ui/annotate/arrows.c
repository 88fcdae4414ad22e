/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/annotate/arrows.h"

#include <stdlib.h>

static size_t low_of(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->from : arrow->to;
}

static size_t high_of(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->to : arrow->from;
}

/* The chosen one first, then the shortest. */
static int compare(const void *left, const void *right)
{
	const struct arrow *a = left, *b = right;
	size_t x = high_of(a) - low_of(a), y = high_of(b) - low_of(b);
	if (a->is_chosen != b->is_chosen)
		return a->is_chosen ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* Two that lead to the same row may share its lane. */
static bool collide(const struct arrow *a, const struct arrow *b)
{
	return a->to != b->to && low_of(a) <= high_of(b) && low_of(b) <= high_of(a);
}

static bool is_free(const struct arrows *arrows, size_t before, int lane)
{
	for (size_t i = 0; i < before; i++)
		if (arrows->list.data[i].lane == lane &&
			collide(&arrows->list.data[i], &arrows->list.data[before]))
			return false;
	return true;
}

void arrows_arrange(struct arrows *arrows, size_t top, size_t bottom, int lanes)
{
	arrows->lanes = 0;
	if (arrows->list.len)
		qsort(arrows->list.data, arrows->list.len, sizeof(struct arrow), compare);
	for (size_t i = 0; i < arrows->list.len; i++) {
		struct arrow *arrow = &arrows->list.data[i];
		arrow->lane = -1;
		if (high_of(arrow) < top || low_of(arrow) >= bottom ||
			arrow->from == arrow->to)
			continue;
		int lane = 0;
		while (lane < lanes && !is_free(arrows, i, lane))
			lane++;
		if (lane == lanes)
			continue;
		arrow->lane = lane;
		if (arrows->lanes <= lane)
			arrows->lanes = lane + 1;
	}
}

/* The text of a line between two instructions stays as it is. */
static bool is_free_cell(const struct grid *grid, int row, int column)
{
	for (int at = column - 1; at <= column + 1; at++) {
		const struct cell *cell = grid_cell(grid, row, at);
		if (!cell || (cell->text[0] != ' ' && cell->text[0] != '\0'))
			return false;
	}
	return true;
}

/* From the lane at X to the text at COLUMN. */
static void draw_end(struct grid *grid, int row, int x, int column, struct style style,
	enum glyph corner, bool is_head)
{
	grid_put(grid, row, x, style, grid_glyph(grid, corner));
	for (int at = x + 1; at < column; at++)
		grid_put(grid, row, at, style, grid_glyph(grid, GLYPH_HORIZONTAL));
	if (is_head)
		grid_put(grid, row, column - 1, style, grid_glyph(grid, GLYPH_RIGHT));
}

void arrows_draw(const struct arrows *arrows, struct grid *grid, int row, size_t top,
	size_t bottom, int column)
{
	/* The chosen one last, over the others. */
	for (size_t i = arrows->list.len; i-- > 0;) {
		const struct arrow *arrow = &arrows->list.data[i];
		struct style style =
			arrow->is_chosen ? STYLE(ROLE_MATCH) : STYLE(ROLE_DIM);
		int x = column - 2 - arrow->lane;
		if (arrow->lane < 0)
			continue;
		for (size_t at = low_of(arrow); at <= high_of(arrow); at++) {
			int y = row + (int)(at - top);
			if (at < top || at >= bottom)
				continue;
			if (at == arrow->from || at == arrow->to)
				draw_end(grid, y, x, column, style,
					at == low_of(arrow) ? GLYPH_TOP_LEFT
							    : GLYPH_BOTTOM_LEFT,
					at == arrow->to);
			else if (is_free_cell(grid, y, x))
				grid_put(grid, y, x, style,
					grid_glyph(grid, GLYPH_VERTICAL));
		}
	}
}
