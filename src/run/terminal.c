/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

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

static enum term_colours colours_of(const struct options *options)
{
	static const enum term_colours colours[] = {
		[COLORS_AUTO] = TERM_COLOURS_AUTO,
		[COLORS_NONE] = TERM_COLOURS_NONE,
		[COLORS_8] = TERM_COLOURS_8,
		[COLORS_16] = TERM_COLOURS_16,
		[COLORS_256] = TERM_COLOURS_256,
		[COLORS_RGB] = TERM_COLOURS_RGB,
	};
	return options->no_color ? TERM_COLOURS_NONE : colours[options->colors];
}

static enum theme_ground ground_of(const struct options *options)
{
	static const enum theme_ground grounds[] = {
		[THEME_AUTO] = GROUND_UNKNOWN,
		[THEME_DARK] = GROUND_DARK,
		[THEME_LIGHT] = GROUND_LIGHT,
	};
	return grounds[options->theme];
}

bool terminal_possible(const struct options *options, struct error *err)
{
	return options->batch || options->ui_script || term_curses_possible(err);
}

bool terminal_open(
	struct terminal *terminal, const struct options *options, struct error *err)
{
	struct term_options how = {
		/* Elsewhere the width of other characters is not known, either. */
		.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
		.colours = colours_of(options),
		.ground = ground_of(options),
		.mouse = !options->no_mouse,
		.sync = !options->no_sync,
	};
	if (terminal->term)
		return true;
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

struct app_options terminal_app(
	const struct terminal *terminal, const struct options *options)
{
	const char *visual = getenv("VISUAL");
	return (struct app_options){
		.filter = options->focus,
		.ignore = options->ignore,
		.thread_pattern = options->threads,
		.naming = options->naming,
		.view = options->view,
		.side_by_side = options->side_by_side,
		.looks =
			{
				.hidden_columns = options->hidden_columns,
				.min_share = options->min_share,
				.pools = options->pools,
				.flipped = options->flipped,
				.ascii = options->ascii,
				.no_color = options->no_color,
				.no_mouse = options->no_mouse,
				.no_sync = options->no_sync,
				.ground = ground_of(options),
			},
		.settings = options->settings,
		.editor = visual && visual[0] ? visual : getenv("EDITOR"),
		.copy_through =
			osc52_through(getenv("TMUX"), getenv("STY"), getenv("TERM")),
		.output_fd = -1,
		.script = terminal->script,
		.notice = options->notice,
	};
}

void terminal_close(struct terminal *terminal)
{
	term_destroy(terminal->term);
	script_close(terminal->script);
	*terminal = (struct terminal){0};
}

void terminal_guard(const struct terminal *terminal, struct session *session)
{
	struct term_restoration how;
	if (!term_restoration(terminal->term, &how))
		return;
	struct guarded_terminal guarded = {
		.in_fd = how.in_fd,
		.out_fd = how.out_fd,
		.n_bytes = how.n_bytes,
		.before = how.before,
		.ours = how.ours,
	};
	memcpy(guarded.bytes, how.bytes, how.n_bytes);
	session_guard_terminal(session, &guarded);
}
