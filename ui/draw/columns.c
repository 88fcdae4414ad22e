/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/columns.h"

#include <assert.h>

static int width_of(const struct columns *columns, size_t i, bool wished)
{
	int wish = columns->columns[i].wish;

	if (columns->width[i] == 0)
		return 0;
	return wished && wish > columns->width[i] ? wish : columns->width[i];
}

static int needed(const struct columns *columns, bool wished)
{
	int sum = 0;

	for (size_t i = 0; i < columns->count; i++) {
		int width = width_of(columns, i, wished);
		sum += width > 0 ? width + 1 : 0;
	}
	return sum > 0 ? sum - 1 : 0;
}

/* Drop columns of LEAST_RANK or higher until the others fit, with their wishes or without. */
static void drop(struct columns *columns, int total, int least_rank, bool wished)
{
	while (needed(columns, wished) > total) {
		size_t last = columns->count;
		for (size_t i = 0; i < columns->count; i++) {
			int rank = columns->columns[i].rank;
			if (columns->width[i] > 0 && rank >= least_rank &&
				(last == columns->count ||
					rank > columns->columns[last].rank))
				last = i;
		}
		if (last == columns->count)
			return; /* the rest is clipped */
		columns->width[last] = 0;
	}
}

static void grant_wishes(struct columns *columns, int total)
{
	int rest = total - needed(columns, false);

	for (size_t i = 0; i < columns->count; i++) {
		int more = width_of(columns, i, true) - columns->width[i];
		if (more > rest)
			more = rest;
		if (more > 0) {
			columns->width[i] += more;
			rest -= more;
		}
	}
}

/* Give one screen column at a time, always to the table column that has grown least in
   proportion to its width. */
static void share_the_rest(struct columns *columns, int total)
{
	for (int rest = total - needed(columns, false); rest > 0; rest--) {
		double least_full = 1;
		size_t grows = columns->count;
		for (size_t i = 0; i < columns->count; i++) {
			const struct column *column = &columns->columns[i];
			if (columns->width[i] == 0 || columns->width[i] >= column->most)
				continue;
			double full = (double)(columns->width[i] - column->width) /
				      (column->most - column->width);
			if (full < least_full) {
				least_full = full;
				grows = i;
			}
		}
		if (grows == columns->count)
			return;
		columns->width[grows]++;
	}
}

void columns_fit(
	struct columns *columns, const struct column *table, size_t count, int total)
{
	int at = 0;

	assert(count <= COLUMNS_MAX);
	columns->columns = table;
	columns->count = count;
	for (size_t i = 0; i < count; i++)
		columns->width[i] = table[i].width;
	drop(columns, total, COLUMNS_EXTRA, true);
	drop(columns, total, 1, false);
	grant_wishes(columns, total);
	share_the_rest(columns, total);
	for (size_t i = 0; i < count; i++) {
		columns->at[i] = at;
		at += columns->width[i] > 0 ? columns->width[i] + 1 : 0;
	}
}

void columns_draw_titles(const struct columns *columns, struct grid *grid, int row,
	int sort, bool ascending)
{
	grid_fill(grid, row, 0, 1, grid->columns, STYLE(ROLE_COLUMN));
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->columns[i];
		bool sorted = column->sort >= 0 && column->sort == sort;
		struct style style = STYLE(sorted ? ROLE_COLUMN_SORTED : ROLE_COLUMN);
		int at = columns->at[i], width = columns->width[i];
		if (width == 0)
			continue;
		grid_put_field(grid, row, at, width, column->align, style, column->title);
		if (!sorted)
			continue;
		/* The mark of the sorted column stands in the blank beside its
		   heading. */
		int mark = column->align == ALIGN_RIGHT
				   ? at + width - grid_text_width(column->title) - 1
				   : at + grid_text_width(column->title);
		grid_put(grid, row, mark, style,
			grid_glyph(grid, ascending ? GLYPH_UP : GLYPH_DOWN));
	}
}

void columns_put(const struct columns *columns, struct grid *grid, int row, int index,
	struct style style, const char *text)
{
	if (columns->width[index] > 0)
		grid_put_field(grid, row, columns->at[index], columns->width[index],
			columns->columns[index].align, style, text);
}

int columns_at(const struct columns *columns, int x)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->width[i] > 0 && x >= columns->at[i] &&
			x <= columns->at[i] + columns->width[i])
			return (int)i;
	}
	return -1;
}
