/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/callers.h"

#include "src/base/idmap.h"
#include "src/count/calltree.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEFT_OUT = 200, /* a caller with less than 1/LEFT_OUT of its function */
	NONE = UINT32_MAX,
	INDENT = 2,
	INDENT_MAX = 60,
};

/* A caller in the tree of one function: SELF weight of that function under this path. */
struct caller {
	uint32_t function;
	uint32_t next_sibling, first_child;
	struct weight weight;
};

struct callers {
	const struct listing *listing;
	VEC(struct caller) list; /* the roots first: one for each row of the report */
	struct idmap children;	 /* (caller, function) -> caller */
	struct idmap roots;	 /* (function, 0) -> caller */
};

static uint32_t add_caller(struct callers *callers, uint32_t under, uint32_t function)
{
	struct idmap *ids = under == NONE ? &callers->roots : &callers->children;
	uint64_t a = under == NONE ? function : under, b = under == NONE ? 0 : function;
	uint32_t *known = idmap_get(ids, a, b);
	if (known)
		return *known;
	uint32_t index = (uint32_t)callers->list.len;
	struct caller caller = {
		.function = function, .next_sibling = NONE, .first_child = NONE};
	if (under != NONE) {
		caller.next_sibling = callers->list.data[under].first_child;
		callers->list.data[under].first_child = index;
	}
	vec_push(&callers->list, caller);
	idmap_put(ids, a, b, index);
	return index;
}

static void add_all(struct callers *callers)
{
	const struct report *report = callers->listing->report;
	for (size_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		const struct weight *self = &node->self;
		if (!callers->listing->metric.of(self))
			continue;
		uint32_t at = NONE;
		for (; node != report->nodes; node = &report->nodes[node->parent]) {
			at = add_caller(callers, at, node->function);
			weight_add(&callers->list.data[at].weight, self);
		}
	}
}

static uint64_t weight_of(const struct callers *callers, uint32_t at)
{
	return callers->listing->metric.of(&callers->list.data[at].weight);
}

static const char *name_of(const struct callers *callers, uint32_t at)
{
	return profile_function(
		callers->listing->report->profile, callers->list.data[at].function)
		->name;
}

static int compare(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t weight_x = weight_of(context, x), weight_y = weight_of(context, y);
	if (weight_x != weight_y)
		return weight_x < weight_y ? 1 : -1;
	int order = strcmp(name_of(context, x), name_of(context, y));
	return order ? order : (x > y) - (x < y);
}

/* A caller that is to be written, and how deep. */
struct task {
	uint32_t caller;
	int indent;
	bool is_only; /* all the weight below is from it: its share is known */
};

struct tasks {
	struct task *data;
	size_t len, cap;
};

/* Push the callers of AT so that the heaviest is on top. */
static void push_callers(const struct callers *callers, struct tasks *tasks,
	const struct task *at, uint64_t least)
{
	VEC(uint32_t) list = {0};
	for (uint32_t c = callers->list.data[at->caller].first_child; c != NONE;
		c = callers->list.data[c].next_sibling)
		if (weight_of(callers, c) >= least)
			vec_push(&list, c);
	if (list.len)
		qsort_r(list.data, list.len, sizeof(*list.data), compare,
			(void *)callers);
	for (size_t i = list.len; i-- > 0;) {
		bool is_only = list.len == 1 && weight_of(callers, list.data[i]) ==
							weight_of(callers, at->caller);
		vec_push(tasks, (struct task){
					.caller = list.data[i],
					.indent = at->indent + (is_only ? 0 : INDENT),
					.is_only = is_only,
				});
	}
	vec_free(&list);
}

/* The share of the function ROOT that comes through each caller. */
static void write_tree(const struct callers *callers, uint32_t root, FILE *out)
{
	struct tasks tasks = {0};
	struct task first = {.caller = root};
	uint64_t whole = weight_of(callers, root), least = whole / LEFT_OUT + 1;
	push_callers(callers, &tasks, &first, least);
	while (tasks.len) {
		struct task task = tasks.data[--tasks.len];
		int indent = task.indent < INDENT_MAX ? task.indent : INDENT_MAX;
		if (task.is_only)
			fprintf(out, "%*s%s\n", 19 + indent, "",
				name_of(callers, task.caller));
		else
			fprintf(out, "%*s%6.2f%%  %s\n", 10 + indent, "",
				file_metric_percent(
					weight_of(callers, task.caller), whole),
				name_of(callers, task.caller));
		push_callers(callers, &tasks, &task, least);
	}
	vec_free(&tasks);
}

void callers_write(const struct listing *listing, size_t most, FILE *out)
{
	struct callers callers = {.listing = listing};
	const struct file_metric *metric = &listing->metric;
	add_all(&callers);
	fprintf(out, "%9s %7s  %s\n", "self", "self%", "function, and who called it");
	for (size_t i = 0; i < listing->rows.len && i < most; i++) {
		const struct report_function *row = listing->rows.data[i];
		uint64_t self = metric->of(&row->self);
		uint32_t *root = idmap_get(&callers.roots, row->function, 0);
		if (!self || !root)
			continue;
		fprintf(out, "%9s %6.2f%%  %s\n", quantity_say(metric->kind, self).text,
			file_metric_percent(self, listing->whole),
			name_of(&callers, *root));
		write_tree(&callers, *root, out);
	}
	vec_free(&callers.list);
	idmap_finish(&callers.children);
	idmap_finish(&callers.roots);
}
