/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-to-svg: a picture of a screen that grid_dump_styles wrote.
 *
 *	screen-to-svg [--light] [--256|--16] < tests/golden/screens/flame-80x24.txt > flame.svg
 *
 * For README's pictures and for looking at a golden screen. The colours are the theme's
 * own, for a terminal with any colour or with so many. Every character is placed by itself, so that a viewer's
 * font cannot shift the columns.
 */
#include "src/base/mem.h"
#include "ui/draw/grid.h"
#include "ui/draw/oklch.h"
#include "ui/draw/utf8.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELL_WIDTH = 8,
	CELL_HEIGHT = 17,
	MARGIN = 10,
	ROWS_MAX = 500
};

struct colours {
	struct theme theme;
	unsigned foreground, background; /* of the terminal, 0xrrggbb */
};

/* The first sixteen, as xterm has them. */
static unsigned colour_of(int32_t colour, const struct theme *theme, unsigned own)
{
	static const unsigned first[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
		0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

	if (colour < 0)
		return own;
	if (theme->depth == DEPTH_RGB)
		return (unsigned)colour;
	return colour < 16 ? first[colour] : rgb_of_256(colour);
}

static bool role_by_name(const char *name, size_t length, uint8_t *role)
{
	char candidate[THEME_ROLE_NAME_MAX];

	for (uint8_t i = 0; i < ROLE_COUNT; i++) {
		theme_role_name((enum role)i, candidate);
		if (strlen(candidate) == length &&
			strncmp(candidate, name, length) == 0) {
			*role = i;
			return true;
		}
	}
	return false;
}

struct run {
	int start, length;
	struct style style;
};

/* One "16+9 bar,bold"; returns what follows, or NULL if it is none. */
static const char *parse_run(const char *text, struct run *run)
{
	static const struct {
		const char *name;
		uint8_t attribute;
	} attributes[] = {{"bold", ATTR_BOLD}, {"underline", ATTR_UNDERLINE},
		{"reverse", ATTR_REVERSE}, {"dim", ATTR_DIM}};
	int used = 0;

	if (sscanf(text, "%d+%d %n", &run->start, &run->length, &used) < 2 || used == 0)
		return NULL;
	text += used;
	size_t length = strcspn(text, ",;\n");
	run->style = STYLE(ROLE_NORMAL);
	if (!role_by_name(text, length, &run->style.role))
		return NULL;
	for (text += length; *text == ','; text += length) {
		text++;
		length = strcspn(text, ",;\n");
		for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
			if (strncmp(attributes[i].name, text, length) == 0)
				run->style.attributes |= attributes[i].attribute;
	}
	return *text == ';' ? text + 2 : text;
}

static bool is_style_line(const char *line)
{
	struct run run;
	const char *rest = line + 3;

	if (strncmp(line, "   ", 3) != 0)
		return false;
	while (rest && *rest != '\0' && *rest != '\n')
		rest = parse_run(rest, &run);
	return rest != NULL && rest != line + 3;
}

static struct paint paint_of(struct style style, const struct colours *own)
{
	struct paint paint = theme_paint(&own->theme, (enum role)style.role);
	paint.attributes |= style.attributes;
	return paint;
}

static void swap_if_reverse(const struct paint *paint, const struct colours *own,
	unsigned *foreground, unsigned *background)
{
	*foreground = colour_of(paint->foreground, &own->theme, own->foreground);
	*background = colour_of(paint->background, &own->theme, own->background);
	if (paint->attributes & ATTR_REVERSE) {
		unsigned swap = *foreground;
		*foreground = *background;
		*background = swap;
	}
}

static void write_escaped(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '<')
			fputs("&lt;", stdout);
		else if (text[i] == '&')
			fputs("&amp;", stdout);
		else
			putchar(text[i]);
	}
}

/* Eighths of a block, as rectangles: fonts draw them with gaps. */
static bool draw_block(uint32_t code, int x, int y, unsigned colour)
{
	double width = CELL_WIDTH, height = CELL_HEIGHT;

	if (code >= 0x2581 && code <= 0x2588) /* lower eighths and the full block */
		height = CELL_HEIGHT * (double)(code - 0x2580) / 8;
	else if (code >= 0x2589 && code <= 0x258f) /* left eighths */
		width = CELL_WIDTH * (double)(0x2590 - code) / 8;
	else
		return false;
	printf("<rect x='%d' y='%.2f' width='%.2f' height='%.2f' fill='#%06x'/>\n", x,
		y + CELL_HEIGHT - height, width, height, colour);
	return true;
}

/* A word of plain characters goes out as one text that is told how long it is; anything
   else character by character. Returns the bytes at TEXT that belong together. */
static size_t word_length(const char *text, const struct style *styles)
{
	size_t length = 0;

	while (text[length] > ' ' && text[length] < 0x7f &&
		memcmp(&styles[length], &styles[0], sizeof(styles[0])) == 0)
		length++;
	return length > 0 ? length : utf8_decode(text, strlen(text)).length;
}

