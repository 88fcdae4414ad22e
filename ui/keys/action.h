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
	GROUP_MOVE,
	GROUP_LOOK,
	GROUP_NARROW,
	GROUP_TIME,
	GROUP_OUTPUT,
	GROUP_PROGRAM,
	GROUP_COUNT
};

/* X(id, group, keys, F-bar label or NULL, help). The first key is the one that help and
   F-bar name first; keys are separated by a space. */
#define ACTIONS(X)                                                                       \
	X(ACTION_UP, GROUP_MOVE, "Up k", NULL, "up; flame: towards the caller")          \
	X(ACTION_DOWN, GROUP_MOVE, "Down j", NULL, "down; flame: towards the callee")    \
	X(ACTION_LEFT, GROUP_MOVE, "Left h", NULL,                                       \
		"left: scroll; flame: the cell before; threads: close a pool")           \
	X(ACTION_RIGHT, GROUP_MOVE, "Right l", NULL,                                     \
		"right: scroll; flame: the cell after; threads: open a pool")            \
	X(ACTION_PAGE_UP, GROUP_MOVE, "PgUp Ctrl-B b", NULL, "a page up")                \
	X(ACTION_PAGE_DOWN, GROUP_MOVE, "PgDn Ctrl-F f", NULL, "a page down")            \
	X(ACTION_HALF_UP, GROUP_MOVE, "Ctrl-U", NULL, "half a page up")                  \
	X(ACTION_HALF_DOWN, GROUP_MOVE, "Ctrl-D", NULL, "half a page down")              \
	X(ACTION_FIRST, GROUP_MOVE, "Home g", NULL, "to the first")                      \
	X(ACTION_LAST, GROUP_MOVE, "End G", NULL, "to the last")                         \
	X(ACTION_HOT_DOWN, GROUP_MOVE, "J", NULL,                                        \
		"flame: down the hottest path; source: the next hot line")               \
	X(ACTION_HOT_UP, GROUP_MOVE, "K", NULL,                                          \
		"flame: back up to the zoom's root; source: the hottest line")           \
	X(ACTION_FOLLOW, GROUP_MOVE, "F", NULL,                                          \
		"keep the cursor on its function, or row")                               \
                                                                                         \
	X(ACTION_NEXT_VIEW, GROUP_LOOK, "F5 Tab", "View", "next view")                   \
	X(ACTION_PREVIOUS_VIEW, GROUP_LOOK, "S-Tab", NULL, "previous view")              \
	X(ACTION_SIDE_BY_SIDE, GROUP_LOOK, "|", NULL,                                    \
		"table and flame graph side by side, from 160 columns on")               \
	X(ACTION_SORT_NEXT, GROUP_LOOK, "F6 >", "Sort", "sort by the next column")       \
	X(ACTION_SORT_PREVIOUS, GROUP_LOOK, "<", NULL, "sort by the previous column")    \
	X(ACTION_SORT_1, GROUP_LOOK, "1", NULL, "sort by the first column (self %)")     \
	X(ACTION_SORT_2, GROUP_LOOK, "2", NULL, "sort by the second column (total %)")   \
	X(ACTION_SORT_3, GROUP_LOOK, "3", NULL, "sort by the third column (self time)")  \
	X(ACTION_SORT_4, GROUP_LOOK, "4", NULL,                                          \
		"sort by the fourth column (total time)")                                \
	X(ACTION_METRIC, GROUP_LOOK, "m", NULL,                                          \
		"count CPU time, or wall clock with all waiting; file: the next type")   \
	X(ACTION_SORT_REVERSE, GROUP_LOOK, "I", NULL, "reverse the order")               \
	X(ACTION_GRANULARITY, GROUP_LOOK, "L", NULL,                                     \
		"by function, by line, by module, by address")                           \
	X(ACTION_INLINES, GROUP_LOOK, "i", NULL,                                         \
		"inlined functions: shown, or folded into their caller")                 \
	X(ACTION_FLIP, GROUP_LOOK, "u", NULL, "flame: root on top, or at the bottom")    \
	X(ACTION_DEMANGLE, GROUP_LOOK, "M", NULL,                                        \
		"names: without parameters, without templates, symbols, in full")        \
	X(ACTION_POOLS, GROUP_LOOK, "T", NULL, "threads: group pools (worker-*)")        \
	X(ACTION_PROCESSES, GROUP_LOOK, "p", NULL,                                       \
		"processes: by name, by command line, by PID, all as one")               \
	X(ACTION_MIN_MORE, GROUP_LOOK, "+ =", NULL,                                      \
		"hide more of what is small; heat: shorter rows")                        \
	X(ACTION_MIN_LESS, GROUP_LOOK, "-", NULL,                                        \
		"hide less of what is small; heat: longer rows")                         \
	X(ACTION_HEALTH, GROUP_LOOK, "H", NULL,                                          \
		"stack health: which stacks broke, where, and what helps")               \
	X(ACTION_SAMPLING, GROUP_LOOK, "S", NULL,                                        \
		"sampling: its rate, what it costs, what was lost")                      \
	X(ACTION_DETAIL, GROUP_LOOK, "y", NULL,                                          \
		"the selected function between callers and callees; again: its details") \
	X(ACTION_ANNOTATE, GROUP_LOOK, "a", NULL,                                        \
		"the selected function's source and instructions, and their cost")       \
	X(ACTION_CODE_ORDER, GROUP_LOOK, "O", NULL,                                      \
		"source: in the order of lines, or of addresses")                        \
	X(ACTION_CODE_FOLD, GROUP_LOOK, "s", NULL,                                       \
		"source: instructions of all lines, or of none")                         \
	X(ACTION_CODE_SYNTAX, GROUP_LOOK, "A", NULL,                                     \
		"source: instructions as AT&T writes them, or as Intel does")            \
	X(ACTION_CODE_BYTES, GROUP_LOOK, "X", NULL,                                      \
		"source: the bytes of the instructions, or not")                         \
                                                                                         \
	X(ACTION_SEARCH, GROUP_NARROW, "F3 /", "Search", "search (regular expression)")  \
	X(ACTION_SEARCH_NEXT, GROUP_NARROW, "n", NULL, "next match")                     \
	X(ACTION_SEARCH_PREVIOUS, GROUP_NARROW, "N", NULL, "previous match")             \
	X(ACTION_SEARCH_THIS, GROUP_NARROW, "# *", NULL, "search the selected function") \
	X(ACTION_FILTER, GROUP_NARROW, "F4 \\", "Filter",                                \
		"only stacks with a frame that matches; !regex: without")                \
	X(ACTION_RULES, GROUP_NARROW, "E", NULL,                                         \
		"rules for names and frames: rename, fold, hide")                        \
	X(ACTION_MODULE, GROUP_NARROW, "d", NULL, "only this module (DSO), or all")      \
	X(ACTION_THREAD, GROUP_NARROW, "t", NULL, "only this thread, or all")            \
	X(ACTION_TAG, GROUP_NARROW, "v", NULL, "threads: tag one of several")            \
	X(ACTION_ZOOM, GROUP_NARROW, "Enter", NULL,                                      \
		"flame: zoom in; table: show; threads: this; heat: range; source: fold") \
	X(ACTION_POP, GROUP_NARROW, "Esc Backspace", NULL,                               \
		"undo the last zoom, then the filter, then the thread")                  \
	X(ACTION_RESET, GROUP_NARROW, "r", NULL, "undo all zooms, filters and searches") \
                                                                                         \
	X(ACTION_FREEZE, GROUP_TIME, "F7 z Space", "Freeze",                             \
		"hold the picture; sampling goes on")                                    \
	X(ACTION_EARLIER, GROUP_TIME, "[", NULL, "hold, and show what was earlier")      \
	X(ACTION_LATER, GROUP_TIME, "]", NULL, "later again, and at last now")           \
	X(ACTION_BEGIN_EARLIER, GROUP_TIME, "{", NULL, "a longer range: begin earlier")  \
	X(ACTION_BEGIN_LATER, GROUP_TIME, "}", NULL, "a shorter range: begin later")     \
	X(ACTION_WINDOW_SHORTER, GROUP_TIME, "w", NULL, "shorter window")                \
	X(ACTION_WINDOW_LONGER, GROUP_TIME, "W", NULL, "longer window")                  \
	X(ACTION_BASELINE, GROUP_TIME, "B", NULL, "mark what is shown as the baseline")  \
	X(ACTION_DIFFERENCE, GROUP_TIME, "D", NULL,                                      \
		"show what has changed since the baseline, or what is")                  \
	X(ACTION_NORMALIZE, GROUP_TIME, "%", NULL,                                       \
		"compare shares of the time, shares of the samples, or values")          \
	X(ACTION_MARK, GROUP_TIME, "!", NULL,                                            \
		"put a mark on the timeline; file: say which it has")                    \
	X(ACTION_CLEAR, GROUP_TIME, "R", NULL, "forget all samples taken so far")        \
	X(ACTION_RATE_LOWER, GROUP_TIME, ",", NULL, "sample less often")                 \
	X(ACTION_RATE_HIGHER, GROUP_TIME, ".", NULL, "sample more often")                \
                                                                                         \
	X(ACTION_EXPORT, GROUP_OUTPUT, "F9 x", "Export",                                 \
		"write what is shown to a file")                                         \
	X(ACTION_EXPORT_PPROF, GROUP_OUTPUT, "P", NULL, "the same, as pprof, at once")   \
	X(ACTION_COPY, GROUP_OUTPUT, "c", NULL,                                          \
		"copy the selected name to the terminal's clipboard")                    \
	X(ACTION_COPY_ROW, GROUP_OUTPUT, "Y", NULL, "copy the selected row")             \
	X(ACTION_EDIT, GROUP_OUTPUT, "e", NULL,                                          \
		"open the selected function's source in $VISUAL or $EDITOR")             \
                                                                                         \
	X(ACTION_HELP, GROUP_PROGRAM, "F1 ?", "Help", "this help")                       \
	X(ACTION_SETTINGS, GROUP_PROGRAM, "F2", "Setup",                                 \
		"settings: columns, window, mode, names; kept")                          \
	X(ACTION_PALETTE, GROUP_PROGRAM, ": Ctrl-P", "Find",                             \
		"find an action or a function by a part of its name")                    \
	X(ACTION_REDRAW, GROUP_PROGRAM, "Ctrl-L", NULL, "draw the screen afresh")        \
	X(ACTION_CHILDREN, GROUP_PROGRAM, "C", NULL,                                     \
		"follow the children of the target, or no longer; begins anew")          \
	X(ACTION_SUSPEND, GROUP_PROGRAM, "Ctrl-Z", NULL, "to the shell; fg comes back")  \
	X(ACTION_QUIT, GROUP_PROGRAM, "F10 q Ctrl-C", "Quit", "quit; the target runs on")

#define ACTION_ID(id, group, keys, label, help) id,
enum action {
	ACTION_NONE,
	ACTIONS(ACTION_ID) ACTION_COUNT
};
#undef ACTION_ID

struct action_row {
	const char *name; /* "ACTION_SORT_NEXT": for tests */
	const char *keys;
	const char *label; /* in the F-bar, or NULL */
	const char *help;
	enum action_group group;
};

/* Indexed by enum action; row 0 is empty. */
extern const struct action_row action_rows[ACTION_COUNT];
extern const char *const action_group_titles[GROUP_COUNT];

enum action action_of_key(uint32_t key); /* ACTION_NONE if the key does nothing */

/* The first key of ACTION. */
uint32_t action_key(enum action action);

#endif
