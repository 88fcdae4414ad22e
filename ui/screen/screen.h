/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen: the state of one running screen, shared by the files that implement it. Each
 * file calls only files below it in this list:
 *
 *	app.c            the loop: events in, requests out, reports in, a frame out
 *	screen-input.c   keys and mouse, for what is on top
 *	screen-draw.c    where things are on the screen, and drawing them
 *	screen-bar.c     the keys that matter now, in the bar at the bottom
 *	screen-settings.c  the settings, and keeping them
 *	screen-palette.c  actions and functions, found by a part of their name
 *	screen-act.c     the actions that concern all views
 *	screen-narrow.c  those that change what is counted, and searches
 *	screen-timeline.c  the line below the header, and the mouse on it
 *	screen-time.c    the range of time that is shown, and the sampling rate
 *	screen-names.c   naming rules
 *	screen-code.c    instructions for the view that asks for them
 *	screen-baseline.c  what the screen compares with
 *	screen-export.c  writing files
 *	screen-panes.c   the view that is shown, or two side by side
 *	screen-copy.c    copying what is selected
 *	screen-editor.c  the selected function in a person's editor
 *	screen.c         the state itself: messages, what is selected
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_SCREEN_H
#define CPROFTOP_UI_SCREEN_H

#include "src/base/settings/rc-place.h"
#include "src/count/activity.h"
#include "src/count/source.h"
#include "ui/header/gauges.h"
#include "ui/term/term.h"
#include "ui/timeline/strip.h"
#include "ui/view/view.h"
#include "ui/widget/form.h"
#include "ui/widget/key-bar.h"
#include "ui/widget/list.h"
#include "ui/widget/menu.h"
#include "ui/widget/prompt.h"
#include "ui/widget/sheet.h"

struct app_options;

enum {
	SCREEN_VIEWS = 16
};

/* What has the keyboard. */
enum screen_mode {
	MODE_VIEW,
	MODE_PROMPT,
	MODE_MENU,
	MODE_SHEET,
	MODE_SETTINGS,
	MODE_PALETTE /* with the prompt */
};

enum screen_purpose { /* of the prompt */
	PURPOSE_SEARCH,
	PURPOSE_FILTER,
	PURPOSE_EXPORT,
	PURPOSE_MARK
};

/* What a person keeps, beyond what view_state has. */
struct habits {
	const struct rc_place *place;		 /* NULL: nothing is kept */
	bool ascii, no_color, no_mouse, no_sync; /* from the next start on */
	enum theme_ground ground; /* GROUND_UNKNOWN: the terminal is asked */
	unsigned changed;	  /* bits: rows of the form, since it was opened */
};

/* What fits is listed in this order; of functions, one whose whole name was typed is first. */
enum palette_rank {
	RANK_EXACT,
	RANK_VIEW,
	RANK_ACTION,
	RANK_FUNCTION
};

/* An action, or if that is ACTION_NONE a function. */
struct palette_row {
	enum palette_rank rank;
	enum action action;
	uint32_t function;
	int score;
	uint64_t weight;
};

struct palette {
	VEC(struct palette_row) rows; /* what fits what is typed, the best first */
	struct list list;
	const struct report *report; /* that the functions are of; only compared */
	bool is_current;	     /* rows fit what is typed now */
};

/* Rows of the screen, from the top; a part without room has 0 rows. */
struct screen_layout {
	int header_rows, strip_rows, tab_rows, body_row, body_rows, status_rows, bar_rows;
};

enum {
	PANES_MAX = 2,
	SIDE_BY_SIDE_COLUMNS = 160 /* the least */
};

/* The columns of the body that a view has. */
struct pane {
	size_t view; /* its index */
	int column, columns;
};

/* What a report is compared with. */
struct baseline {
	bool exists, shown;
	enum normalization normalization;
	uint64_t start_ns, end_ns; /* live: the range of time */
	struct report *report;	   /* as last counted; NULL: not yet */
};

/* What the mouse holds of the bracket on the timeline. */
enum grip_kind {
	GRIP_NONE,
	GRIP_NEW, /* nothing: a new range begins where it was pressed */
	GRIP_BEGIN,
	GRIP_END,
	GRIP_WHOLE
};

