/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/grid.h"

#include "src/base/mem.h"
#include "ui/draw/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *unicode, *ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_ELLIPSIS] = {"…", "~"},
	[GLYPH_UP] = {"▲", "^"},
	[GLYPH_DOWN] = {"▼", "v"},
	[GLYPH_RIGHT] = {"▶", ">"},
	[GLYPH_LEFT] = {"◀", "<"},
	[GLYPH_VERTICAL] = {"│", "|"},
	[GLYPH_HORIZONTAL] = {"─", "-"},
	[GLYPH_EDGE] = {"▏", "|"},
	[GLYPH_TOP_LEFT] = {"┌", "+"},
	[GLYPH_TOP_RIGHT] = {"┐", "+"},
	[GLYPH_BOTTOM_LEFT] = {"└", "+"},
	[GLYPH_BOTTOM_RIGHT] = {"┘", "+"},
	[GLYPH_BULLET] = {"•", "*"},
	[GLYPH_CHECK] = {"✓", "x"},
	[GLYPH_MICRO] = {"µ", "u"},
	[GLYPH_BAR_FULL] = {"█", "#"},
	[GLYPH_BAR_HALF] = {"▒", "="},
	[GLYPH_BAR_LOW] = {"·", "."},
};

static struct cell *cell_at(const struct grid *grid, int row, int column)
{
	return &grid->cells[(ptrdiff_t)row * grid->stride + column];
}

static void cell_set(
	struct cell *cell, const char *text, size_t length, int width, struct style style)
{
	memcpy(cell->text, text, length);
	cell->text[length] = '\0';
	cell->width = (uint8_t)width;
	cell->style = style;
}

/* Called before CELL is overwritten: if it is half of a wide character, the other half
   becomes a blank. That half is always inside the cells, even if GRID is a part of
   another grid, because the character was drawn as a whole. */
static void cell_part(struct cell *cell)
{
	if (cell->width == 0)
		cell_set(cell - 1, " ", 1, 1, cell[-1].style);
	else if (cell->width == 2)
		cell_set(cell + 1, " ", 1, 1, cell[1].style);
}

/* The intersection of [start, start + length) and [0, limit). */
static void clip(int *start, int *length, int limit)
{
	int64_t end = (int64_t)*start + (*length > 0 ? *length : 0);

	if (*start < 0)
		*start = 0;
	if (end > limit)
		end = limit;
	*length = end > *start ? (int)(end - *start) : 0;
}

void grid_init(struct grid *grid, int rows, int columns, bool ascii)
{
	*grid = (struct grid){.ascii = ascii, .owns_cells = true};
	grid_resize(grid, rows, columns);
}

void grid_finish(struct grid *grid)
{
	if (grid->owns_cells)
		free(grid->cells);
	*grid = (struct grid){0};
}

void grid_resize(struct grid *grid, int rows, int columns)
{
	rows = rows > 0 ? rows : 0;
	columns = columns > 0 ? columns : 0;
	grid->cells = mem_resize(
		grid->cells, (size_t)rows * (size_t)columns + 1, sizeof(grid->cells[0]));
	grid->rows = rows;
	grid->columns = grid->stride = columns;
	for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
		cell_set(&grid->cells[i], " ", 1, 1, STYLE(ROLE_NORMAL));
}

struct grid grid_part(const struct grid *grid, int row, int column, int rows, int columns)
{
	clip(&row, &rows, grid->rows);
	clip(&column, &columns, grid->columns);

	struct grid part = *grid;
	part.rows = rows;
	part.columns = columns;
	part.owns_cells = false;
	if (rows > 0 && columns > 0)
		part.cells = cell_at(grid, row, column);
	return part;
}

void grid_fill(
	struct grid *grid, int row, int column, int rows, int columns, struct style style)
{
	clip(&row, &rows, grid->rows);
	clip(&column, &columns, grid->columns);
	for (int r = row; r < row + rows; r++)
		for (int c = column; c < column + columns; c++) {
			cell_part(cell_at(grid, r, c));
			cell_set(cell_at(grid, r, c), " ", 1, 1, style);
		}
}

void grid_restyle(
	struct grid *grid, int row, int column, int rows, int columns, struct style style)
{
	clip(&row, &rows, grid->rows);
	clip(&column, &columns, grid->columns);
	for (int r = row; r < row + rows; r++)
		for (int c = column; c < column + columns; c++)
			cell_at(grid, r, c)->style = style;
}

