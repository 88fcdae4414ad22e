/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-guard: restore the terminal, whatever ends the program.
 *
 * From begin to end it handles the signals that concern a terminal. Signals that ask for
 * something (to end, to stop, to read the size again) become bits that the event loop
 * takes, because the program must let go of the target first. A second signal to end
 * restores the terminal and ends the program at once, in case the loop hangs. A crash, or the end of
 * memory (src/base/mem.h), restores the terminal at once: it writes bytes prepared before
 * and sets the original line settings, with functions that are safe in a signal handler.
 *
 * The handlers write to a pipe that is polled together with the keyboard, because a
 * signal may arrive on any thread and would not always interrupt the right poll. One
 * guard at a time; main thread.
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

/* Remember the line settings of IN_FD and take over the signals. Call it before curses
   starts: curses leaves signals alone that have a handler. */
struct term_guard *term_guard_begin(int in_fd, int out_fd, struct error *err);

/* BYTES (at most 256) restore the terminal's state: leave the alternate screen, show the
   cursor... */
void term_guard_set_bytes(struct term_guard *guard, const char *bytes);

/* These bytes and the line settings, for use by another process. */
void term_guard_restoration(const struct term_guard *guard, struct term_restoration *out);

/* readable when term_guard_take would return bits */
int term_guard_fd(const struct term_guard *guard);
unsigned term_guard_take(struct term_guard *guard);

/* Stop this process as Ctrl-Z does; returns when it is continued. */
void term_guard_stop(struct term_guard *guard);

/* Put the signals back as they were; frees GUARD. Does not touch the terminal. */
void term_guard_end(struct term_guard *guard); /* NULL is fine */

#endif
