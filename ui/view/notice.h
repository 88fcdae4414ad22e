/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notice: messages inside a view: why it is empty, and how many more rows there are.
 *
 * Pure; UI thread.
 */
#ifndef CPROFTOP_UI_NOTICE_H
#define CPROFTOP_UI_NOTICE_H

#include "src/count/report.h"
#include "ui/view/view.h"

#include <stdbool.h>

/* Write the LINES, up to a NULL, centred in GRID from row TOP on. */
void notice_draw(struct grid *grid, int top, const char *const *lines);

/* If REPORT has no samples, say why and what to do, and return true. */
bool notice_draw_empty(struct grid *grid, int top, const struct report *report);

/* If COUNT is not 0, write GLYPH, COUNT and WORD ("v 12 more") at the right end of ROW,
   and blank ROW from column FROM on. */
void notice_draw_more(struct grid *grid, int row, int from, enum glyph glyph,
	size_t count, const char *word);

#endif
