/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/rewritten.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/count/report-blocks.h"
#include "src/facts/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOT_MET = UINT32_MAX
};

/* One (thread, stack) of a file, before and after. */
struct moved_row {
	uint32_t row, thread, stack; /* in the old origin */
	uint32_t new_thread, new_stack;
};

struct rewriter {
	struct report *report;
	struct stacktab *table;
	uint32_t *moved; /* by the old node; NOT_MET: not looked at yet */
};

/* STACK of the old table in the new one: without the frames of processes that are counted as
   one, whose locations have no lines. */
static uint32_t move_stack(struct rewriter *rewriter, uint32_t stack)
{
	const struct stacktab *old = rewriter->report->stacktab;
	VEC(uint32_t) path = {0};
	uint32_t node = stack;
	for (; !stacktab_is_root(node) && rewriter->moved[node] == NOT_MET;
		node = stacktab_node(old, node)->parent)
		vec_push(&path, node);
	uint32_t moved = stacktab_is_root(node) ? node : rewriter->moved[node];
	while (path.len) {
		node = path.data[--path.len];
		uint32_t id = stacktab_node(old, node)->location;
		if (report_described(rewriter->report, id)->n_lines > 0)
			moved = stacktab_child(rewriter->table, moved, id);
		rewriter->moved[node] = moved;
	}
	vec_free(&path);
	return moved;
}

static uint32_t move_thread(const struct rewriter *rewriter, uint32_t thread)
{
	const struct report *report = rewriter->report;
	return naming_thread(report->naming_owner, &report->request.naming, thread);
}

/* --- what a file says besides --------------------------------------------------------- */

/* The labels of THREAD for its copy under another name. */
static void copy_labels(const struct report *report, struct origin *origin,
	uint32_t thread, uint32_t copy)
{
	const struct profile *profile = report->profile;
	const char *before = profile_thread(profile, thread)->name,
		   *now = profile_thread(profile, copy)->name;
	while (origin->of_thread.len <= copy)
		vec_push(&origin->of_thread, (struct label_range){0});
	struct label_range from = origin->of_thread.data[thread], *to;
	to = &origin->of_thread.data[copy];
	if (to->count)
		return;
	to->first = (uint32_t)origin->labels.len;
	to->count = from.count;
	for (uint32_t i = from.first; i < from.first + from.count; i++) {
		struct label label = origin->labels.data[i];
		if (origin_label_names_thread(&label) && strcmp(label.text, before) == 0)
			label.text = now;
		vec_push(&origin->labels, label);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct moved_row *x = a, *y = b;
	return (x->row > y->row) - (x->row < y->row);
}

/* The values of ROWS in the report's range of time, under their new threads and stacks, in
   the order of the file. The copy has no moments: all of it is that range. */
static void move_origin(struct report *report, struct moved_row *rows, size_t n)
{
	const struct origin *old = report->origin;
	struct origin *origin = origin_copy_facts(old);
	int64_t *part = origin_part(old, report->start_ns, report->end_ns);
	if (n)
		qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].new_thread != rows[i].thread)
			copy_labels(report, origin, rows[i].thread, rows[i].new_thread);
		origin_add_values(origin, rows[i].new_thread, rows[i].new_stack,
			origin_values(old, part, rows[i].thread, rows[i].stack));
	}
	free(part);
	origin_unref(old);
	report->origin = origin;
}

/* --- all --------------------------------------------------------------------------- */

/* Sort the stacks, and add up those that have become the same. */
static void merge_stacks(struct report *report)
{
	size_t kept = 0;
	if (report->n_stacks)
		qsort(report->stacks, report->n_stacks, sizeof(*report->stacks),
			report_compare_stacks);
	for (size_t i = 0; i < report->n_stacks; i++) {
		struct report_stack *stack = &report->stacks[i];
		if (kept && report_compare_stacks(&report->stacks[kept - 1], stack) == 0)
			weight_add(&report->stacks[kept - 1].weight, &stack->weight);
		else
			report->stacks[kept++] = *stack;
	}
	report->n_stacks = kept;
}

