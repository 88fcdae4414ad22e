/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/terminal.h"

#include <stdlib.h>

enum {
	SCRIPT_ROWS = 24,
	SCRIPT_COLUMNS = 80,
	BATCH_ROWS = 50,
	BATCH_COLUMNS = 100,
	SIZE_LEAST = 10,
	SIZE_MOST = 1000,
};

/* What $COLUMNS or $LINES says, as top -b heeds them; DEFAULT_SIZE if it is not set. */
static int size_of(const char *text, int default_size)
{
	long size = text ? strtol(text, NULL, 10) : 0;
	return size >= SIZE_LEAST && size <= SIZE_MOST ? (int)size : default_size;
}

bool terminal_open(
	struct terminal *terminal, const struct options *options, struct error *err)
{
	struct term_options how = {
		.ascii = options->ascii,
		.no_colour = options->no_color,
		.mouse = !options->no_mouse,
	};
	if (options->batch) {
		terminal->script = script_batch(options->delay_s, options->iterations);
		terminal->term =
			term_headless_create(size_of(getenv("LINES"), BATCH_ROWS),
				size_of(getenv("COLUMNS"), BATCH_COLUMNS), &how);
		return true;
	}
	if (!options->ui_script) {
		terminal->term = term_curses_create(&how, err);
		return terminal->term != NULL;
	}
	terminal->script = script_open(options->ui_script, err);
	if (terminal->script)
		terminal->term = term_headless_create(SCRIPT_ROWS, SCRIPT_COLUMNS, &how);
	return terminal->script != NULL;
}

void terminal_close(struct terminal *terminal)
{
	term_destroy(terminal->term);
	script_close(terminal->script);
	*terminal = (struct terminal){0};
}
