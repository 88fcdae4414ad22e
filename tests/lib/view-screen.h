/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view-screen: a view with the fixture's report, without the rest of the screen.
 *
 * Does for a view what the application does: calls prepare first, and builds a new report
 * when the request has changed. For unit tests; single thread.
 */
#ifndef CPROFTOP_TESTS_VIEW_SCREEN_H
#define CPROFTOP_TESTS_VIEW_SCREEN_H

#include "tests/lib/fixture.h"
#include "ui/view/view.h"

#include <stdbool.h>

struct view_screen {
	struct fixture fixture;
	struct report *report;
	struct view_state state;
	const struct view_ops *view;
	void *data;
	struct grid grid;
};

void view_screen_open(struct view_screen *screen, const struct view_ops *view, int rows,
	int columns, bool ascii);
void view_screen_close(struct view_screen *screen);

void view_screen_prepare(struct view_screen *screen);
void view_screen_draw(struct view_screen *screen); /* into screen->grid */
bool view_screen_act(struct view_screen *screen, enum action action);

/* Build the report that state.request asks for. */
void view_screen_report(struct view_screen *screen);

/* The rows as text; the caller frees it. */
char *view_screen_text(struct view_screen *screen);

/* The text of the status line; and the name of the selected function, or "(none)". Valid
   until the next call. */
const char *view_screen_status(struct view_screen *screen);
const char *view_screen_selected(struct view_screen *screen);

/* In the threads view: name the threads as a program with pools has them, group them,
   open the pool worker-* (worker-1, worker-2 and worker-12), tag worker-1 and stop on
   worker-2. */
void view_screen_open_pool(struct view_screen *screen);

#endif