/* Where a stack that is now as in MOVED stands; n_stacks: it was dropped. */
static size_t find_moved(const struct report *report, const struct report_stack *moved)
{
	return moved->stack == NOT_MET ? report->n_stacks
				       : report_find_stack(report, moved->thread,
						 moved->stack, moved->state);
}

/* Moments and blocks of time name stacks by their old index, at which MOVED has what they
   are now. */
static void move_moments(struct report *report, const struct report_stack *moved)
{
	size_t kept = 0;
	for (size_t i = 0; i < report->n_moments; i++) {
		struct report_moment moment = report->moments[i];
		size_t place = find_moved(report, &moved[moment.stack]);
		moment.stack = (uint32_t)place;
		if (place < report->n_stacks)
			report->moments[kept++] = moment;
	}
	report->n_moments = kept;
}

static void move_pieces(struct report *report, const struct report_stack *moved)
{
	size_t kept = 0;
	for (size_t i = 0; i < report->n_pieces; i++) {
		struct report_piece piece = report->pieces[i];
		size_t place = find_moved(report, &moved[piece.stack]);
		piece.stack = (uint32_t)place;
		if (place < report->n_stacks)
			report->pieces[kept++] = piece;
	}
	report->n_pieces = report_merge_pieces(report->pieces, kept);
}

/* Move every stack; those of which nothing is left are dropped. MOVED_STACKS: what has become
   of each. */
static void move_all(struct rewriter *rewriter, struct report_stack *moved_stacks)
{
	struct report *report = rewriter->report;
	VEC(struct moved_row) rows = {0};
	size_t kept = 0;
	report->total = (struct weight){0};
	for (size_t i = 0; i < report->n_stacks; i++) {
		struct report_stack stack = report->stacks[i];
		moved_stacks[i].stack = NOT_MET;
		uint32_t moved_node = move_stack(rewriter, stack.stack);
		bool was_empty = stacktab_is_root(stack.stack);
		if (stacktab_is_root(moved_node) && !was_empty)
			continue;
		struct moved_row row = {
			.thread = stack.thread,
			.stack = stack.stack,
			.new_thread = move_thread(rewriter, stack.thread),
			.new_stack = moved_node,
		};
		if (report->origin) {
			row.row = origin_row(report->origin, row.thread, row.stack);
			vec_push(&rows, row);
		}
		weight_add(&report->total, &stack.weight);
		stack.thread = row.new_thread;
		stack.stack = row.new_stack;
		report->stacks[kept++] = moved_stacks[i] = stack;
	}
	report->n_stacks = kept;
	if (report->origin)
		move_origin(report, rows.data, rows.len);
	vec_free(&rows);
}

void rewritten_apply(struct report *report)
{
	if (!report->naming_owner)
		return;
	const struct rewrite *rewrite =
		naming_rewrite(report->naming_owner, &report->request.naming);
	bool as_one =
		report->several && report->request.naming.processes == PROCESSES_AS_ONE;
	if (!(rewrite && rewrite_has_threads(rewrite)) && !as_one)
		return;
	struct rewriter rewriter = {.report = report};
	uint32_t n_ids = report_stack_ids(report);
	rewriter.moved = mem_alloc(n_ids * sizeof(*rewriter.moved));
	for (uint32_t i = 0; i < n_ids; i++)
		rewriter.moved[i] = NOT_MET;
	rewriter.table = stacktab_create();
	struct report_stack *moved = mem_alloc((report->n_stacks + 1) * sizeof(*moved));
	move_all(&rewriter, moved);
	merge_stacks(report);
	move_moments(report, moved);
	move_pieces(report, moved);
	free(moved);
	stacktab_unref(report->stacktab);
	report->stacktab = rewriter.table;
	free(rewriter.moved);
}
