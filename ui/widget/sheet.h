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
	bool is_sample; /* a word in its STYLE; those that follow each other share rows */
	struct style style;
};

struct sheet {
	char *title;
	VEC(struct sheet_line) lines;
	int top;	 /* the first row shown, counted in wrapped rows */
	int key_columns; /* of the widest key */
};

void sheet_start(struct sheet *sheet, const char *title); /* frees what was there */
void sheet_add(struct sheet *sheet, bool is_title, const char *key, const char *text);
void sheet_add_sample(struct sheet *sheet, struct style style, const char *text);
void sheet_finish(struct sheet *sheet);

/* Handle KEY: scroll, or return false if it closes the sheet. GRID is where it is
   drawn. */
bool sheet_key(struct sheet *sheet, uint32_t key, const struct grid *grid);

void sheet_draw(const struct sheet *sheet, struct grid *grid);

#endif
