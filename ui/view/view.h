/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view: one way to look at a report; the interface every view implements.
 *
 * A view is one file (view-NAME.c) and one row of VIEWS below. It has private data (DATA,
 * zeroed at the start: cursor, scroll, what it has laid out) beside the view_state that all
 * views share. Drawing is pure: the same report, data, state and size give the same cells.
 * What is costly (sorting, laying out) is done in prepare, which is called before a draw
 * whenever the report, the shared state, the data or the size has changed, and before any
 * other call. A report given to a view is never NULL.
 *
 * A view remembers functions by id and places in the tree by path (function ids from the
 * root), never by row or node number, because those change with every report. UI thread.
 */
#ifndef CPROFTOP_UI_VIEW_H
#define CPROFTOP_UI_VIEW_H

#include "src/analyst/source.h"
#include "src/base/vec.h"
#include "src/report/report.h"
#include "ui/draw/format.h"
#include "ui/draw/grid.h"
#include "ui/keys/action.h"
#include "ui/view/metric.h"
#include "ui/view/output.h"
#include "ui/view/renamed.h"
#include "ui/view/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One level of zoom: the tree below one place. */
struct zoom {
	uint32_t *path; /* function ids, from below the root; owned */
	size_t length;
};

/* What all views share and the report does not say. A view may change any of it in act
   and click; the application sees what changed and asks for a new report if it must. */
struct view_state {
	/* Set by the application. */
	int rows, columns; /* of the area the view draws in */
	uint64_t now_ns;   /* monotonic; for what flashes */
	bool frozen;
	struct search search;

	/* What the reports are to count: filter, module, thread_pattern, tids and
	   window_ns; serial and until_ns are the application's. */
	struct report_request request;

	VEC(struct zoom) zooms; /* a stack, the innermost last */
	uint32_t function;	/* selected in the view shown; PROFILE_NONE */
	pid_t tid;		/* selected in the view shown; 0 */
	double min_share;	/* hide rows and cells below this share of the total */
	bool flipped;		/* flame: root at the bottom */
	bool pools;		/* threads: pools are one row */
	bool follow;		/* the cursor stays on its function (else on its row) */

	const struct output *output; /* of a launched command; NULL: none was launched */

	const char *go_to; /* a view's name: show that one next; reset when done */
	uint32_t reveal;   /* the view shown next moves its cursor to this function, and
			      resets it; PROFILE_NONE */
	char message[256]; /* say this in the status line; reset when shown */
};

enum view_find {
	FIND_FROM_HERE, /* while typing: the cursor's own place counts */
	FIND_NEXT,
	FIND_PREVIOUS
};

enum view_click {
	CLICK_SELECT, /* left button */
	CLICK_ZOOM    /* double click, or right button */
};

struct view_ops {
	const char *name;  /* "table": for scripts, and go_to */
	const char *title; /* "Table": on its tab */
	size_t data_size;  /* bytes of its private data */

	bool thread_states; /* wants them in the report while it is shown */

	/* Whether there is anything to show: it has a tab only then. NULL: always. */
	bool (*available)(const struct view_state *state);

	/* Free what DATA holds (not DATA itself). NULL: nothing. */
	void (*finish)(void *data);

	void (*prepare)(
		void *data, struct view_state *state, const struct report *report);

	/* Functions have other ids from the next report on. NULL: it remembers none. */
	void (*rename)(void *data, const struct renamed *renamed);

	/* GRID is blank and state->rows x state->columns. */
	void (*draw)(const void *data, const struct view_state *state,
		const struct report *report, struct grid *grid);

	/* Do it and return true, or return false: then the application does what it does
	   for all views. NULL: never. */
	bool (*act)(void *data, struct view_state *state, const struct report *report,
		enum action action);

	/* The mouse, at a cell of the view's area. NULL: the view has no use for it. */
	bool (*click)(void *data, struct view_state *state, const struct report *report,
		int row, int column, enum view_click click);

	/* Move the cursor to a match of state->search, around the end if need be. False
	   if there is none. NULL: the view cannot be searched. */
	bool (*find)(void *data, struct view_state *state, const struct report *report,
		enum view_find from);

	/* What the status line says about the selected thing. NULL: nothing. */
	void (*status)(const void *data, const struct view_state *state,
		const struct report *report, char *text, size_t size);
};

/* All views, in the order of their tabs: a new view is one row. */
#define VIEWS(X)        \
	X(view_table)   \
	X(view_flame)   \
	X(view_threads) \
	X(view_output)

#define VIEW_DECLARE(view) extern const struct view_ops view;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

extern const struct view_ops *const view_list[]; /* the same; ends with NULL */

void view_state_init(struct view_state *state);
void view_state_finish(struct view_state *state);

/* Say FORMAT... in the status line. */
void view_say(struct view_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* PATH is copied. */
void view_zoom_push(struct view_state *state, const uint32_t *path, size_t length);
bool view_zoom_pop(struct view_state *state); /* false if there was none */
const struct zoom *view_zoom(const struct view_state *state); /* NULL: the whole */

/* Follow PATH from the root of REPORT's tree: the index of the node, or of the deepest
   one that exists. *FOUND, if given, is how much of the path that is. */
uint32_t view_find_path(
	const struct report *report, const uint32_t *path, size_t length, size_t *found);

/* What the report's percentages are made of: wall clock if that was asked for, else its
   CPU time if it has any, else its samples (a source without CPU times). */
enum metric view_metric(const struct report *report);

/* The time in WEIGHT, ns: of the wall clock if that was asked for, else of a CPU. Of a
   file, the value of the type that is shown. */
uint64_t view_time_ns(const struct report *report, const struct weight *weight);

/* The same to be read, in the unit that it has: a column of them is comparable. */
struct format view_value(const struct report *report, const struct weight *weight);

#endif
