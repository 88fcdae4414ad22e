/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected function in the person's editor, on this terminal (screen.h). */
#include "src/editor/editor.h"
#include "ui/screen/screen.h"
#include "ui/view/source-place.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The launched command goes on, so somebody has to read what it writes. */
static void meanwhile(void *context)
{
	struct screen *screen = context;

	if (screen->output && !screen->output->closed && screen->output_fd >= 0)
		output_read(screen->output, screen->output_fd);
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

/* What can be opened of FUNCTION; if nothing, say why. */
static bool has_source(struct screen *screen, const struct function *function,
	const struct source_at *at)
{
	if (!screen->term->ops->leave)
		screen_say(screen, ROLE_WARN, "an editor needs a terminal");
	else if (!function)
		screen_say(screen, ROLE_WARN, "select a function first");
	else if (at->file[0] != '/')
		screen_say(screen, ROLE_WARN,
			"%s: its source is not known: no debug information, or not yet "
			"read",
			function->name);
	else if (access(at->file, F_OK) != 0)
		screen_say(screen, ROLE_WARN, "%s: %s (%s)", function->name, at->file,
			strerror(errno));
	else
		return true;
	return false;
}

void screen_edit(struct screen *screen)
{
	const struct function *function = screen_selected(screen);
	const struct editor editor = {
		.command = screen->editor,
		.meanwhile = meanwhile,
		.stop = stop,
		.context = screen,
	};
	struct error err;

	struct source_at at = {""};
	if (function)
		at = source_place_of(screen->report, screen->state.function);
	if (!has_source(screen, function, &at))
		return;
	screen->term->ops->leave(screen->term);
	bool done = editor_run(&editor, at.file, at.line, &err);
	screen->term->ops->enter(screen->term);
	if (!done)
		screen_say(screen, ROLE_WARN, "%s", err.text);
}
