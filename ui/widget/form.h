/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * form: settings and their values in a box over the view, each changed where it stands.
 *
 * The caller fills in the rows before each use, so that values are always those that hold now;
 * the cursor stays. UI thread.
 */
#ifndef CPROFTOP_UI_FORM_H
#define CPROFTOP_UI_FORM_H

#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	FORM_MAX = 40,
	FORM_VALUE_MAX = 48
};

struct form_row {
	const char *label; /* borrowed */
	char value[FORM_VALUE_MAX];
	bool is_title; /* of the rows below; it has no value */
};

struct form {
	const char *title; /* borrowed */
	struct form_row rows[FORM_MAX];
	int n_rows;
	int cursor; /* never at a title */
};

enum form_result {
	FORM_OPEN,
	FORM_CLOSED,
	FORM_NEXT,    /* the next value of the row with the cursor */
	FORM_PREVIOUS /* the value before */
};

/* Begin to fill it in anew. */
void form_start(struct form *form, const char *title);
void form_add(struct form *form, const char *label, const char *value);
void form_add_title(struct form *form, const char *label);

enum form_result form_key(struct form *form, uint32_t key);

/* In the middle of GRID. */
void form_draw(const struct form *form, struct grid *grid);

/* A click at a cell of GRID: on a row it is its next value. */
enum form_result form_click(
	struct form *form, const struct grid *grid, int row, int column);

#endif
