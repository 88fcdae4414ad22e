/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown-rows: which rows of an annotation are shown: what is folded, and what costs too
 * little.
 *
 * What a person has folded or unfolded is remembered by line, so that it outlives the next
 * report. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_SHOWN_ROWS_H
#define CPROFTOP_UI_SHOWN_ROWS_H

#include "src/count/annotate/annotation.h"
#include "ui/view/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shown_rows {
	const struct annotation *annotation; /* borrowed */
	VEC(uint32_t) list;		     /* rows of the annotation */
	VEC(uint32_t)
	place_of;      /* by row: where it, or what it is folded into, is shown */
	bool unfolded; /* lines show their instructions, but for FLIPPED ones */
	struct idmap flipped;
};

void shown_rows_finish(struct shown_rows *rows);

/* Choose anew. LEAST: rows with a smaller weight than this are left out; 0: none are. */
void shown_rows_choose(struct shown_rows *rows, const struct annotation *annotation,
	enum metric metric, uint64_t least);

static inline const struct annotation_row *shown_row(
	const struct shown_rows *rows, size_t place)
{
	return place < rows->list.len
		       ? &rows->annotation->rows.data[rows->list.data[place]]
		       : NULL;
}

/* Does the row show what is below it? */
bool shown_rows_is_unfolded(
	const struct shown_rows *rows, const struct annotation_row *row);

/* Fold or unfold what ROW belongs to; then choose anew. */
void shown_rows_flip(struct shown_rows *rows, const struct annotation_row *row);
void shown_rows_unfold(struct shown_rows *rows, const struct annotation_row *row);

/* The place of the row that costs most itself, of lines, or where there are none, of
   instructions; after one that has the weight AFTER at the place BEHIND, the next one: wrapped
   around. The number of places if nothing costs anything. */
size_t shown_rows_hottest(const struct shown_rows *rows, enum metric metric);
size_t shown_rows_next_hot(
	const struct shown_rows *rows, enum metric metric, size_t behind);

#endif
