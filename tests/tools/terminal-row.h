/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal-row: a row of a terminal, as `tmux capture-pane -e` writes it.
 *
 * Between the characters stand the SGR sequences of ECMA-48 (`ESC [ 1 ; 38 ; 5 ; 7 m`), also
 * those for 256 and for any colours. Other sequences are skipped. Any thread.
 */
#ifndef CPROFTOP_TESTS_TERMINAL_ROW_H
#define CPROFTOP_TESTS_TERMINAL_ROW_H

#include "ui/draw/theme.h"

#include <stddef.h>

/* The terminal's own colours. */
#define TERMINAL_NORMAL ((struct paint){-1, -1, 0})

/* One of the terminal's 256, as 0xrrggbb: the first sixteen are those of xterm. */
unsigned terminal_colour(unsigned number);

/* The text of ROW into TEXT, which has as much room; and how each column is painted, up to MAX:
   their number is returned. Colours are 0xrrggbb, or -1 for the terminal's own. STATE is what
   holds where the row begins, and then where it ends: TERMINAL_NORMAL before the first. */
size_t terminal_row(const char *row, struct paint *state, char *text,
	struct paint *paints, size_t max);

#endif
