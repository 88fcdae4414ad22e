/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-to-svg: a picture of a screen.
 *
 *	screen-to-svg [--light] [--256|--16] < tests/golden/screens/flame-80x24.txt > flame.svg
 *	tmux capture-pane -e -N -p | screen-to-svg --terminal > screen.svg
 *
 * For the pictures of README and docs/SESSIONS.md, and for looking at a golden screen. What is
 * read was written by grid_dump_styles, and the colours are the theme's own, for a terminal with
 * any colour or with so many; or it is what a real terminal shows, with its own colours. Every
 * word is placed by itself, so that a viewer's font cannot shift the columns.
 */
#include "src/base/mem.h"
#include "tests/tools/terminal-row.h"
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
	ROWS_MAX = 500,
	COLUMNS_MAX = 4096
};

struct colours {
	struct theme theme;
	unsigned foreground, background; /* of the terminal, 0xrrggbb */
};

static unsigned colour_of(int32_t colour, const struct theme *theme, unsigned own)
{
	if (colour < 0)
		return own;
	return theme->depth == DEPTH_RGB ? (unsigned)colour
					 : terminal_colour((unsigned)colour);
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

static bool same_paint(struct paint a, struct paint b)
{
	return a.foreground == b.foreground && a.background == b.background &&
	       a.attributes == b.attributes;
}

/* A word of plain characters goes out as one text that is told how long it is; anything
   else character by character. Returns the bytes at TEXT that belong together. */
static size_t word_length(const char *text, const struct paint *paints)
{
	size_t length = 0;

	while (text[length] > ' ' && text[length] < 0x7f &&
		same_paint(paints[length], paints[0]))
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
	const char *text, const struct paint *paints, int row, const struct colours *own)
{
	int column = 0;

	while (*text != '\0') {
		size_t length = word_length(text, paints + column);
		struct utf8 c = utf8_decode(text, strlen(text));
		int columns = length > c.length ? (int)length : utf8_columns(c.code);
		int x = MARGIN + column * CELL_WIDTH, y = MARGIN + row * CELL_HEIGHT;
		struct paint paint = paints[column];
		unsigned foreground, background;

		swap_if_reverse(&paint, own, &foreground, &background);
		if (c.code != ' ' && !draw_block(c.code, x, y, foreground))
			write_text(text, length, columns, x, y, paint, foreground);
		column += columns > 0 ? columns : 0;
		text += length;
	}
}

static void draw_backgrounds(
	const struct paint *paints, int columns, int row, const struct colours *own)
{
	for (int start = 0, end; start < columns; start = end) {
		struct paint paint = paints[start];
		unsigned foreground, background;

		for (end = start + 1; end < columns; end++)
			if (!same_paint(paints[end], paints[start]))
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
	struct paint *paints[ROWS_MAX];
	int n_rows, columns;
};

/* A row in NORMAL; false if there are too many. */
static bool add_row(struct screen *screen, const char *text, struct paint normal)
{
	if (screen->n_rows == ROWS_MAX)
		return false;
	struct paint *paints = mem_alloc(COLUMNS_MAX * sizeof(*paints));
	for (int i = 0; i < COLUMNS_MAX; i++)
		paints[i] = normal;
	screen->rows[screen->n_rows] = mem_strdup(text);
	screen->paints[screen->n_rows++] = paints;
	int width = grid_text_width(text);
	screen->columns = width > screen->columns ? width : screen->columns;
	return true;
}

/* The runs of LINE, of the row before it. */
static void add_runs(struct screen *screen, const char *line, const struct colours *own)
{
	struct run run;

	for (const char *rest = line + 3; screen->n_rows > 0 && *rest && *rest != '\n';) {
		rest = parse_run(rest, &run);
		int end = run.start + run.length;
		if (run.start < 0 || end > COLUMNS_MAX)
			continue;
		for (int i = run.start; i < end; i++)
			screen->paints[screen->n_rows - 1][i] = paint_of(run.style, own);
		screen->columns = end > screen->columns ? end : screen->columns;
	}
}

/* Rows and their styles; how wide it is only the styles and the longest row tell. */
static void read_dump(struct screen *screen, const struct colours *own)
{
	struct paint normal = paint_of(STYLE(ROLE_NORMAL), own);
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		if (is_style_line(line)) {
			add_runs(screen, line, own);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		if (!add_row(screen, line, normal))
			break;
	}
	free(line);
}

static void read_terminal(struct screen *screen)
{
	struct paint state = TERMINAL_NORMAL;
	char *line = NULL, *text;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		text = mem_alloc(strlen(line) + 1);
		struct paint paints[COLUMNS_MAX];
		size_t n = terminal_row(line, &state, text, paints, COLUMNS_MAX);
		bool has_room = add_row(screen, text, TERMINAL_NORMAL);
		free(text);
		if (!has_room)
			break;
		memcpy(screen->paints[screen->n_rows - 1], paints, n * sizeof(*paints));
	}
	free(line);
}

int main(int argc, char **argv)
{
	static struct screen screen;
	struct colours own = {{DEPTH_RGB, GROUND_DARK}, 0xd4d4d4, 0x16181d};

	bool is_terminal = false;

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
		else if (strcmp(argv[i], "--terminal") == 0)
			is_terminal = true;
	}
	if (is_terminal)
		read_terminal(&screen);
	else
		read_dump(&screen, &own);

	int width = screen.columns * CELL_WIDTH + 2 * MARGIN;
	int height = screen.n_rows * CELL_HEIGHT + 2 * MARGIN;
	printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
	       "height='%d' font-family='DejaVu Sans Mono, Menlo, Consolas, monospace' "
	       "font-size='13.3' xml:space='preserve'>\n"
	       "<rect width='100%%' height='100%%' rx='6' fill='#%06x'/>\n",
		width, height, width, height, own.background);
	for (int row = 0; row < screen.n_rows; row++)
		draw_backgrounds(screen.paints[row], screen.columns, row, &own);
	for (int row = 0; row < screen.n_rows; row++) {
		draw_row(screen.rows[row], screen.paints[row], row, &own);
		free(screen.rows[row]);
		free(screen.paints[row]);
	}
	puts("</svg>");
	return 0;
}
