/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notice: what views say besides their contents: why there are none, and how many more
 * there are.
 *
 * Pure; UI thread.
 */
#ifndef CPROFTOP_UI_NOTICE_H
#define CPROFTOP_UI_NOTICE_H

#include "src/report/report.h"
#include "ui/view/view.h"

#include <stdbool.h>

/* Write the LINES, up to a NULL, in the middle of GRID from row TOP on. */
void notice_draw(struct grid *grid, int top, const char *const *lines);

/* If REPORT counts nothing, say why not and what to do, and return true. */
bool notice_draw_empty(struct grid *grid, int top, const struct report *report);

/* "v 12 more" at the right end of ROW, blank from column FROM on, if COUNT is not 0. */
void notice_draw_more(struct grid *grid, int row, int from, enum glyph glyph,
	size_t count, const char *word);

#endif
