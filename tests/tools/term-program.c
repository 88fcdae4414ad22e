/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows what the curses back end makes of roles, characters and events, for tests that
 * look at it through a real terminal (unit-term.c). Commands: q ends, a aborts, s is a
 * segmentation fault, m runs out of memory, Ctrl-Z suspends, r redraws; l and u are a light
 * background and one that the terminal is to tell.
 */
#include "src/base/mem.h"
#include "ui/keys/key.h"
#include "ui/term/term.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the mouse did last: the next event may come before anybody has looked. */
static char trail[3][32];

static void draw(struct grid *grid, const char *event, int events)
{
	grid_fill(grid, 0, 0, grid->rows, grid->columns, STYLE(ROLE_NORMAL));
	grid_printf(grid, 0, 0, STYLE(ROLE_NORMAL), "%d %s", events, event);
	grid_printf(
		grid, 1, 0, STYLE(ROLE_NORMAL), "size %d %d", grid->rows, grid->columns);
	grid_printf(
		grid, 3, 0, STYLE(ROLE_NORMAL), "%s%s%s", trail[0], trail[1], trail[2]);
	grid_put(grid, 2, 0, STYLE(ROLE_NORMAL), "wide 日本 mark e\u0301 end");
	for (enum role role = 0; role < ROLE_COUNT; role++)
		grid_put(grid, 5 + (int)role / grid->columns, (int)role % grid->columns,
			STYLE(role), "x");
	grid_put(grid, 4, 0, STYLE(ROLE_NORMAL, ATTR_UNDERLINE | ATTR_REVERSE), "both");
	grid_put(grid, grid->rows - 1, grid->columns - 6, STYLE(ROLE_NORMAL), "corner");
}

static void obey(struct term *term, uint32_t key)
{
	if (key == 'a')
		abort();
	else if (key == 's')
		raise(SIGSEGV);
	else if (key == 'm')
		mem_alloc((size_t)1 << 62);
	else if (key == 'r')
		term->ops->redraw(term);
	else if (key == 'l')
		term->ops->set_ground(term, GROUND_LIGHT);
	else if (key == 'u')
		term->ops->set_ground(term, GROUND_UNKNOWN);
	else if (key == K_CTRL('Z'))
		term->ops->suspend(term);
}

static void describe(
	struct term *term, const struct term_event *event, char *out, size_t size)
{
	static const char *const mice[] = {
		"left", "double", "right", "drag", "release", "up", "down"};
	char name[KEY_NAME_MAX];

	switch (event->kind) {
	case EVENT_KEY:
		key_describe(event->key, name);
		snprintf(out, size, "key %s.", name);
		obey(term, event->key);
		break;
	case EVENT_MOUSE:
		memmove(trail[0], trail[1], 2 * sizeof(trail[0]));
		snprintf(trail[2], sizeof(trail[2]), "mouse %s %d %d.",
			mice[event->mouse], event->row, event->column);
		snprintf(out, size, "%s", trail[2]);
		break;
	case EVENT_RESIZE:
		snprintf(out, size, "resize.");
		break;
	case EVENT_SUSPEND:
		term->ops->suspend(term);
		snprintf(out, size, "suspended.");
		break;
	default:
		break;
	}
}

int main(int argc, char **argv)
{
	struct term_options options = {.mouse = true};
	struct term_event event = {.kind = EVENT_NONE};
	char text[64] = "ready.";
	struct error err;
	struct grid grid;
	int events = 0;

	setlocale(LC_CTYPE, "");
	for (int i = 1; i < argc; i++) {
		options.ascii |= strcmp(argv[i], "--ascii") == 0;
		options.mouse &= strcmp(argv[i], "--no-mouse") != 0;
		if (strcmp(argv[i], "--rgb") == 0)
			options.colours = TERM_COLOURS_RGB;
		else if (strcmp(argv[i], "--16") == 0)
			options.colours = TERM_COLOURS_16;
		else if (strcmp(argv[i], "--dark") == 0)
			options.ground = GROUND_DARK;
	}
	struct term *term = term_curses_create(&options, &err);
	if (!term) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	grid_init(&grid, 0, 0, term->ascii);
	while (event.kind != EVENT_QUIT &&
		!(event.kind == EVENT_KEY && event.key == 'q')) {
		int rows, columns;
		term->ops->size(term, &rows, &columns);
		grid_resize(&grid, rows, columns);
		draw(&grid, text, events);
		term->ops->blit(term, &grid, -1, 0);
		event = term->ops->event(term, -1, NULL, 0);
		if (event.kind != EVENT_NONE)
			events++;
		describe(term, &event, text, sizeof(text));
	}
	grid_finish(&grid);
	term_destroy(term);
	printf("bye\n");
	return 0;
}
