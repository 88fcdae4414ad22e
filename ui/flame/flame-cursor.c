/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/flame/flame-cursor.h"

#include "ui/view/view.h"

#include <assert.h>
#include <string.h>

/* The child of CELL that shows FUNCTION, perhaps as a part of "other"; CELL itself if
   there is none. */
static uint32_t child_of(const struct flame_layout *layout, const struct report *report,
	uint32_t cell, uint32_t function, uint32_t *node)
{
	const struct flame_cell *at = &layout->cells.data[cell];
	const struct report_node *parent = &report->nodes[at->last];
	const struct flame_cell *last;
	uint32_t found = PROFILE_NONE;

	for (uint32_t i = 0; i < at->n_children; i++) {
		const struct flame_cell *child = &layout->cells.data[at->first_child + i];
		if (child->merged == 0 &&
			report->nodes[child->node].function == function) {
			*node = child->node;
			return at->first_child + i;
		}
	}
	if (at->n_children == 0)
		return cell;
	last = &layout->cells.data[at->first_child + at->n_children - 1];
	if (last->merged == 0)
		return cell;
	for (uint32_t i = 0; i < parent->n_children && found == PROFILE_NONE; i++) {
		if (report->nodes[parent->first_child + i].function == function)
			found = parent->first_child + i;
	}
	if (found == PROFILE_NONE && function != PROFILE_NONE)
		return cell;
	*node = function == PROFILE_NONE ? at->last : found;
	return at->first_child + at->n_children - 1;
}

/* Does the rest of the path exist below NODE? */
static bool node_exists(
	const struct report *report, const uint32_t *path, size_t length, uint32_t *node)
{
	for (size_t i = 0; i < length; i++) {
		const struct report_node *at = &report->nodes[*node];
		uint32_t child = at->first_child, end = at->first_child + at->n_children;
		while (child < end && report->nodes[child].function != path[i])
			child++;
		if (child == end)
			return false;
		*node = child;
	}
	return true;
}

bool flame_cursor_is_below(
	const struct flame_cursor *cursor, const uint32_t *root_path, size_t root_length)
{
	return cursor->path.len >= root_length &&
	       (root_length == 0 || memcmp(cursor->path.data, root_path,
					    root_length * sizeof(root_path[0])) == 0);
}

void flame_cursor_resolve(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, const uint32_t *root_path, size_t root_length)
{
	size_t i = root_length;

	if (!flame_cursor_is_below(cursor, root_path, root_length)) {
		cursor->path.len = 0;
		for (size_t at = 0; at < root_length; at++)
			vec_push(&cursor->path, root_path[at]);
	}
	cursor->cell = 0;
	cursor->node = layout->cells.data[0].node;
	for (; i < cursor->path.len; i++) {
		uint32_t next = child_of(layout, report, cursor->cell,
			cursor->path.data[i], &cursor->node);
		if (next == cursor->cell)
			break;
		cursor->cell = next;
		while (layout->cells.data[next].folded > 0 &&
			cursor->node != layout->cells.data[next].last &&
			i + 1 < cursor->path.len &&
			node_exists(report, &cursor->path.data[i + 1], 1, &cursor->node))
			i++;
		if (layout->cells.data[next].merged > 0 ||
			(layout->cells.data[next].folded > 0 &&
				cursor->node != layout->cells.data[next].last)) {
			i++;
			break;
		}
	}
	cursor->exact = i == cursor->path.len ||
			(layout->cells.data[cursor->cell].merged > 0 &&
				node_exists(report, cursor->path.data + i,
					cursor->path.len - i, &cursor->node));
}

void flame_cursor_to_node(
	struct flame_cursor *cursor, const struct report *report, uint32_t node)
{
	uint32_t depth = report->nodes[node].depth;

	cursor->path.len = 0;
	for (uint32_t i = 0; i < depth; i++)
		vec_push(&cursor->path, 0);
	for (; depth > 0; node = report->nodes[node].parent)
		cursor->path.data[--depth] = report->nodes[node].function;
}

bool flame_cursor_point(struct flame_cursor *cursor, const struct report *report,
	uint32_t function, const uint32_t *root_path, size_t root_length)
{
	struct flame_cursor there = {0};
	size_t length = cursor->path.len;

	if (length > 0 && cursor->path.data[length - 1] == function)
		return true;
	uint32_t node = flame_heaviest(report, function, NULL);
	flame_cursor_to_node(&there, report, node);
	bool is_there =
		node != 0 && flame_cursor_is_below(&there, root_path, root_length);
	if (is_there) {
		vec_free(&cursor->path);
		*cursor = there;
	} else
		flame_cursor_finish(&there);
	return is_there;
}

void flame_cursor_to_cell(struct flame_cursor *cursor, const struct flame_layout *layout,
	const struct report *report, uint32_t cell)
{
	const struct flame_cell *at = &layout->cells.data[cell];

	assert(cell < layout->cells.len);
	flame_cursor_to_node(cursor, report, at->node);
	if (at->merged > 0)
		vec_push(&cursor->path, PROFILE_NONE);
	cursor->cell = cell;
	cursor->node = at->node;
	cursor->exact = true;
}

void flame_cursor_finish(struct flame_cursor *cursor)
{
	vec_free(&cursor->path);
}

uint32_t flame_widest_child(const struct flame_layout *layout, uint32_t cell)
{
	const struct flame_cell *at = &layout->cells.data[cell];
	uint32_t widest = cell;

	for (uint32_t i = at->first_child; i < at->first_child + at->n_children; i++) {
		const struct flame_cell *child = &layout->cells.data[i];
		const struct flame_cell *best = &layout->cells.data[widest];
		/* Prefer a single function to a merged cell. */
		if (widest == cell || (best->merged > 0 && child->merged == 0) ||
			(child->merged == 0 && child->weight > best->weight))
			widest = i;
	}
	return widest;
}

uint32_t flame_next_in_row(const struct flame_layout *layout, uint32_t cell, int step)
{
	uint32_t next = step < 0 ? cell - 1 : cell + 1;

	if ((step < 0 && cell == 0) || next >= layout->cells.len ||
		layout->cells.data[next].row != layout->cells.data[cell].row)
		return cell;
	return next;
}

uint32_t flame_hottest_leaf(const struct flame_layout *layout,
	const struct report *report, enum metric metric, uint32_t cell)
{
	for (;;) {
		uint32_t child = flame_widest_child(layout, cell);
		const struct flame_cell *at = &layout->cells.data[child];
		const struct report_node *node =
			&report->nodes[layout->cells.data[cell].last];
		if (child == cell || at->merged > 0 ||
			at->weight < metric_of(metric, &node->self))
			return cell;
		cell = child;
	}
}

uint32_t flame_heaviest(
	const struct report *report, uint32_t function, const struct search *search)
{
	enum metric metric = view_metric(report);
	uint32_t heaviest = 0;

	for (uint32_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		bool wanted = search ? search_hit(search, node->function)
				     : node->function == function;
		if (wanted && (heaviest == 0 ||
				      metric_of(metric, &node->total) >
					      metric_of(metric,
						      &report->nodes[heaviest].total)))
			heaviest = i;
	}
	return heaviest;
}
