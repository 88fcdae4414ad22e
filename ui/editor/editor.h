/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * editor: run a person's editor on our terminal, and wait for its end.
 *
 * Which file it opens was said by the target's debug information, so it might be any: the
 * editor gets no right that the person does not have anyway. Where sudo made us root, it runs
 * as the user who called sudo (src/base/invoker.h), with that user's groups and home.
 *
 * Ctrl-C, Ctrl-\ and Ctrl-Z are the editor's meanwhile. Main thread.
 */
#ifndef CPROFTOP_EDITOR_H
#define CPROFTOP_EDITOR_H

#include "src/base/error.h"
#include "src/base/rights/caller-state.h"

#include <stdbool.h>

struct editor {
	const char *command; /* as VISUAL and EDITOR have it; may have arguments */
	const struct caller_state *caller; /* whose limits it gets; NULL: ours */
	/* Called ten times a second while the editor runs; NULL: nothing. */
	void (*meanwhile)(void *context);
	/* The editor has been stopped, as by Ctrl-Z: stop, and return when continued. */
	void (*stop)(void *context);
	void *context;
};

/* False and ERR if it could not be started, or failed. FILE is absolute; LINE 0: not
   known. */
bool editor_run(
	const struct editor *editor, const char *file, unsigned line, struct error *err);

#endif
