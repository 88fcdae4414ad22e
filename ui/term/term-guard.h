/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-guard: the terminal is given back, whatever ends the program.
 *
 * From begin to end it holds the signals that concern a terminal. Those that ask for
 * something (end, stop, look at the size) become bits that the event loop takes: it is
 * for the program to leave the target in order first. Those that are a crash, and mem's
 * last words, restore the terminal on the spot, with prepared bytes and the line settings
 * of the beginning, calling nothing that may not be called there.
 *
 * Signals may arrive on any thread, so their handlers write to a pipe that is polled with
 * the keyboard; an interrupted poll would be the wrong thread's. One guard at a time;
 * main thread.
 */
#ifndef CPROFTOP_UI_TERM_GUARD_H
#define CPROFTOP_UI_TERM_GUARD_H

#include "src/base/error.h"
#include "ui/term/term.h"

#include <stdbool.h>

struct term_guard;

enum {
	GUARD_QUIT = 1,
	GUARD_SUSPEND = 2,
	GUARD_RESIZE = 4,
	GUARD_CONTINUED = 8
};

/* Remember the line settings of IN_FD, and take the signals. Before curses is started,
   which leaves alone what is taken. */
struct term_guard *term_guard_begin(int in_fd, int out_fd, struct error *err);

/* BYTES (at most 256 are kept) undo what was written to the terminal: leave the alternate
   screen, show the cursor... */
void term_guard_set_bytes(struct term_guard *guard, const char *bytes);

/* The same and the line settings, for another process. */
void term_guard_restoration(
	const struct term_guard *guard, struct term_restoration *out);

int term_guard_fd(const struct term_guard *guard); /* readable when take has bits */
unsigned term_guard_take(struct term_guard *guard);

/* Stop this process as Ctrl-Z does; returns when it is continued. */
void term_guard_stop(struct term_guard *guard);

/* Put the signals back as they were; frees GUARD. Does not touch the terminal. */
void term_guard_end(struct term_guard *guard); /* NULL is fine */

#endif
