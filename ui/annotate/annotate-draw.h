/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate-draw: how the rows of the source view look.
 *
 * Pure; UI thread.
 */
#ifndef CPROFTOP_UI_ANNOTATE_DRAW_H
#define CPROFTOP_UI_ANNOTATE_DRAW_H

#include "src/count/annotate/parts.h"
#include "ui/annotate/arrows.h"
#include "ui/annotate/shown-rows.h"
#include "ui/view/view.h"

#include <stdbool.h>
#include <stddef.h>

struct annotate_frame {
	const struct parts *parts;
	const struct shown_rows *rows;
	const struct arrows *arrows;
	const struct report *report;
	const struct search *search;
	enum assembly_syntax syntax;
	bool bytes; /* of the instructions, too */
	int left;   /* columns that texts are scrolled by */
};

/* The function, and what it costs in all. */
void annotate_draw_function(
	const struct annotate_frame *frame, struct grid *grid, int row);
void annotate_draw_titles(const struct annotate_frame *frame, struct grid *grid, int row);
/* The rows from place TOP on, below ROW; the one at place CURSOR is chosen. */
void annotate_draw_rows(const struct annotate_frame *frame, struct grid *grid, int row,
	size_t top, size_t cursor);

/* All that is known of a row, as one line. */
void annotate_describe(
	const struct annotate_frame *frame, size_t place, char *text, size_t size);

/* The words of a row: of the source, or of an instruction; for searching. */
const char *annotate_words(const struct annotate_frame *frame, size_t place);

#endif
