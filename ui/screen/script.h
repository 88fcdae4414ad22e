/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script: a session played from a file, for tests and pictures (`--ui-script FILE`).
 *
 * One command a line, '#' begins a comment:
 *
 *	size COLUMNS ROWS        resize the terminal
 *	key NAME...              keys by name (key.h): key Down Down Enter
 *	keys TEXT                as typed: keys /prime<Enter>  (<lt> is '<')
 *	mouse KIND ROW COLUMN    left, drag, release, double, right, wheel-up, wheel-down
 *	wait-report              until a report that is requested now is shown, and
 *	                         whatever was asked because of it
 *	wait-samples COUNT       until the report shown counts as many
 *	sleep SECONDS            sampling goes on
 *	save-display FILE        the screen as text
 *	save-styles FILE         the screen as text with its styles
 *	print                    the screen as text on standard output, and an empty line
 *
 * It drives a headless terminal. After each command with keys, the application handles
 * all of them and draws, before the next command. UI thread.
 */
#ifndef CPROFTOP_UI_SCRIPT_H
#define CPROFTOP_UI_SCRIPT_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "ui/term/term.h"

#include <stdbool.h>
#include <stdint.h>

struct script;

enum script_step {
	SCRIPT_WAIT,   /* handle events and reports, draw, and call again */
	SCRIPT_ASK,    /* the same, but ask for a report first */
	SCRIPT_END,    /* the script has ended */
	SCRIPT_FAILED, /* ERR says which line and why */
};

/* "-" is standard input. */
struct script *script_open(const char *path, struct error *err);
/* The screen COUNT times (0: for ever), after SECONDS each, on standard output: what top -b
   does. */
struct script *script_batch(double seconds, unsigned count);
void script_close(struct script *script); /* NULL is fine */

/* What the screen shows when a command may be executed. */
struct script_shown {
	const struct report *report; /* NULL: none yet */
	uint64_t
		asked; /* serial of the newest request; the next must have a larger one */
	bool is_answered; /* that request */
	uint64_t now_ns;
};

/* Execute commands until one must wait. */
enum script_step script_step(struct script *script, struct term *term,
	const struct script_shown *shown, struct error *err);

#endif
