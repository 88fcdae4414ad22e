/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view: one way to look at a report; the interface every view implements.
 *
 * A view is one file (view-NAME.c) and one row of VIEWS below. It has private data (DATA,
 * zeroed at the start: cursor, scroll, what it has laid out) beside the view_state that
 * all views share. Drawing is pure: the same report, data, state and size give the same
 * cells. Costly work (sorting, laying out) is done in prepare, which is called before
 * draw whenever the report, the shared state, the data or the size has changed, and
 * before any other call. A report given to a view is never NULL.
 *
 * A view remembers functions by id and places in the tree by path (function ids from the
 * root), never by row or node number, because those change with every report. UI thread.
 */
#ifndef CPROFTOP_UI_VIEW_H
#define CPROFTOP_UI_VIEW_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/count/source.h"
#include "src/read/assembly/assembly.h"
#include "src/read/names/code-lines.h"
#include "src/read/sources/source-reader.h"
#include "ui/draw/format.h"
#include "ui/draw/grid.h"
#include "ui/keys/action.h"
#include "ui/view/hues.h"
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

/* Instructions and source files, for the view that shows a function's code. It asks for the
   instructions of one place at a time, by giving ASKED a new serial; the application hands on
   the question and puts the answers here, and the view takes them. */
struct code_desk {
	struct source_reader *sources; /* the application's; NULL: there are none */
	bool has_assembly;	       /* the application gets instructions */
	struct assembly_request asked; /* its profile is that of the report shown */
	struct assembly *assembly;     /* owned; NULL */
	struct code_lines *lines;      /* owned; NULL */
};

/* State that all views share and that is not in the report. A view may change any of it
   in act and click; the application notices, and asks for a new report if needed. */
struct view_state {
	/* Set by the application. */
	int rows, columns; /* of the area the view draws in */
	uint64_t now_ns;   /* monotonic; for rows that flash */
	bool frozen;
	bool is_beside; /* another view has the keys */
	struct search search;
	struct module_hues hues; /* has seen the report */

	/* What reports should count: filter, module, thread_pattern, tids and window_ns;
	   serial and until_ns are the application's. */
	struct report_request request;

	VEC(struct zoom) zooms;	 /* a stack, the innermost last */
	uint32_t function;	 /* selected in the view shown; PROFILE_NONE */
	pid_t tid;		 /* selected in the view shown; 0 */
	double min_share;	 /* hide rows and cells below this share of the total */
	bool flipped;		 /* flame: root at the bottom */
	bool pools;		 /* threads: pools are one row */
	unsigned hidden_columns; /* table: bits, see src/base/settings/choices.h */
	/* the cursor follows its function; else it stays in its row */
	bool follow;

	/* All that is kept, the TIMELINE_SERIAL-th since the beginning; NULL: there is none,
	   or not yet. The application's. */
	const struct timeline *timeline;
	uint64_t timeline_serial;
	/* The range of time to be shown from now on, of all views; both 0: no other. The
	   application resets it. */
	struct {
		uint64_t from_ns, to_ns;
	} choose;

	const struct output *output; /* of a launched command; NULL: none was launched */
	struct code_desk code;

	/* name of the view to be shown next; the application resets it */
	const char *go_to;
	/* function to which the view shown next moves its cursor; that view resets it to
	   PROFILE_NONE */
	uint32_t reveal;
	/* view from which the callers or the source was opened, for the way back; NULL: by its
	   tab */
	const char *came_from;
	char message[256]; /* for the status line; reset when shown */
};

enum view_find {
	FIND_FROM_HERE, /* while typing: the cursor's place may match, too */
	FIND_NEXT,
	FIND_PREVIOUS
};

enum view_click {
	CLICK_SELECT, /* left button */
	CLICK_ZOOM,   /* double click, or right button */
	CLICK_DRAG,   /* the left button is held, at another cell... */
	CLICK_RELEASE /* ...and let go: only for a view that says that it drags */
};

/* A key that matters in this view: in the bar at the bottom of the screen, and on the help
   page. */
struct view_key {
	enum action action;
	const char *label;
	const char *help; /* NULL: that of the action */
};

/* What is not said to be NULL for something must be set (tests/unit/unit-views.c checks
   that). */
struct view_ops {
	const char *name;  /* "table": for scripts, and go_to */
	const char *title; /* "Table": on its tab */
	size_t data_size;  /* bytes of its private data */

	bool drags;	  /* click is called for drags, too: with any row and column */
	bool zooms;	  /* it shows the tree from the innermost zoom on */
	bool hides_small; /* it hides what is below the least share */
	/* The keys that matter most in it, the first one first; ends with ACTION_NONE. */
	const struct view_key *keys;
	/* The report must have these while this view is shown. */
	bool thread_states, moments;

