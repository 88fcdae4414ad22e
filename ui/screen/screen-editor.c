/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected function in the person's editor, on this terminal (screen.h). */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "ui/editor/editor.h"
#include "ui/screen/app.h"
#include "ui/screen/screen.h"
#include "ui/view/source-place.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a key may wait for a file to be found. */
#define PATIENCE_NS (300 * NS_PER_MS)

/* The launched command goes on, so somebody has to read what it writes; and `cproftop ctl` may
   ask for something. */
static void meanwhile(void *context)
{
	struct screen *screen = context;
	const struct app_options *options = screen->options;

	if (screen->output && !screen->output->closed && options->output_fd >= 0)
		output_read(screen->output, options->output_fd);
	if (options->control)
		options->control(options->control_context);
}

/* Ctrl-Z in the editor: the shell waits for us, so we must stop, too. */
static void stop(void *context)
{
	struct screen *screen = context;
	struct source *source = screen->source;

	if (source->hold)
		source->hold(source->context, true);
	kill(getpid(), SIGSTOP);
	if (source->hold)
		source->hold(source->context, false);
}

/* The file that debug information calls PATH, where --source-map and --source-dir have it; to
   be freed. If it is not found, say why. */
static char *find_file(
	struct screen *screen, const struct function *function, const char *path)
{
	struct source_reader *sources = screen->options->sources;
	const struct source_file *file = NULL;
	char why[SOURCE_WHY_MAX] = "";
	enum source_state state = SOURCE_MISSING;

	if (sources)
		state = source_reader_ask(sources, path, "", &file, why);
	if (state == SOURCE_PENDING) {
		source_reader_wait(sources, PATIENCE_NS);
		state = source_reader_ask(sources, path, "", &file, why);
	}
	if (state == SOURCE_FOUND) {
		char *found = mem_strdup(source_file_path(file));
		source_file_unref(file);
		return found;
	}
	if (state == SOURCE_PENDING) {
		screen_say(screen, ROLE_WARN,
			"%s: its source is still looked for: try again", function->name);
		return NULL;
	}
	/* An editor may show what is too large for us. */
	if (path[0] == '/' && access(path, F_OK) == 0)
		return mem_strdup(path);
	if (!why[0])
		snprintf(why, sizeof(why), "%s: not there", path);
	screen_say(screen, ROLE_WARN,
		"%s: its source is not found: %.*s (--source-dir DIR)", function->name,
		(int)strcspn(why, "\n"), why);
	return NULL;
}

/* What can be opened of FUNCTION, to be freed; if nothing, say why. */
static char *find_source(struct screen *screen, const struct function *function,
	const struct source_at *at)
{
	if (!screen->term->ops->leave)
		screen_say(screen, ROLE_WARN, "an editor needs a terminal");
	else if (!function)
		screen_say(screen, ROLE_WARN, "select a function first");
	else if (at->file[0] == '\0')
		screen_say(screen, ROLE_WARN,
			"%s: its source is not known: no debug information, or not yet "
			"read",
			function->name);
	else
		return find_file(screen, function, at->file);
	return NULL;
}

void screen_edit(struct screen *screen)
{
	const struct app_options *options = screen->options;
	const struct function *function = screen_selected(screen);
	bool has_editor = options->editor && options->editor[0];
	const struct editor editor = {
		.command = has_editor ? options->editor : "vi",
		.caller = options->caller,
		.meanwhile = meanwhile,
		.stop = stop,
		.context = screen,
	};
	struct source_at at = {""};
	struct error err;

	if (function)
		at = source_place_of(screen->report, screen->state.function);
	char *file = find_source(screen, function, &at);
	if (!file)
		return;
	screen->term->ops->leave(screen->term);
	bool done = editor_run(&editor, file, at.line, &err);
	screen->term->ops->enter(screen->term);
	if (!done)
		screen_say(screen, ROLE_WARN, "%s", err.text);
	free(file);
}
