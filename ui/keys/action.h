/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action: everything a key can do, in one table.
 *
 * The dispatch, the help page and the F-bar use the table; a new key is one row. The
 * current view is asked first (view.h); actions that it does not handle are done by the
 * screen (ui/screen/screen-act.c). Constant data. Any thread.
 */
#ifndef CPROFTOP_UI_ACTION_H
#define CPROFTOP_UI_ACTION_H

#include <stdint.h>

enum action_group {
	GROUP_VIEW, /* in the order of VIEWS (ui/view/view.h) */
	GROUP_MOVE,
	GROUP_LOOK,
	GROUP_NARROW,
	GROUP_TIME,
	GROUP_OUTPUT,
	GROUP_PROGRAM,
	GROUP_SOME, /* what only some views have */
	GROUP_COUNT
};

/* X(id, group, keys, title, help). The first key is the one that the bar names; keys are
   separated by a space. The palette shows the title, and finds the action by its words; "" if
   that is the help. Without help the action shares the row of the one before it on the help
   page. */
/* clang-format off */
#define ACTIONS(X) \
	X(ACTION_VIEW_1, GROUP_VIEW, "1", "Table: functions, by what they cost", "the views, in the order of their tabs") \
	X(ACTION_VIEW_2, GROUP_VIEW, "2", "Flame: the call tree as a flame graph", NULL) \
	X(ACTION_VIEW_3, GROUP_VIEW, "3", "Threads: what each did and waited for; processes", NULL) \
	X(ACTION_VIEW_4, GROUP_VIEW, "4", "Callers: who calls a function, and what it calls", NULL) \
	X(ACTION_VIEW_5, GROUP_VIEW, "5", "Source: lines and instructions, annotate", NULL) \
	X(ACTION_VIEW_6, GROUP_VIEW, "6", "Locks: what is waited for, and who holds it", NULL) \
	X(ACTION_VIEW_7, GROUP_VIEW, "7", "Time: every moment, as a heat map", NULL) \
	X(ACTION_VIEW_8, GROUP_VIEW, "8", "Output: of the command", NULL) \
	X(ACTION_NEXT_VIEW, GROUP_VIEW, "Tab F5", "next view", "next view, previous view") \
	X(ACTION_PREVIOUS_VIEW, GROUP_VIEW, "S-Tab", "previous view", NULL) \
	X(ACTION_UP, GROUP_MOVE, "Up k", "", "up, down; flame: to the caller, the callee") \
	X(ACTION_DOWN, GROUP_MOVE, "Down j", "", NULL) \
	X(ACTION_LEFT, GROUP_MOVE, "Left h", "", "scroll names; flame: beside; threads: close, open") \
	X(ACTION_RIGHT, GROUP_MOVE, "Right l", "", NULL) \
	X(ACTION_PAGE_UP, GROUP_MOVE, "PgUp Ctrl-B b", "", "a page (half: Ctrl-U, Ctrl-D); the first, the last") \
	X(ACTION_PAGE_DOWN, GROUP_MOVE, "PgDn Ctrl-F f", "", NULL) \
	X(ACTION_FIRST, GROUP_MOVE, "Home g", "", NULL) \
	X(ACTION_LAST, GROUP_MOVE, "End G", "", NULL) \
	X(ACTION_HALF_UP, GROUP_MOVE, "Ctrl-U", "", NULL) \
	X(ACTION_HALF_DOWN, GROUP_MOVE, "Ctrl-D", "", NULL) \
	X(ACTION_METRIC, GROUP_LOOK, "m", "wait: count waiting, too (off-CPU, wall clock), or not", "count waiting, too, or CPU only; file: the next type") \
	X(ACTION_DETAIL, GROUP_LOOK, "y", "who calls the selected function: callers, callees", "who calls the selected function; again: all about it") \
	X(ACTION_ANNOTATE, GROUP_LOOK, "a", "annotate: source and assembly of the selected function", "the source of the selected function") \
	X(ACTION_SIDE_BY_SIDE, GROUP_LOOK, "|", "side by side: table and flame graph", "table and flame graph side by side, or one of them") \
	X(ACTION_GRANULARITY, GROUP_LOOK, "L", "by function, line, module, address", "a row is a function, a line, a module, an address") \
	X(ACTION_INLINES, GROUP_LOOK, "i", "inlined functions: shown, or folded into their caller", "inlined functions; names; processes: by; native frames") \
	X(ACTION_DEMANGLE, GROUP_LOOK, "M", "names: without parameters, templates; symbols; in full", NULL) \
	X(ACTION_PROCESSES, GROUP_LOOK, "p", "processes by name, command line or PID", NULL) \
	X(ACTION_NATIVE, GROUP_LOOK, "o", "native frames beside a script's: not the interpreter's, all, none", NULL) \
	X(ACTION_MIN_MORE, GROUP_LOOK, "+ =", "hide more of what is small", "hide more, or less, of what is small; time: rows") \
	X(ACTION_MIN_LESS, GROUP_LOOK, "-", "hide less of what is small", NULL) \
	X(ACTION_HEALTH, GROUP_LOOK, "H", "stack health: which broke, and what helps; missing symbols", "which stacks broke, and what helps; how sampling does") \
	X(ACTION_SAMPLING, GROUP_LOOK, "S", "sampling: its rate, what it costs, what was lost", NULL) \
	X(ACTION_SEARCH, GROUP_NARROW, "F3 /", "search, find", "search (regular expression); next, previous; this one") \
	X(ACTION_SEARCH_NEXT, GROUP_NARROW, "n", "next match", NULL) \
	X(ACTION_SEARCH_PREVIOUS, GROUP_NARROW, "N", "previous match", NULL) \
	X(ACTION_SEARCH_THIS, GROUP_NARROW, "# *", "search the selected function", NULL) \
	X(ACTION_FILTER, GROUP_NARROW, "F4 \\", "filter: only stacks that match, or all others", "only stacks with a frame that matches; !regex: without") \
	X(ACTION_MODULE, GROUP_NARROW, "d", "module: only this library, or all", "only this module, this thread; again: all") \
	X(ACTION_THREAD, GROUP_NARROW, "t", "thread: only this one, or all", NULL) \
	X(ACTION_ZOOM, GROUP_NARROW, "Enter", "", "show it, zoom in") \
	X(ACTION_POP, GROUP_NARROW, "Esc Backspace", "back: undo the last zoom, filter or thread", "undo the last zoom, filter or thread; r: all of them") \
	X(ACTION_RESET, GROUP_NARROW, "r", "undo all zooms, filters and searches", NULL) \
	X(ACTION_FREEZE, GROUP_TIME, "F7 z Space", "freeze, pause: hold the picture, or go on", "hold the picture; sampling goes on") \
	X(ACTION_EARLIER, GROUP_TIME, "[", "back in time: earlier, past, history", "back in time, and later again") \
	X(ACTION_LATER, GROUP_TIME, "]", "later again, and at last now", NULL) \
	X(ACTION_LONGER, GROUP_TIME, "{", "window: more seconds", "what is shown: more seconds, or fewer") \
	X(ACTION_SHORTER, GROUP_TIME, "}", "window: fewer seconds", NULL) \
	X(ACTION_BASELINE, GROUP_TIME, "B", "compare: mark what is shown as the baseline", "compare with now: mark it; then show what has changed") \
	X(ACTION_DIFFERENCE, GROUP_TIME, "D", "compare: what has changed since the baseline (diff)", NULL) \
	X(ACTION_NORMALIZE, GROUP_TIME, "%", "compare shares of the time, of the samples, or values", NULL) \
	X(ACTION_MARK, GROUP_TIME, "!", "mark an event on the timeline", "put a mark on the timeline; file: say which it has") \
	X(ACTION_CLEAR, GROUP_TIME, "R", "clear, reset: forget all samples", "forget all samples; sample less often, more often") \
	X(ACTION_RATE_LOWER, GROUP_TIME, ",", "rate: sample less often", NULL) \
	X(ACTION_RATE_HIGHER, GROUP_TIME, ".", "rate: sample more often", NULL) \
	X(ACTION_EXPORT, GROUP_OUTPUT, "F9 x", "export, save, write to a file (svg, html, json, folded...)", "export what is shown to a file; as pprof, at once") \
	X(ACTION_EXPORT_PPROF, GROUP_OUTPUT, "P", "export, save as pprof, at once", NULL) \
	X(ACTION_COPY, GROUP_OUTPUT, "c", "copy the selected name to the clipboard", "copy the name; the row; open its source in $EDITOR") \
	X(ACTION_COPY_ROW, GROUP_OUTPUT, "Y", "copy the selected row to the clipboard", NULL) \
	X(ACTION_EDIT, GROUP_OUTPUT, "e", "open the source in an editor", NULL) \
	X(ACTION_HELP, GROUP_PROGRAM, "F1 ?", "help: the keys of this view, and all others", "the keys of this view, and all others") \
	X(ACTION_PALETTE, GROUP_PROGRAM, ": Ctrl-P", "", "find a view, an action, a function by a part of its name") \
	X(ACTION_SETTINGS, GROUP_PROGRAM, "F2", "settings, options: columns, theme, window, names", "settings: columns, window, mode, names; kept") \
	X(ACTION_CHILDREN, GROUP_PROGRAM, "C", "children: follow them, or no longer; begins anew", "follow the children, or no longer; begins anew") \
	X(ACTION_QUIT, GROUP_PROGRAM, "F10 q Ctrl-C", "quit, exit", "quit; the target runs on (Ctrl-Z: shell; Ctrl-L: redraw)") \
	X(ACTION_SUSPEND, GROUP_PROGRAM, "Ctrl-Z", "to the shell; fg comes back", NULL) \
	X(ACTION_REDRAW, GROUP_PROGRAM, "Ctrl-L", "draw the screen afresh", NULL) \
	X(ACTION_SORT_NEXT, GROUP_SOME, "> F6", "sort by the next column", "sort by the next column, the one before; the other way") \
	X(ACTION_SORT_PREVIOUS, GROUP_SOME, "<", "sort by the previous column", NULL) \
	X(ACTION_SORT_REVERSE, GROUP_SOME, "I", "sort the other way: reverse", NULL) \
	X(ACTION_HOT_DOWN, GROUP_SOME, "J", "hottest: down to it; the next one", "to what is hottest below; back to the top") \
	X(ACTION_HOT_UP, GROUP_SOME, "K", "hottest line; to the top", NULL) \
	X(ACTION_FLIP, GROUP_SOME, "u", "flip: the root on top, or at the bottom", "the root on top, or at the bottom") \
	X(ACTION_POOLS, GROUP_SOME, "T", "group threads that differ in a number only", "threads that differ in a number only are one row, or not") \
	X(ACTION_TAG, GROUP_SOME, "v", "select several threads or processes", "choose several, for Enter") \
	X(ACTION_FOLD, GROUP_SOME, "s", "fold, unfold: flame graph, instructions", "fold: callers in a row; instructions below lines") \
	X(ACTION_SYNTAX, GROUP_SOME, "A", "syntax of instructions: Intel, AT&T; bytes", "instructions as Intel writes them, as AT&T; with bytes") \
	X(ACTION_FOLLOW, GROUP_SOME, "F", "follow: keep the cursor on its function, or in its row", "keep the cursor on its function, or in its row")
/* clang-format on */

#define ACTION_ID(id, group, keys, title, help) id,
enum action {
	ACTION_NONE,
	ACTIONS(ACTION_ID) ACTION_COUNT
};
#undef ACTION_ID

struct action_row {
	const char *name; /* "ACTION_SORT_NEXT": for tests */
	const char *keys;
	const char *title; /* in the palette; "": the help is */
	const char *help;  /* NULL: that of the action before it says it, too */
	enum action_group group;
};

/* Indexed by enum action; row 0 is empty. */
extern const struct action_row action_rows[ACTION_COUNT];

enum action action_of_key(uint32_t key); /* ACTION_NONE if the key does nothing */

enum {
	ACTION_KEYS_MAX = 64
};

/* The action whose row of the help page says what ACTION does; and the keys of that row. */
enum action action_row_of(enum action action);
void action_row_keys(enum action row, char keys[ACTION_KEYS_MAX]);

/* The first key of ACTION. */
uint32_t action_key(enum action action);

#endif