struct grip {
	enum grip_kind kind;
	int column; /* where it was pressed */
	bool has_moved;
	uint64_t held_ns; /* the end that stays; whole: from its begin to the mouse */
	uint64_t from_ns, to_ns; /* the bracket as it would be now */
};

struct screen {
	const struct app_options *options; /* as app_run got them */
	struct term *term;
	struct source *source;
	uint64_t (*own_cpu_ns)(void); /* CPU time of this process */
	struct output *output;

	struct grid grid;
	struct screen_layout layout;
	int text_cursor; /* column in the status line, -1: none */

	struct view_state state;
	void *view_data[SCREEN_VIEWS]; /* in the order of view_list */
	size_t shown;		   /* index of the view; of two, the one with the keys */
	bool waits_for_view;	   /* waiting is counted because the view needs it */
	enum native_frames native; /* that samples to come have */
	bool side_by_side;	   /* the table and the flame graph, if there is room */
	uint32_t pointed;	   /* the function that the view beside was pointed to */
	struct gauges gauges;
	struct activity activity;

	struct report *report;	 /* the report shown; NULL before the first */
	uint64_t code_asked;	 /* the serial of state.code.asked that was handed on */
	uint64_t frozen_ns;	 /* the end of the frozen range */
	bool is_chosen;		 /* the length of the frozen range was chosen with it, */
	uint64_t live_window_ns; /* and back at now the window has this one again */
	struct timeline *timeline; /* state.timeline; owned */
	struct grip grip;
	uint64_t mark_ns; /* the instant whose name is being typed */
	struct baseline baseline;

	enum screen_mode mode;
	enum screen_mode pressed_in; /* what had the keyboard at the last click */
	enum screen_purpose purpose;
	struct prompt prompt;
	struct menu menu;
	struct sheet sheet;
	struct form form;
	struct habits habits;
	struct palette palette;
	const struct export_format *format;  /* of the file whose name is being typed */
	char search_before[REPORT_TEXT_MAX]; /* restored if the prompt is cancelled */

	char status[1024]; /* a message; "" shows the view's own status */
	enum role status_role;
	/* when the message is removed */
	uint64_t status_until_ns;
	bool quit;
	bool was_used;		     /* a key was pressed, or the mouse */
	uint64_t waits_since_ns;     /* only for its children; 0: it does not */
	bool may_start_again, again; /* with the children of the target, or without */
};

/* screen-input.c */
void screen_key(struct screen *screen, uint32_t key);
void screen_mouse(struct screen *screen, const struct term_event *event);

/* screen-draw.c */
void screen_layout(struct screen *screen); /* after the size has changed */
void screen_draw(struct screen *screen);
/* The children of a target that only waits for them, if they are not followed; else NULL. */
const struct offspring *screen_busy_children(const struct screen *screen);
int screen_tab_at(const struct screen *screen, int column); /* a view, or -1 */

/* screen-bar.c */
void screen_bar_draw(const struct screen *screen, struct grid *grid);
uint32_t screen_bar_at(const struct screen *screen, int column); /* a key, or K_NONE */

/* screen-settings.c; GRID is the body */
void screen_settings_key(struct screen *screen, uint32_t key);
void screen_settings_click(
	struct screen *screen, const struct grid *grid, int row, int column);
void screen_settings_draw(struct screen *screen, struct grid *grid);

/* screen-palette.c; the same */
void screen_palette_key(struct screen *screen, uint32_t key);
void screen_palette_click(
	struct screen *screen, const struct grid *grid, int row, int column);
void screen_palette_draw(struct screen *screen, struct grid *grid);

/* screen-act.c */
void screen_act(struct screen *screen, enum action action);
/* The same, whatever the view shown would make of it. */
void screen_act_for_all(struct screen *screen, enum action action);
void screen_suspend(struct screen *screen);
/* Do what the view asks for: another view, another range of time. */
void screen_follow_view(struct screen *screen);