	/* Is there anything to show? If not, it has no tab. NULL: always. */
	bool (*available)(const struct view_state *state);

	/* Free what DATA holds (not DATA itself). NULL: nothing. */
	void (*finish)(void *data);

	void (*prepare)(
		void *data, struct view_state *state, const struct report *report);

	/* Function ids change with the next report. NULL: the view remembers none. */
	void (*rename)(void *data, const struct renamed *renamed);

	/* Another view beside this one has selected FUNCTION: move the cursor there, if the
	   function is to be seen without another zoom. Called after prepare. NULL: this view
	   is never beside another. */
	void (*point)(void *data, struct view_state *state, const struct report *report,
		uint32_t function);

	/* GRID is blank and state->rows x state->columns. */
	void (*draw)(const void *data, const struct view_state *state,
		const struct report *report, struct grid *grid);

	/* Do ACTION and return true; if false, the application does it. NULL: the view
	   has no actions of its own. */
	bool (*act)(void *data, struct view_state *state, const struct report *report,
		enum action action);

	/* A click at a cell of the view's area. NULL: the view ignores the mouse. */
	bool (*click)(void *data, struct view_state *state, const struct report *report,
		int row, int column, enum view_click click);

	/* Move the cursor to a match of state->search, continuing at the other end. False
	   if there is no match. NULL: the view cannot be searched. */
	bool (*find)(void *data, struct view_state *state, const struct report *report,
		enum view_find from);

	/* Text for the status line about the selected row or cell. NULL: none. */
	void (*status)(const void *data, const struct view_state *state,
		const struct report *report, char *text, size_t size);
};

/* All views, in the order of their tabs: a new view is one row. */
#define VIEWS(X)         \
	X(view_table)    \
	X(view_flame)    \
	X(view_threads)  \
	X(view_callers)  \
	X(view_annotate) \
	X(view_locks)    \
	X(view_heat)     \
	X(view_output)

#define VIEW_DECLARE(view) extern const struct view_ops view;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

extern const struct view_ops *const view_list[]; /* VIEWS as an array; ends with NULL */

void view_state_init(struct view_state *state);
void view_state_finish(struct view_state *state);

/* Say FORMAT... in the status line. */
void view_say(struct view_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Go back to the view from which this one was opened. False if it was by its tab. */
bool view_return(struct view_state *state);

/* Move *CURSOR to the first of COUNT rows whose function the search matches, from there in the
   direction of FROM, and around the end. FUNCTION_OF a row is PROFILE_NONE if it has none.
   False if no row matches. */
bool view_find_row(const struct view_state *state, enum view_find from, size_t *cursor,
	size_t count, uint32_t (*function_of)(const void *context, size_t row),
	const void *context);

/* PATH is copied. */
void view_zoom_push(struct view_state *state, const uint32_t *path, size_t length);
bool view_zoom_pop(struct view_state *state); /* false if there was no zoom */
const struct zoom *view_zoom(const struct view_state *state); /* NULL: not zoomed */

/* Follow PATH from the root of REPORT's tree: the index of the node, or of the deepest
   node of PATH that exists. *FOUND, if not NULL, gets the length of that part. */
uint32_t view_find_path(
	const struct report *report, const uint32_t *path, size_t length, size_t *found);

/* What the report's percentages refer to: wall clock if that was asked for, else CPU time
   if it has any, else samples (a source without CPU times). */
enum metric view_metric(const struct report *report);

/* The time in WEIGHT in ns: wall clock if that was asked for, else CPU time. Of a file, the
   value of the type that is shown. */
uint64_t view_time_ns(const struct report *report, const struct weight *weight);

/* How many samples WEIGHT has, to be read. What is not 0 without any is time that the kernel
   told, such as that of waiting for a CPU: "-", and in a sentence "measured". */
struct format view_samples(const struct weight *weight);
struct format view_samples_told(const struct weight *weight);

/* So few samples that shares of them say little. */
bool view_is_few(const struct report *report);

/* How long the range of REPORT is, and how much of it has data if that is less: "30 s", or
   "12 s of 30 s". */
struct format view_window(const struct report *report);

/* What the selected row or cell looks like. */
enum role view_cursor_role(const struct view_state *state);

/* The module of FUNCTION to be shown beside its name; "" if the name is the module's. */
const char *view_module(const struct function *function);

/* The same to be read, in the unit that it has: a column of them is comparable. */
struct format view_value(const struct report *report, const struct weight *weight);

#endif
