/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list: a cursor in a list of rows, of which one screenful is visible.
 *
 * Cursor and scrolling for all views with rows. It is given the number of rows and how
 * many fit, not their contents. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_LIST_H
#define CPROFTOP_UI_LIST_H

#include "ui/keys/action.h"

#include <stdbool.h>
#include <stddef.h>

struct list {
	size_t cursor; /* row; less than the count, or 0 */
	size_t top;    /* first row visible */
};

/* Move the cursor by ACTION, in COUNT rows of which PAGE are visible. False if ACTION is
   not a movement. */
bool list_move(struct list *list, enum action action, size_t count, size_t page);

/* Scroll as little as needed to make the cursor visible, and leave no empty line below
   the last row while there are rows above. */
void list_reveal(struct list *list, size_t count, size_t page);

/* Scroll rows that are wider than the screen: LEFT columns of them are off it, at most 4096
   (CLEAN_MAX, the longest name). ACTION is ACTION_LEFT or ACTION_RIGHT. */
void list_scroll(int *left, enum action action);

#endif
