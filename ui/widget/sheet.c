/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/widget/sheet.h"

#include "src/base/mem.h"
#include "ui/draw/utf8.h"
#include "ui/keys/action.h"
#include "ui/keys/key.h"

#include <stdlib.h>
#include <string.h>

void sheet_start(struct sheet *sheet, const char *title)
{
	sheet_finish(sheet);
	sheet->title = mem_strdup(title);
}

void sheet_add(struct sheet *sheet, bool is_title, const char *key, const char *text)
{
	struct sheet_line line = {
		.key = mem_strdup(key), .text = mem_strdup(text), .is_title = is_title};
	int columns = grid_text_width(key);

	if (columns > sheet->key_columns)
		sheet->key_columns = columns;
	vec_push(&sheet->lines, line);
}

void sheet_add_sample(struct sheet *sheet, struct style style, const char *text)
{
	struct sheet_line line = {.key = mem_strdup(""),
		.text = mem_strdup(text),
		.is_sample = true,
		.style = style};

	vec_push(&sheet->lines, line);
}

void sheet_finish(struct sheet *sheet)
{
	vec_each (&sheet->lines, line) {
		free(line->key);
		free(line->text);
	}
	vec_free(&sheet->lines);
	free(sheet->title);
	*sheet = (struct sheet){0};
}

/* How many bytes of TEXT fit into COLUMNS; at least one character. */
static size_t fitting(const char *text, int columns)
{
	size_t size = strlen(text), used = 0, word = 0;
	int at = 0;

	while (used < size) {
		struct utf8 c = utf8_decode(text + used, size - used);
		int width = utf8_columns(c.code);
		at += width < 0 ? 1 : width;
		if (at > columns && used > 0)
			return word > 0 ? word : used;
		used += c.length;
		if (c.code == ' ')
			word = used;
	}
	return used;
}

/* Draw LINE from row ROW on; returns the row after it. */
static int draw_line(
	const struct sheet_line *line, struct grid *grid, int row, int indent)
{
	const char *text = line->text;
	int start = line->is_title ? 0 : indent;
	struct style style = STYLE(ROLE_MENU, line->is_title ? ATTR_BOLD : 0);

	if (start > 0)
		grid_put_field(grid, row, 0, start - 1, ALIGN_LEFT, STYLE(ROLE_LABEL),
			line->key);
	do {
		char piece[1024];
		size_t length = fitting(text, grid->columns - start);
		if (length >= sizeof(piece))
			length = sizeof(piece) - 1;
		memcpy(piece, text, length);
		piece[length] = '\0';
		grid_put(grid, row++, start, style, piece);
		text += length;
	} while (*text != '\0');
	return row;
}

/* Draw a sample after others that end at *COLUMN of ROW, or if it does not fit there, in the
   next row; returns its row. */
static int draw_sample(
	const struct sheet_line *line, struct grid *grid, int row, int *column)
{
	int width = grid_text_width(line->text) + 2; /* a blank on both sides */

	if (width > grid->columns)
		width = grid->columns;
	if (*column + width > grid->columns) {
		*column = 0;
		row++;
	}
	grid_put_field(grid, row, *column, width, ALIGN_CENTRE, line->style, line->text);
	*column += width + 1;
	return row;
}

/* Draw the lines with the first one at row -TOP; returns how many rows they take. */
static int draw_lines(const struct sheet *sheet, struct grid *grid, int top)
{
	int indent = sheet->key_columns > 0 ? sheet->key_columns + 2 : 0;
	int row = -top, sample_column = 0;

	if (indent > grid->columns / 2)
		indent = grid->columns / 2;
	vec_each (&sheet->lines, line) {
		if (line->is_sample) {
			row = draw_sample(line, grid, row, &sample_column);
			continue;
		}
		row += sample_column > 0;
		sample_column = 0;
		row = draw_line(line, grid, row, indent);
	}
	return row + (sample_column > 0) + top;
}

/* The part of GRID inside the box. */
static struct grid inside_of(const struct grid *grid)
{
	return grid_part(grid, 1, 2, grid->rows - 2, grid->columns - 4);
}

/* The greatest value of `top`. */
static int last_top(const struct sheet *sheet, const struct grid *inside)
{
	/* without rows, to count only */
	struct grid counted = {.columns = inside->columns};
	int rows = draw_lines(sheet, &counted, 0);

	return rows > inside->rows ? rows - inside->rows : 0;
}

void sheet_draw(const struct sheet *sheet, struct grid *grid)
{
	struct grid inside = inside_of(grid);
	int last = last_top(sheet, &inside);
	int top = sheet->top < last ? sheet->top : last;

	grid_box(grid, 0, 0, grid->rows, grid->columns, STYLE(ROLE_MENU), sheet->title);
	draw_lines(sheet, &inside, top);
	if (top > 0)
		grid_put(grid, 0, grid->columns - 3, STYLE(ROLE_MENU),
			grid_glyph(grid, GLYPH_UP));
	if (top < last)
		grid_put(grid, grid->rows - 1, grid->columns - 3, STYLE(ROLE_MENU),
			grid_glyph(grid, GLYPH_DOWN));
}

bool sheet_key(struct sheet *sheet, uint32_t key, const struct grid *grid)
{
	struct grid inside = inside_of(grid);
	int page = inside.rows > 1 ? inside.rows - 1 : 1;
	int last = last_top(sheet, &inside);

	switch (action_of_key(key)) {
	case ACTION_UP:
		sheet->top -= 1;
		break;
	case ACTION_DOWN:
		sheet->top += 1;
		break;
	case ACTION_HALF_UP:
		sheet->top -= (page + 1) / 2;
		break;
	case ACTION_HALF_DOWN:
		sheet->top += (page + 1) / 2;
		break;
	case ACTION_PAGE_UP:
		sheet->top -= page;
		break;
	case ACTION_FREEZE: /* Space, as in less */
	case ACTION_PAGE_DOWN:
		sheet->top += page;
		break;
	case ACTION_FIRST:
		sheet->top = 0;
		break;
	case ACTION_LAST:
		sheet->top = last;
		break;
	default:
		return false;
	}
	sheet->top = sheet->top < last ? sheet->top : last;
	sheet->top = sheet->top > 0 ? sheet->top : 0;
	return true;
}
