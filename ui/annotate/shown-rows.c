/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/annotate/shown-rows.h"

#include <string.h>

void shown_rows_finish(struct shown_rows *rows)
{
	vec_free(&rows->list);
	vec_free(&rows->place_of);
	idmap_finish(&rows->flipped);
}

/* The line that ROW is, or is below of; NULL: none. */
static const struct annotation_row *line_of(
	const struct shown_rows *rows, const struct annotation_row *row)
{
	while (row->kind != ANNOTATION_LINE) {
		if (row->parent == ANNOTATION_NONE)
			return NULL;
		row = &rows->annotation->rows.data[row->parent];
	}
	return row;
}

static uint64_t key_of(const struct annotation_row *line)
{
	return strpool_hash(line->file, strlen(line->file));
}

bool shown_rows_is_unfolded(
	const struct shown_rows *rows, const struct annotation_row *row)
{
	if (row->kind != ANNOTATION_LINE)
		return true;
	const uint32_t *flipped = idmap_get(&rows->flipped, key_of(row), row->line);
	return rows->unfolded != (flipped && *flipped);
}

void shown_rows_flip(struct shown_rows *rows, const struct annotation_row *row)
{
	const struct annotation_row *line = line_of(rows, row);
	if (!line)
		return;
	const uint32_t *flipped = idmap_get(&rows->flipped, key_of(line), line->line);
	idmap_put(&rows->flipped, key_of(line), line->line, !(flipped && *flipped));
}

void shown_rows_unfold(struct shown_rows *rows, const struct annotation_row *row)
{
	const struct annotation_row *line = line_of(rows, row);
	if (line && !shown_rows_is_unfolded(rows, line))
		shown_rows_flip(rows, line);
}

/* Headers and notes cost nothing and are always shown. */
static bool is_hidden(
	const struct annotation_row *row, enum metric metric, uint64_t least)
{
	bool has_cost = row->kind == ANNOTATION_LINE || row->kind == ANNOTATION_CODE ||
			row->kind == ANNOTATION_INLINE;
	if (least == 0)
		return false;
	return row->kind == ANNOTATION_GAP ||
	       (has_cost && metric_of(metric, &row->self) < least &&
		       metric_of(metric, &row->total) < least);
}

void shown_rows_choose(struct shown_rows *rows, const struct annotation *annotation,
	enum metric metric, uint64_t least)
{
	rows->annotation = annotation;
	rows->list.len = rows->place_of.len = 0;
	for (uint32_t i = 0; i < annotation->rows.len; i++) {
		const struct annotation_row *row = &annotation->rows.data[i];
		const struct annotation_row *line = line_of(rows, row);
		bool is_folded =
			line && line != row && !shown_rows_is_unfolded(rows, line);
		if (!is_folded && !is_hidden(row, metric, least))
			vec_push(&rows->list, i);
		uint32_t place = rows->list.len ? (uint32_t)rows->list.len - 1 : 0;
		vec_push(&rows->place_of, place);
	}
}

/* --- hot rows -------------------------------------------------------------------------- */

static bool is_candidate(const struct shown_rows *rows, const struct annotation_row *row)
{
	return row->kind ==
	       (rows->annotation->has_lines ? ANNOTATION_LINE : ANNOTATION_CODE);
}

/* Instructions of inlined functions cost their line nothing itself, but there it is spent. */
static uint64_t heat_of(const struct shown_rows *rows, size_t place, enum metric metric)
{
	const struct annotation_row *row = shown_row(rows, place);
	uint64_t heat = metric_of(metric, &row->self);
	for (uint32_t i = 1; row->kind == ANNOTATION_LINE && i <= row->n_below; i++)
		if (row[i].kind == ANNOTATION_INLINE)
			heat += metric_of(metric, &row[i].self);
	return heat;
}

size_t shown_rows_hottest(const struct shown_rows *rows, enum metric metric)
{
	size_t hottest = rows->list.len;
	uint64_t most = 0;
	for (size_t i = 0; i < rows->list.len; i++) {
		if (!is_candidate(rows, shown_row(rows, i)) ||
			heat_of(rows, i, metric) <= most)
			continue;
		hottest = i;
		most = heat_of(rows, i, metric);
	}
	return hottest;
}

size_t shown_rows_next_hot(
	const struct shown_rows *rows, enum metric metric, size_t behind)
{
	size_t next = rows->list.len;
	uint64_t most = 0, limit = UINT64_MAX;
	if (behind < rows->list.len && is_candidate(rows, shown_row(rows, behind)))
		limit = heat_of(rows, behind, metric);
	for (size_t i = 0; i < rows->list.len; i++) {
		if (!is_candidate(rows, shown_row(rows, i)))
			continue;
		uint64_t heat = heat_of(rows, i, metric);
		bool is_after = heat < limit || (heat == limit && i > behind);
		if (heat > 0 && is_after && heat > most) {
			next = i;
			most = heat;
		}
	}
	return next < rows->list.len ? next : shown_rows_hottest(rows, metric);
}
