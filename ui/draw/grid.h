/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid: a rectangle of character cells, and the functions that draw into it.
 *
 * Views draw here and never see a terminal; a back end shows the cells, a test dumps
 * them. Any position and width may be given: what lies outside the grid is not drawn.
 * Text is UTF-8. A cell holds one character with its combining marks; a character two
 * columns wide takes two cells, and overwriting one half of it blanks the other. In an
 * ASCII grid, glyphs and bars become ASCII and every other character '?', so no view
 * needs to ask.
 *
 * Columns are counted by wcwidth: the caller's locale must be a UTF-8 one, or the grid
 * ASCII. Control characters and broken UTF-8 are shown as '?'. One thread.
 */
#ifndef CPROFTOP_UI_GRID_H
#define CPROFTOP_UI_GRID_H

#include "ui/draw/theme.h"

#include <stdbool.h>
#include <stdio.h>

enum {
	CELL_TEXT_MAX = 21 /* bytes, NUL included; marks that do not fit are left out */
};

struct cell {
	char text[CELL_TEXT_MAX]; /* "" in the right half of a wide character */
	uint8_t width;		  /* 1, 2, or 0 for that right half */
	struct style style;
};

/* A grid, or a part of another one, whose cells it borrows. */
struct grid {
	struct cell *cells;
	int rows, columns;
	int stride; /* cells from one row to the next */
	bool ascii;
	bool owns_cells;
};

enum align {
	ALIGN_LEFT,
	ALIGN_RIGHT,
	ALIGN_CENTRE
};

enum glyph {
	GLYPH_ELLIPSIS,	  /* … ~ : something was left out */
	GLYPH_UP,	  /* ▲ ^ : sorted upwards, more above */
	GLYPH_DOWN,	  /* ▼ v : sorted downwards, more below */
	GLYPH_RIGHT,	  /* ▶ > */
	GLYPH_LEFT,	  /* ◀ < */
	GLYPH_VERTICAL,	  /* │ | */
	GLYPH_HORIZONTAL, /* ─ - */
	GLYPH_EDGE,	  /* ▏ | : where a cell begins */
	GLYPH_TOP_LEFT,	  /* ┌ + and the other corners */
	GLYPH_TOP_RIGHT,
	GLYPH_BOTTOM_LEFT,
	GLYPH_BOTTOM_RIGHT,
	GLYPH_BULLET,	/* • * */
	GLYPH_CHECK,	/* ✓ x */
	GLYPH_MICRO,	/* µ u : as in µs */
	GLYPH_BAR_FULL, /* █ # : the parts of a stacked bar: */
	GLYPH_BAR_HALF, /* ▒ = : different without colours, too */
	GLYPH_BAR_LOW,	/* · . */
	GLYPH_COUNT
};

void grid_init(struct grid *grid, int rows, int columns, bool ascii); /* all blank */
void grid_finish(struct grid *grid);
void grid_resize(struct grid *grid, int rows, int columns); /* all blank again */

/* The rectangle inside GRID, clipped to it, with (0, 0) at its corner; it borrows the
   cells and needs no finish. */
struct grid grid_part(
	const struct grid *grid, int row, int column, int rows, int columns);

/* Blanks with STYLE. */
void grid_fill(struct grid *grid, int row, int column, int rows, int columns,
	struct style style);

/* Change the style and keep the text, as for a cursor row or a match. */
void grid_restyle(struct grid *grid, int row, int column, int rows, int columns,
	struct style style);

/* Draw TEXT, clipped at the grid's right edge. All return the column after the text, as
   if nothing had been clipped, so that pieces can be put one after the other. */
int grid_put(
	struct grid *grid, int row, int column, struct style style, const char *text);
int grid_printf(struct grid *grid, int row, int column, struct style style,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Draw TEXT into a field of exactly WIDTH columns, padded with blanks; a text that is too
   long ends in an ellipsis. Returns COLUMN + WIDTH. */
int grid_put_field(struct grid *grid, int row, int column, int width, enum align align,
	struct style style, const char *text);

/* A horizontal bar: FRACTION (0 to 1) of WIDTH columns, in eighths of a column where the
   grid is not ASCII; the rest is blank. */
void grid_bar(struct grid *grid, int row, int column, int width, double fraction,
	struct style style);

/* Draw a bar of N parts beside each other, in proportion to their amounts; together they
   fill WIDTH. Each is drawn to an eighth of a cell, and what is less is not drawn. */
struct grid_part {
	uint64_t amount;
	enum glyph glyph;
	struct style style;
};
void grid_stack(struct grid *grid, int row, int column, int width,
	const struct grid_part *parts, int n);

/* One column of a sparkline, FRACTION (0 to 1) high. Above 0 something always shows. */
void grid_spark(
	struct grid *grid, int row, int column, double fraction, struct style style);

/* A box along the rectangle's edge, its inside blank; TITLE in the top edge unless
   NULL. */
void grid_box(struct grid *grid, int row, int column, int rows, int columns,
	struct style style, const char *title);

/* The glyph as this grid writes it: always one column. */
const char *grid_glyph(const struct grid *grid, enum glyph glyph);

/* The cell, or NULL outside. */
const struct cell *grid_cell(const struct grid *grid, int row, int column);

/* The number of columns that TEXT takes. */
int grid_text_width(const char *text);

/* The rows as lines, without the blanks at their ends. */
void grid_dump(const struct grid *grid, FILE *out);

/* The same, and below each row the styles in it that are not ROLE_NORMAL without
   attributes, as `column+length role[,bold]...`. */
void grid_dump_styles(const struct grid *grid, FILE *out);

#endif