static void write_text(const char *text, size_t length, int columns, int x, int y,
	struct paint paint, unsigned colour)
{
	printf("<text x='%d' y='%d' fill='#%06x'", x, y + 13, colour);
	if (columns > 1)
		printf(" textLength='%d'", columns * CELL_WIDTH);
	if (paint.attributes & ATTR_BOLD)
		printf(" font-weight='bold'");
	if (paint.attributes & ATTR_UNDERLINE)
		printf(" text-decoration='underline'");
	putchar('>');
	write_escaped(text, length);
	puts("</text>");
}

static void draw_row(
	const char *text, const struct style *styles, int row, const struct colours *own)
{
	int column = 0;

	while (*text != '\0') {
		size_t length = word_length(text, styles + column);
		struct utf8 c = utf8_decode(text, strlen(text));
		int columns = length > c.length ? (int)length : utf8_columns(c.code);
		int x = MARGIN + column * CELL_WIDTH, y = MARGIN + row * CELL_HEIGHT;
		struct paint paint = paint_of(styles[column], own);
		unsigned foreground, background;

		swap_if_reverse(&paint, own, &foreground, &background);
		if (c.code != ' ' && !draw_block(c.code, x, y, foreground))
			write_text(text, length, columns, x, y, paint, foreground);
		column += columns > 0 ? columns : 0;
		text += length;
	}
}

static void draw_backgrounds(
	const struct style *styles, int columns, int row, const struct colours *own)
{
	for (int start = 0, end; start < columns; start = end) {
		struct paint paint = paint_of(styles[start], own);
		unsigned foreground, background;

		for (end = start + 1; end < columns; end++)
			if (memcmp(&styles[end], &styles[start], sizeof(styles[0])) != 0)
				break;
		swap_if_reverse(&paint, own, &foreground, &background);
		if (background != own->background)
			printf("<rect x='%d' y='%d' width='%d' height='%d' "
			       "fill='#%06x'/>\n",
				MARGIN + start * CELL_WIDTH, MARGIN + row * CELL_HEIGHT,
				(end - start) * CELL_WIDTH, CELL_HEIGHT, background);
	}
}

struct screen {
	char *rows[ROWS_MAX];
	struct style *styles[ROWS_MAX];
	int n_rows, columns;
};

/* Rows and their styles; how wide it is only the styles and the longest row tell. */
static void read_screen(struct screen *screen)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		struct run run;
		if (!is_style_line(line)) {
			if (screen->n_rows == ROWS_MAX)
				break;
			line[strcspn(line, "\n")] = '\0';
			screen->rows[screen->n_rows] = mem_strdup(line);
			screen->styles[screen->n_rows++] =
				mem_zalloc(4096 * sizeof(struct style));
			int width = grid_text_width(line);
			screen->columns =
				width > screen->columns ? width : screen->columns;
			continue;
		}
		for (const char *rest = line + 3;
			screen->n_rows > 0 && *rest && *rest != '\n';) {
			rest = parse_run(rest, &run);
			int end = run.start + run.length;
			if (run.start < 0 || end > 4096)
				continue;
			for (int i = run.start; i < end; i++)
				screen->styles[screen->n_rows - 1][i] = run.style;
			screen->columns = end > screen->columns ? end : screen->columns;
		}
	}
	free(line);
}

int main(int argc, char **argv)
{
	static struct screen screen;
	struct colours own = {{DEPTH_RGB, GROUND_DARK}, 0xd4d4d4, 0x16181d};

	setlocale(LC_ALL, "C.UTF-8");
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--light") == 0) {
			own.theme.ground = GROUND_LIGHT;
			own.foreground = 0x24292f;
			own.background = 0xffffff;
		} else if (strcmp(argv[i], "--256") == 0)
			own.theme.depth = DEPTH_256;
		else if (strcmp(argv[i], "--16") == 0)
			own.theme.depth = DEPTH_16;
	}
	read_screen(&screen);

	int width = screen.columns * CELL_WIDTH + 2 * MARGIN;
	int height = screen.n_rows * CELL_HEIGHT + 2 * MARGIN;
	printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
	       "height='%d' font-family='DejaVu Sans Mono, Menlo, Consolas, monospace' "
	       "font-size='13.3' xml:space='preserve'>\n"
	       "<rect width='100%%' height='100%%' rx='6' fill='#%06x'/>\n",
		width, height, width, height, own.background);
	for (int row = 0; row < screen.n_rows; row++)
		draw_backgrounds(screen.styles[row], screen.columns, row, &own);
	for (int row = 0; row < screen.n_rows; row++) {
		draw_row(screen.rows[row], screen.styles[row], row, &own);
		free(screen.rows[row]);
		free(screen.styles[row]);
	}
	puts("</svg>");
	return 0;
}
