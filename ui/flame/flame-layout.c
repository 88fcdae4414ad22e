/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/flame/flame-layout.h"

#include <assert.h>
#include <stdlib.h>

/* Products of a weight in ns and a width do not fit 64 bits after an hour on a big
 * machine. */
typedef unsigned __int128 wide;

enum {
	FOLDED_LEAST = 4, /* nodes: fewer take no room */
	TIP_KEPT = 3,	  /* callers of a tip */
};

struct part { /* the remainder of one weight after whole columns were given out */
	uint64_t remainder;
	size_t index;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->remainder != y->remainder)
		return x->remainder > y->remainder ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

uint32_t flame_layout_share(const uint64_t *weights, size_t count, uint64_t whole,
	uint32_t width, uint32_t *out)
{
	struct part *parts = mem_alloc((count + 1) * sizeof(*parts));
	uint64_t rest = whole;
	uint32_t left = width, gap = 0;

	assert(whole > 0);
	for (size_t i = 0; i <= count; i++) {
		uint64_t weight = i < count ? weights[i] : rest;
		wide columns = (wide)weight * width;
		uint32_t floor = (uint32_t)(columns / whole);

		assert(weight <= rest);
		if (i < count) {
			out[i] = floor;
			rest -= weight;
		} else {
			gap = floor;
		}
		left -= floor;
		parts[i] = (struct part){(uint64_t)(columns % whole), i};
	}
	if (left > 0)
		qsort(parts, count + 1, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < left; i++) {
		if (parts[i].index < count)
			out[parts[i].index]++;
		else
			gap++;
	}
	free(parts);
	return gap;
}

/* The children of one cell while their widths are computed. */
struct brood {
	VEC(uint32_t) nodes; /* with a cell of their own, in the report's order */
	VEC(uint64_t) weights;
	VEC(uint32_t) widths;
	uint64_t merged_weight;
	uint32_t merged, merged_node; /* how many, and the last of them */
	uint32_t merged_width;
};

static void brood_merge(struct brood *brood, uint32_t node, uint64_t weight)
{
	brood->merged++;
	brood->merged_node = node;
	brood->merged_weight += weight;
}

/* Collect the children; those of less than half a column are merged at once. So at most
   twice as many as there are columns remain. Whether a child is merged here depends only
   on its own weight, so cells do not appear and disappear because of their siblings. */
static uint64_t brood_collect(struct brood *brood, const struct report *report,
	const struct flame_cell *cell, enum metric metric, uint64_t least)
{
	const struct report_node *parent = &report->nodes[cell->last];
	const struct report_node *children = &report->nodes[parent->first_child];
	uint64_t whole = metric_of(metric, &parent->total);

	brood->nodes.len = brood->weights.len = 0;
	brood->merged = 0;
	brood->merged_weight = 0;
	for (uint32_t i = 0; i < parent->n_children; i++) {
		uint64_t weight = metric_of(metric, &children[i].total);
		uint32_t node = parent->first_child + i;

		if (weight == 0)
			continue;
		if (weight < least || (wide)weight * cell->width * 2 < whole) {
			brood_merge(brood, node, weight);
		} else {
			vec_push(&brood->nodes, node);
			vec_push(&brood->weights, weight);
		}
	}
	return whole;
}

/* Merge children that got no column. True if there were any. */
static bool brood_sift(struct brood *brood)
{
	size_t kept = 0;

	for (size_t i = 0; i < brood->nodes.len; i++) {
		if (brood->widths.data[i] == 0) {
			brood_merge(brood, brood->nodes.data[i], brood->weights.data[i]);
		} else {
			brood->nodes.data[kept] = brood->nodes.data[i];
			brood->weights.data[kept++] = brood->weights.data[i];
		}
	}
	if (kept == brood->nodes.len)
		return false;
	brood->nodes.len = brood->weights.len = kept;
	return true;
}

static void brood_share(struct brood *brood, uint64_t whole, uint32_t width)
{
	do {
		brood->merged_width = 0;
		if (brood->merged > 0) {
			wide twice = (wide)brood->merged_weight * width * 2;
			uint32_t nearest = (uint32_t)((twice + whole) / whole / 2);
			brood->merged_width = nearest > 0 ? nearest : 1;
		}
		vec_reserve(&brood->widths, brood->nodes.len);
		if (whole > brood->merged_weight)
			flame_layout_share(brood->weights.data, brood->nodes.len,
				whole - brood->merged_weight, width - brood->merged_width,
				brood->widths.data);
	} while (brood_sift(brood));
}

/* Is the only merged child next in order? A single merged child gets its own cell,
   because its name needs no more room than "1 other". */
static bool brood_next_is_merged_child(const struct brood *brood, size_t next)
{
	return brood->merged == 1 &&
	       (next == brood->nodes.len || brood->nodes.data[next] > brood->merged_node);
}

