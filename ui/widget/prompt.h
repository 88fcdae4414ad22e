/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt: a line being typed, in the place of the status line.
 *
 * It takes every key: letters are text, not commands. UTF-8; the cursor moves by whole
 * characters. UI thread.
 */
#ifndef CPROFTOP_UI_PROMPT_H
#define CPROFTOP_UI_PROMPT_H

#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROMPT_MAX = 256 /* bytes, NUL included */
};

struct prompt {
	char label[32];
	char text[PROMPT_MAX];
	size_t length, cursor; /* bytes */
	char error
		[160]; /* shown beside the text; set by the caller, who checks the text */
};

enum prompt_result {
	PROMPT_SAME,
	PROMPT_CHANGED,	 /* the text has changed */
	PROMPT_DONE,	 /* Enter */
	PROMPT_CANCELLED /* Esc, Ctrl-C, Ctrl-G */
};

/* Start with TEXT, cut if it is too long; the user may edit it. */
void prompt_start(struct prompt *prompt, const char *label, const char *text);

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key);

/* Draw into the first row of GRID; returns the column of the text cursor. */
int prompt_draw(const struct prompt *prompt, struct grid *grid);

#endif
