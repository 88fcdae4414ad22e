/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-mouse: what the mouse did, from the events of curses: clicks, double clicks,
 * drags.
 *
 * curses asks the terminal for presses and releases of buttons (mode 1000) whenever it
 * begins, but has no name for moves with a button held (mode 1002: ctlseqs.txt of xterm),
 * so they are asked for here. A terminal without that mode still tells where a drag ended.
 * Main thread.
 */
#ifndef CPROFTOP_UI_TERM_CURSES_MOUSE_H
#define CPROFTOP_UI_TERM_CURSES_MOUSE_H

#include "ui/term/term.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CURSES_MOUSE_MOST = 8, /* as many as ncurses 6.4 keeps */
};

/* What was done at a cell, in the bits of MEVENT. */
struct curses_mouse_report {
	unsigned long state;
	int row, column;
};

struct curses_mouse {
	bool is_used;
	bool asks_for_drags; /* the terminal is still to be asked */
	struct {
		uint64_t time_ns;
		int row, column;
	} last_click;
	bool is_held; /* the left button, and the cell of its last event: */
	int row, column;
	struct curses_mouse_report waiting[CURSES_MOUSE_MOST]; /* the newest first */
	size_t n_waiting;
};

/* Have curses tell what the mouse does. */
void curses_mouse_begin(struct curses_mouse *mouse);

/* After curses has begun, or begun again, and written. */
void curses_mouse_ask(struct curses_mouse *mouse);
/* Before curses ends, for a while or for good. */
void curses_mouse_end(struct curses_mouse *mouse);

/* The next event that waits; EVENT_NONE: none. One KEY_MOUSE may stand for several. */
struct term_event curses_mouse_event(struct curses_mouse *mouse);

#endif
