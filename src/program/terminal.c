/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/terminal.h"

enum {
	SCRIPT_ROWS = 24,
	SCRIPT_COLUMNS = 80
};

bool terminal_open(
	struct terminal *terminal, const struct options *options, struct error *err)
{
	struct term_options how = {
		.ascii = options->ascii,
		.no_colour = options->no_color,
		.mouse = !options->no_mouse,
	};
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
