/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying what is selected to the clipboard of the person's terminal (screen.h). */
#include "src/base/clean.h"
#include "ui/screen/app.h"
#include "ui/screen/screen.h"
#include "ui/term/osc52.h"

#include <stdlib.h>
#include <string.h>

/* TEXT is cleaned once more: whatever a terminal pastes somewhere, it is printable. */
static void copy(struct screen *screen, const char *text)
{
	char cleaned[CLEAN_MAX];
	size_t size;

	clean_text(cleaned, sizeof(cleaned), text, strlen(text));
	char *bytes = osc52_make(screen->options->copy_through, cleaned, &size);
	if (!bytes)
		return;
	screen->term->ops->send(screen->term, bytes, size);
	free(bytes);
	screen_say(screen, ROLE_STATUS, "copied%s: %s",
		screen->options->copy_through == OSC52_TMUX
			? " (if tmux has set-clipboard on)"
			: "",
		cleaned);
}

static void copy_name(struct screen *screen)
{
	const struct function *function = screen_selected(screen);

	if (function)
		copy(screen, function->name);
	else
		screen_say(screen, ROLE_WARN, "select a function first");
}

/* Where the view is that has the keys. */
static struct pane active_pane(const struct screen *screen)
{
	struct pane panes[PANES_MAX];
	size_t n = screen_panes(screen, panes), i = 0;

	while (i + 1 < n && panes[i].view != screen->shown)
		i++;
	return panes[i];
}

/* The row of the view in GRID with the cursor; -1 if the view marks none. */
static int cursor_row(const struct grid *grid)
{
	for (int row = 0; row < grid->rows; row++) {
		const struct cell *first = grid_cell(grid, row, 0);
		if (first && first->style.role == ROLE_CURSOR)
			return row;
	}
	return -1;
}

/* The text of ROW, with two blanks between columns. */
static void read_row(const struct grid *grid, int row, char *text, size_t size)
{
	size_t used = 0;
	int blanks = 0;

	for (int column = 0; column < grid->columns; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		size_t length = strlen(cell->text);
		if (strcmp(cell->text, " ") == 0 || length == 0) {
			blanks += cell->width > 0;
			continue;
		}
		if (used + length + 3 > size)
			break;
		for (int i = 0; i < 2 && i < blanks && used > 0; i++)
			text[used++] = ' ';
		blanks = 0;
		memcpy(text + used, cell->text, length);
		used += length;
	}
	text[used] = '\0';
}

/* The row with the cursor, "" if the view marks none. The view is drawn for this, because
   what is on the screen may be something above it: the palette, where the copy was asked
   for. */
static void read_cursor_row(const struct screen *screen, char *text, size_t size)
{
	const struct pane pane = active_pane(screen);
	struct grid grid;

	text[0] = '\0';
	if (!screen->report)
		return;
	grid_init(&grid, screen->layout.body_rows, pane.columns, screen->grid.ascii);
	screen_view(screen)->draw(
		screen->view_data[screen->shown], &screen->state, screen->report, &grid);
	int row = cursor_row(&grid);
	if (row >= 0)
		read_row(&grid, row, text, size);
	grid_finish(&grid);
}

/* A view that marks no row, such as the flame graph, says in its status line what is
   selected. */
static void copy_row(struct screen *screen)
{
	const struct view_ops *view = screen_view(screen);
	char text[CLEAN_MAX];

	read_cursor_row(screen, text, sizeof(text));
	if (!text[0] && screen->report && view->status)
		view->status(screen->view_data[screen->shown], &screen->state,
			screen->report, text, sizeof(text));
	if (text[0])
		copy(screen, text);
	else
		screen_say(screen, ROLE_WARN, "there is no row to copy");
}

void screen_copy(struct screen *screen, enum action action)
{
	if (action == ACTION_COPY_ROW)
		copy_row(screen);
	else
		copy_name(screen);
}
