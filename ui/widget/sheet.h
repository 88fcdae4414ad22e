/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet: a page of text over the view, to be read and closed: help, a long name.
 *
 * Owns its lines. UI thread.
 */
#ifndef CPROFTOP_UI_SHEET_H
#define CPROFTOP_UI_SHEET_H

#include "src/base/vec.h"
#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stdint.h>

struct sheet_line {
	char *key;  /* at the left, in the colour of keys; "" for none */
	char *text; /* wrapped where the sheet ends */
	bool is_title;
};

struct sheet {
	char *title;
	VEC(struct sheet_line) lines;
	int top;	 /* the first row shown, of the rows that the lines take */
	int key_columns; /* of the widest key */
};

void sheet_start(struct sheet *sheet, const char *title); /* frees what was there */
void sheet_add(struct sheet *sheet, bool is_title, const char *key, const char *text);
void sheet_finish(struct sheet *sheet);

/* Scroll; false if the key closes the sheet. GRID is what it is drawn in. */
bool sheet_key(struct sheet *sheet, uint32_t key, const struct grid *grid);

void sheet_draw(const struct sheet *sheet, struct grid *grid);

/* Fill SHEET with what every key does, from the table of actions. */
void sheet_help(struct sheet *sheet);

#endif
