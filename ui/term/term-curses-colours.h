/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-colours: the colours of a terminal of curses: how many it has, what its
 * background is, and a curses pair for each role. Main thread.
 */
#ifndef CPROFTOP_UI_TERM_CURSES_COLOURS_H
#define CPROFTOP_UI_TERM_CURSES_COLOURS_H

#include "ui/draw/theme.h"
#include "ui/term/term.h"

#include <curses.h>

struct curses_colours {
	struct theme theme;
	attr_t attributes[ROLE_COUNT]; /* with the pair of each role */
};

/* As newterm(3), for the terminal of stdin and stdout, with as many colours as OPTIONS say.
   NULL if TYPE is not known. */
SCREEN *curses_colours_newterm(const char *type, const struct term_options *options);

/* After that: begin to use colours. */
void curses_colours_begin(
	struct curses_colours *colours, const struct term_options *options);

/* The background as the environment has it: COLORFGBG, or the console of Linux. It may be that
   of another terminal, where tmux or ssh was started or a theme was changed since. */
enum theme_ground curses_colours_guess(void);

/* Another background: what is on the screen is to be drawn again. */
void curses_colours_set_ground(struct curses_colours *colours, enum theme_ground ground);

attr_t curses_attributes(unsigned attributes); /* of ATTR_* */

#endif