/* screen-narrow.c */
void screen_act_narrow(struct screen *screen, enum action action);
/* TEXT is a valid pattern or "" */
void screen_search(struct screen *screen, const char *text);
bool screen_find(struct screen *screen, enum view_find from);
/* REQUEST is only for what is zoomed into, if that is of the report shown. It cannot be
   while two reports are compared, whose functions are those of neither; then only the
   flame graph is zoomed. */
void screen_zoom(const struct screen *screen, struct report_request *request);

/* screen-timeline.c */
struct strip_input screen_strip(const struct screen *screen);
/* Did EVENT concern the strip? */
bool screen_strip_mouse(struct screen *screen, const struct term_event *event);

/* screen-time.c */
/* Show [FROM_NS, TO_NS), or as much of it as is kept, in all views. */
void screen_choose_range(struct screen *screen, uint64_t from_ns, uint64_t to_ns);
/* The length of what is shown; 0: all that is kept. */
void screen_change_window(struct screen *screen, uint64_t window_ns);
void screen_act_time(struct screen *screen, enum action action);
void screen_mark_typed(struct screen *screen);

/* screen-names.c */
void screen_change_names(struct screen *screen, enum action action);
/* Called before REPORT replaces the one that is shown. If function ids differ (other
   naming rules, or another profile), translate the remembered places. */
void screen_follow_names(struct screen *screen, const struct report *report);
/* Show REPORT instead of the one that is shown. */
void screen_replace(struct screen *screen, struct report *report);

/* screen-code.c */
/* A view of one function that is shown next begins with the one that is selected now, if one is. */
void screen_carry_function(struct screen *screen);
/* From any view to the code of the selected function. */
void screen_show_code(struct screen *screen);
/* Hand on what the view asks for, and give it what has come. */
void screen_ask_code(struct screen *screen);
void screen_take_code(struct screen *screen);

/* screen-baseline.c */
void screen_baseline_init(struct screen *screen);
/* Must the baseline be counted (again), before a report for SHOWN can be compared with it?
   Then REQUEST asks for it. */
bool screen_baseline_wanted(const struct screen *screen,
	const struct report_request *shown, struct report_request *request);
/* REPORT, which is the answer, now belongs to the baseline. */
void screen_baseline_take(struct screen *screen, struct report *report);
/* REPORT, or if it is to be compared, in its place the report of both. */
struct report *screen_compare(struct screen *screen, struct report *report);
/* REQUEST with names in the place of the numbers that threads of two files have here. */
void screen_name_threads(const struct screen *screen, struct report_request *request);
void screen_act_baseline(struct screen *screen, enum action action);

/* screen-export.c */
void screen_export_menu(struct screen *screen);
/* What would be written now: "writes 5.0 s; below main; threads /worker/". */
void screen_export_describe(const struct screen *screen, char *text, size_t size);
void screen_export_prompt(struct screen *screen, const struct export_format *format);
void screen_export(struct screen *screen, const struct export_format *format,
	const char *path); /* NULL: the default name */

/* screen-panes.c */
/* The views in the body, from the left. Returns how many. */
size_t screen_panes(const struct screen *screen, struct pane panes[PANES_MAX]);
/* Give the keys to the view at COLUMN; returns the column in it, or -1 between two. */
int screen_enter_pane(struct screen *screen, int column);
void screen_draw_panes(struct screen *screen, struct grid *grid);
bool screen_is_beside(
	const struct screen *screen, size_t view); /* shown without the keys */
void screen_prepare(struct screen *screen); /* prepare what is shown after a change */
void screen_toggle_side_by_side(struct screen *screen);
void screen_show_view(struct screen *screen, size_t index);

/* screen-copy.c */
void screen_copy(struct screen *screen, enum action action);

/* screen-editor.c */
void screen_edit(struct screen *screen);

/* screen.c */
const struct meter *screen_meter(const struct screen *screen);
const struct view_ops *screen_view(const struct screen *screen);
/* The function that is selected in the view shown, or NULL. */
const struct function *screen_selected(const struct screen *screen);
bool screen_has_view(const struct screen *screen, size_t index); /* does it have a tab? */
void screen_say(struct screen *screen, enum role role, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
