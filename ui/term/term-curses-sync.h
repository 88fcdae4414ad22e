/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-sync: a picture that appears as a whole (mode 2026, "synchronized output").
 *
 * Between the two sequences a terminal that knows this mode collects what is drawn and shows
 * it at once, so that no half of a picture is seen. It is asked with DECRQM at the start. Its
 * answer comes among the keys, now, later or never: ncurses is told that each possible answer
 * is a key, so that nobody waits for it, and no key of a person's is taken for it. Main thread.
 */
#ifndef CPROFTOP_UI_TERM_CURSES_SYNC_H
#define CPROFTOP_UI_TERM_CURSES_SYNC_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

struct curses_sync {
	bool is_awaited;   /* asked, and not answered yet */
	uint64_t asked_ns; /* when */
	bool is_on;	   /* the terminal has said that it knows the mode */
};

/* Ask a terminal of TYPE, unless that is one which is known to print what it does not
   understand. */
void curses_sync_ask(struct curses_sync *sync, const char *type);

/* Is the key CODE of curses an answer? */
bool curses_sync_heard(struct curses_sync *sync, wint_t code);

/* Before the end: throw away an answer that is on its way, so that the shell does not get it. */
void curses_sync_finish(const struct curses_sync *sync);

/* Around what is drawn. */
void curses_sync_begin(const struct curses_sync *sync);
void curses_sync_end(const struct curses_sync *sync);

#endif
