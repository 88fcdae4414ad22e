/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-rgb: colours by red, green and blue, for curses.
 *
 * Most terminals of today have them, but say so in the environment (COLORTERM) and not in their
 * description, which has 256. curses can show them only if the description has them, by the
 * extended capability RGB (ncurses 6.1). Other ways were weighed: to redefine the 256 would
 * change what other programs in the terminal show, and stay if we are killed; TERM=xterm-direct is often not installed, and its keys may be other ones. So
 * curses is given a description that is the terminal's own except for its colours. Main thread.
 */
#ifndef CPROFTOP_UI_TERM_CURSES_RGB_H
#define CPROFTOP_UI_TERM_CURSES_RGB_H

#include <stdbool.h>

/* A description of terminal TYPE with these colours, as TERMINFO may hold one ("hex:1e02...");
   the caller frees it. NULL if TYPE is not known, has no colours at all, is described with
   these already, or if neither its description nor the environment says that it has them and
   not IS_SURE. */
char *curses_rgb_describe(const char *type, bool is_sure);

/* Has somebody a description of TYPE, and can that terminal place its cursor? That of Emacs' shell,
   TERM=dumb, cannot. */
bool curses_rgb_known(const char *type, bool *places_cursor);

#endif
