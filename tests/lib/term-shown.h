/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-shown: what the curses back end shows of tests/tools/term-program, in a terminal
 * emulator. One test thread.
 */
#ifndef CPROFTOP_TESTS_TERM_SHOWN_H
#define CPROFTOP_TESTS_TERM_SHOWN_H

#include "tests/lib/vterm-screen.h"
#include "ui/draw/theme.h"

#include <stdbool.h>

extern char term_shown_program[4096]; /* its path */

/* Once, before anything else: the locale, and an environment that says nothing of colours.
   False if there is no such locale. */
bool term_shown_begin(void);

/* Run it in a terminal of TYPE with OPTION, or NULL, until it shows itself. */
void term_shown_start(struct vterm_screen *screen, const char *type, const char *option);
void term_shown_quit(struct vterm_screen *screen);

/* Each role has the colours of THEME, on a terminal of TYPE. */
void term_shown_expect(
	const struct vterm_screen *screen, const char *type, struct theme theme);

#endif