/* The next character with its marks, as CELL. Returns the bytes used, 0 at the end. */
static size_t next_cell(const char *text, size_t size, bool ascii, struct cell *cell)
{
	struct utf8 c = utf8_decode(text, size);
	int width = c.valid ? utf8_columns(c.code) : -1;
	size_t used = c.length, kept = used;
	bool shown = width > 0 && (!ascii || c.code < 0x7f);

	if (used == 0 ||
		/* a combining mark without a character before it is shown alone */
		width == 0) {
		cell_set(cell, "?", 1, 1, cell->style);
		return used;
	}
	for (; (c = utf8_decode(text + used, size - used)).valid &&
		utf8_columns(c.code) == 0;
		used += c.length)
		if (!ascii && kept == used && used + c.length < CELL_TEXT_MAX)
			kept += c.length;
	/* A character that cannot be shown keeps its width, so that columns stay
	   aligned. */
	cell_set(cell, shown ? text : "?", shown ? kept : 1, width == 2 ? 2 : 1,
		cell->style);
	return used;
}

/* Draw one character, if it is left of LIMIT. A wide character of which only half fits is
   drawn as a blank. */
static void put_cell(
	struct grid *grid, int row, int column, int limit, const struct cell *next)
{
	bool whole = column >= 0 && column + next->width <= limit;

	for (int half = 0; half < next->width; half++) {
		if (column + half < 0 || column + half >= limit)
			continue;
		struct cell *cell = cell_at(grid, row, column + half);
		cell_part(cell);
		if (!whole)
			cell_set(cell, " ", 1, 1, next->style);
		else if (grid->ascii)
			cell_set(cell, next->text, 1, 1, next->style);
		else if (half == 0)
			*cell = *next;
		else
			cell_set(cell, "", 0, 0, next->style);
	}
}

/* Draw the part of TEXT that is left of column LIMIT. Returns the column after the text,
   as if it had not been clipped. */
static int put_within(struct grid *grid, int row, int column, int limit,
	struct style style, const char *text)
{
	size_t size = strlen(text), used;
	struct cell next = {.style = style};

	if (limit > grid->columns)
		limit = grid->columns;
	while ((used = next_cell(text, size, grid->ascii, &next)) > 0) {
		if (row >= 0 && row < grid->rows)
			put_cell(grid, row, column, limit, &next);
		column += next.width;
		text += used;
		size -= used;
	}
	return column;
}

int grid_put(struct grid *grid, int row, int column, struct style style, const char *text)
{
	return put_within(grid, row, column, grid->columns, style, text);
}

int grid_printf(struct grid *grid, int row, int column, struct style style,
	const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return grid_put(grid, row, column, style, text);
}

int grid_text_width(const char *text)
{
	size_t size = strlen(text), used;
	struct cell next = {0};
	int width = 0;

	while ((used = next_cell(text, size, false, &next)) > 0) {
		width += next.width;
		text += used;
		size -= used;
	}
	return width;
}

int grid_put_field(struct grid *grid, int row, int column, int width, enum align align,
	struct style style, const char *text)
{
	int limit = column + (width > 0 ? width : 0);
	int needed = grid_text_width(text);
	int start = column;

	grid_fill(grid, row, column, 1, width, style);
	if (needed > width) {
		put_within(grid, row, column, limit - 1, style, text);
		put_within(grid, row, limit - 1, limit, style,
			grid_glyph(grid, GLYPH_ELLIPSIS));
		return limit;
	}
	if (align == ALIGN_RIGHT)
		start = limit - needed;
	else if (align == ALIGN_CENTRE)
		start = column + (width - needed) / 2;
	put_within(grid, row, start, limit, style, text);
	return limit;
}

static double clamp_fraction(double fraction)
{
	return fraction > 1 ? 1 : fraction > 0 ? fraction : 0; /* and a NaN is 0 */
}