static void add_cell(struct flame_layout *layout, uint32_t parent, uint32_t *x,
	const struct flame_cell *cell)
{
	struct flame_cell copy = *cell;

	copy.parent = parent;
	copy.last = copy.node;
	copy.x = *x;
	copy.row = layout->cells.data[parent].row + 1;
	if (copy.row == layout->rows.len)
		vec_push(&layout->rows, (uint32_t)layout->cells.len);
	if (layout->cells.data[parent].n_children++ == 0)
		layout->cells.data[parent].first_child = (uint32_t)layout->cells.len;
	vec_push(&layout->cells, copy);
	*x += copy.width;
}

static void add_children(struct flame_layout *layout, const struct report *report,
	uint32_t parent, struct brood *brood, enum metric metric, uint64_t least)
{
	struct flame_cell cell = layout->cells.data[parent];
	uint64_t whole = brood_collect(brood, report, &cell, metric, least);
	uint32_t x = cell.x;

	if (whole == 0)
		return;
	brood_share(brood, whole, cell.width);

	bool merged_done = brood->merged == 0;
	for (size_t i = 0; i <= brood->nodes.len; i++) {
		if (!merged_done && brood_next_is_merged_child(brood, i)) {
			add_cell(layout, parent, &x,
				&(struct flame_cell){.node = brood->merged_node,
					.width = brood->merged_width,
					.weight = brood->merged_weight});
			merged_done = true;
		}
		if (i < brood->nodes.len)
			add_cell(layout, parent, &x,
				&(struct flame_cell){.node = brood->nodes.data[i],
					.width = brood->widths.data[i],
					.weight = brood->weights.data[i]});
	}
	if (!merged_done)
		add_cell(layout, parent, &x,
			&(struct flame_cell){.node = cell.last,
				.width = brood->merged_width,
				.weight = brood->merged_weight,
				.merged = brood->merged});
}

/* The child that has all columns of NODE but less than half of one; 0: there is none. */
static uint32_t only_child(
	const struct report *report, uint32_t node, uint32_t width, enum metric metric)
{
	const struct report_node *at = &report->nodes[node];
	uint64_t whole = metric_of(metric, &at->total);

	for (uint32_t i = 0; i < at->n_children; i++) {
		uint32_t child = at->first_child + i;
		uint64_t rest = whole - metric_of(metric, &report->nodes[child].total);
		if ((wide)rest * width * 2 < whole)
			return child;
	}
	return 0;
}

/* Fold the trunk that begins with CELL, if it is long enough. */
static void fold(struct flame_cell *cell, const struct report *report, enum metric metric)
{
	uint32_t length = 0, kept, end = cell->node, child;

	while ((child = only_child(report, end, cell->width, metric)) != 0) {
		end = child;
		length++;
	}
	kept = report->nodes[end].n_children == 0 ? TIP_KEPT : 0;
	if (length < FOLDED_LEAST + kept)
		return;
	cell->folded = length - kept;
	for (; kept > 0; kept--)
		end = report->nodes[end].parent;
	cell->next = end;
	cell->last = report->nodes[end].parent;
}

void flame_layout_build(struct flame_layout *layout, const struct report *report,
	uint32_t root, uint32_t width, enum metric metric, uint64_t least, bool folds)
{
	struct brood brood = {0};

	assert(width > 0);
	layout->cells.len = layout->rows.len = 0;
	vec_push(&layout->rows, 0);
	vec_push(&layout->cells,
		(struct flame_cell){.node = root,
			.last = root,
			.width = width,
			.weight = metric_of(metric, &report->nodes[root].total)});
	/* Cells are made in the order they are visited, which makes the rows
	   contiguous. */
	for (uint32_t i = 0; i < layout->cells.len; i++) {
		struct flame_cell *cell = &layout->cells.data[i];
		/* the first one of several processes is the process */
		bool is_process = report->several && report->nodes[cell->node].depth == 1;
		if (folds && i > 0 && cell->merged == 0 && !is_process)
			fold(cell, report, metric);
		if (cell->merged == 0)
			add_children(layout, report, i, &brood, metric, least);
	}
	vec_free(&brood.nodes);
	vec_free(&brood.weights);
	vec_free(&brood.widths);
}

void flame_layout_finish(struct flame_layout *layout)
{
	vec_free(&layout->cells);
	vec_free(&layout->rows);
}

const struct flame_cell *flame_layout_row(
	const struct flame_layout *layout, uint32_t row, size_t *count)
{
	if (row >= layout->rows.len) {
		*count = 0;
		return NULL;
	}
	uint32_t first = layout->rows.data[row];
	size_t limit = row + 1 < layout->rows.len ? layout->rows.data[row + 1]
						  : layout->cells.len;
	*count = limit - first;
	return &layout->cells.data[first];
}

const struct flame_cell *flame_layout_at(
	const struct flame_layout *layout, uint32_t row, uint32_t x)
{
	size_t count;
	const struct flame_cell *cells = flame_layout_row(layout, row, &count);

	for (size_t i = 0; i < count; i++) {
		if (x >= cells[i].x && x < cells[i].x + cells[i].width)
			return &cells[i];
	}
	return NULL;
}
