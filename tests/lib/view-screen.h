/*
 * view-screen: a view on the fixture's report, without an application around it.
 *
 * What the application does for a view - prepare before anything else, a new report when
 * the request has changed - is done here. For unit tests; single thread.
 */
#ifndef CPROFTOP_TESTS_VIEW_SCREEN_H
#define CPROFTOP_TESTS_VIEW_SCREEN_H

#include "tests/lib/fixture.h"
#include "ui/view/view.h"

#include <stdbool.h>

struct screen {
	struct fixture fixture;
	struct report *report;
	struct view_state state;
	const struct view_ops *view;
	void *own;
	struct grid grid;
};

void screen_open(struct screen *screen, const struct view_ops *view, int rows,
	int columns, bool ascii);
void screen_close(struct screen *screen);

void screen_prepare(struct screen *screen);
void screen_draw(struct screen *screen); /* into screen->grid */
bool screen_act(struct screen *screen, enum action action);

/* Build the report that state.request asks for. */
void screen_report(struct screen *screen);

/* The rows as text; the caller frees it. */
char *screen_text(struct screen *screen);

/* What the status line says, and the name of the selected function or "(none)"; valid
   until the next call. */
const char *screen_status(struct screen *screen);
const char *screen_selected(struct screen *screen);

/* In the threads view: name the threads as a program with pools has them, group them,
   open the pool worker-* (worker-1, worker-2 and worker-12), mark worker-1 and stop on
   worker-2. */
void screen_open_pool(struct screen *screen);

#endif