/* The eighths of a cell; with ASCII there are none. */
static const char *eighth(int eighths)
{
	static const char *const blocks[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	return blocks[eighths];
}

void grid_bar(struct grid *grid, int row, int column, int width, double fraction,
	struct style style)
{
	int parts = grid->ascii ? 1 : 8;
	int length =
		(int)(clamp_fraction(fraction) * (width > 0 ? width : 0) * parts + 0.5);

	grid_fill(grid, row, column, 1, width, style);
	for (int i = 0; i < length / parts; i++)
		grid_put(grid, row, column + i, style, grid->ascii ? "#" : "█");
	if (length % parts)
		grid_put(grid, row, column + length / parts, style,
			eighth(length % parts));
}

/* Where AMOUNT of WHOLE ends, in eighths of WIDTH cells. */
static int eighths_of(uint64_t amount, uint64_t whole, int width)
{
	return (int)((double)amount / (double)whole * width * 8 + 0.5);
}

/* A part begins with a new cell, because a cell has one colour. So a thin part that ends in a
   cell that is taken moves on to the next one. */
void grid_stack(struct grid *grid, int row, int column, int width,
	const struct grid_part *parts, int n)
{
	uint64_t whole = 0, before = 0;
	int cell = 0; /* the next that is free */

	for (int i = 0; i < n; i++)
		whole += parts[i].amount;
	for (int i = 0; i < n && whole > 0 && width > 0; i++) {
		int from = eighths_of(before, whole, width);
		int to = eighths_of(before + parts[i].amount, whole, width);
		bool is_last = before + parts[i].amount == whole;
		before += parts[i].amount;
		if (grid->ascii || is_last)
			to = (to + 4) / 8 * 8; /* whole cells, the last to the end */
		int rest = to / 8 >= cell ? to % 8 : (to - from) % 8;
		for (; cell < to / 8; cell++)
			grid_put(grid, row, column + cell, parts[i].style,
				grid_glyph(grid, parts[i].glyph));
		if (rest > 0 && to > from && cell < width)
			grid_put(
				grid, row, column + cell++, parts[i].style, eighth(rest));
	}
}

void grid_spark(
	struct grid *grid, int row, int column, double fraction, struct style style)
{
	static const char *const unicode[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {" ", ".", ".", ":", ":", "-", "=", "#", "#"};
	int level = (int)(clamp_fraction(fraction) * 8 + 0.5);

	if (level == 0 && fraction > 0)
		level = 1;
	grid_put(grid, row, column, style, grid->ascii ? ascii[level] : unicode[level]);
}

void grid_box(struct grid *grid, int row, int column, int rows, int columns,
	struct style style, const char *title)
{
	int last_row = row + rows - 1, last_column = column + columns - 1;

	if (rows < 1 || columns < 1)
		return;
	grid_fill(grid, row, column, rows, columns, style);
	for (int c = column; c <= last_column; c++) {
		grid_put(grid, row, c, style, grid_glyph(grid, GLYPH_HORIZONTAL));
		grid_put(grid, last_row, c, style, grid_glyph(grid, GLYPH_HORIZONTAL));
	}
	for (int r = row; r <= last_row; r++) {
		grid_put(grid, r, column, style, grid_glyph(grid, GLYPH_VERTICAL));
		grid_put(grid, r, last_column, style, grid_glyph(grid, GLYPH_VERTICAL));
	}
	grid_put(grid, row, column, style, grid_glyph(grid, GLYPH_TOP_LEFT));
	grid_put(grid, row, last_column, style, grid_glyph(grid, GLYPH_TOP_RIGHT));
	grid_put(grid, last_row, column, style, grid_glyph(grid, GLYPH_BOTTOM_LEFT));
	grid_put(
		grid, last_row, last_column, style, grid_glyph(grid, GLYPH_BOTTOM_RIGHT));
	if (title && columns > 6) {
		int width = grid_text_width(title);
		width = width < columns - 6 ? width : columns - 6;
		grid_put(grid, row, column + 2, style, " ");
		grid_put_field(grid, row, column + 3, width, ALIGN_LEFT, style, title);
		grid_put(grid, row, column + 3 + width, style, " ");
	}
}

const char *grid_glyph(const struct grid *grid, enum glyph glyph)
{
	return grid->ascii ? glyphs[glyph].ascii : glyphs[glyph].unicode;
}

const struct cell *grid_cell(const struct grid *grid, int row, int column)
{
	if (row < 0 || row >= grid->rows || column < 0 || column >= grid->columns)
		return NULL;
	return cell_at(grid, row, column);
}
