/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/calltree.h"

#include "src/base/id-index.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
	NO_NODE = UINT32_MAX
};

/* A node of the tree while it is built. Parents come before their children; siblings form
   a list. */
struct sprout {
	uint32_t function, parent, first_child, next_sibling, n_children;
	struct weight self;
};

struct builder {
	const struct report *report;
	const struct profile *profile;
	const struct stacktab *stacktab;
	VEC(struct sprout) sprouts;
	struct id_index children; /* of all but the root, by parent and function */
	uint32_t *of_stack;	  /* stack node -> sprout, NO_NODE if not met yet */
	uint32_t *slots;	  /* function id -> its row in the report, or NO_NODE */
	uint32_t *name_ranks;	  /* function row -> its place in name order */
};

static void key_of(const void *builder, uint32_t id, uint64_t key[2])
{
	const struct sprout *sprout =
		&((const struct builder *)builder)->sprouts.data[id];
	key[0] = sprout->parent;
	key[1] = sprout->function;
}

static uint32_t child_for(struct builder *builder, uint32_t parent, uint32_t function)
{
	const struct id_owner owner = {key_of, builder};
	uint32_t id;
	if (id_index_find(&builder->children, owner, parent, function, &id))
		return id;
	id = (uint32_t)builder->sprouts.len;
	struct sprout *above = &builder->sprouts.data[parent];
	struct sprout child = {
		.function = function,
		.parent = parent,
		.first_child = NO_NODE,
		.next_sibling = above->first_child,
	};
	above->first_child = id;
	above->n_children++;
	vec_push(&builder->sprouts, child);
	id_index_add(&builder->children, owner, id);
	return id;
}

/* The sprout of FUNCTION, called from sprout PARENT. */
static uint32_t step(struct builder *builder, uint32_t parent, uint32_t function)
{
	uint32_t kin = profile_function(builder->profile, function)->kin;
	if (report_joins(builder->report, builder->sprouts.data[parent].function, kin))
		return parent;
	return child_for(builder, parent, kin);
}

/* The sprout of a stack node: below the sprout of its parent, one level for each line of
   its location, the real function first and the functions inlined into it below. Walks up
   to the nearest node whose sprout is known, and down again. */
static uint32_t sprout_of_stack(struct builder *builder, uint32_t stack)
{
	VEC(uint32_t) path = {0};
	uint32_t node = stack;
	for (; !stacktab_is_root(node) && builder->of_stack[node] == NO_NODE;
		node = stacktab_node(builder->stacktab, node)->parent)
		vec_push(&path, node);
	uint32_t sprout = stacktab_is_root(node) ? 0 : builder->of_stack[node];
	while (path.len) {
		node = path.data[--path.len];
		const struct location *location = report_counted(builder->report,
			stacktab_node(builder->stacktab, node)->location);
		for (uint32_t i = location->n_lines; i-- > 0;)
			sprout = step(builder, sprout, location->lines[i].function);
		builder->of_stack[node] = sprout;
	}
	vec_free(&path);
	return sprout;
}

static void grow_tree(struct builder *builder, const struct report *report)
{
	struct sprout whole = {.function = PROFILE_NONE, .first_child = NO_NODE};
	vec_push(&builder->sprouts, whole);
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		uint32_t leaf = sprout_of_stack(builder, stack->stack);
		weight_add(&builder->sprouts.data[leaf].self, &stack->weight);
	}
	id_index_finish(&builder->children);
	free(builder->of_stack);
	builder->of_stack = NULL;
}

/* One row for every function of the tree, still without weights. */
static void list_functions(struct builder *builder, struct report *report)
{
	uint32_t known = builder->profile->functions->len;
	builder->slots = mem_alloc(known * sizeof(*builder->slots));
	memset(builder->slots, 0xff, known * sizeof(*builder->slots));
	VEC(struct report_function) rows = {0};
	for (size_t i = 1; i < builder->sprouts.len; i++) {
		uint32_t function = builder->sprouts.data[i].function;
		if (builder->slots[function] != NO_NODE)
			continue;
		builder->slots[function] = (uint32_t)rows.len;
		vec_push(&rows, (struct report_function){.function = function});
	}
	report->functions = rows.data;
	report->n_functions = rows.len;
}

static int compare_names(const void *a, const void *b, void *profile)
{
	const struct function *x = profile_function(profile, *(const uint32_t *)a);
	const struct function *y = profile_function(profile, *(const uint32_t *)b);
	int order = strcmp(x->name, y->name);
	if (!order)
		order = strcmp(x->module, y->module);
	if (!order)
		order = *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
	return order;
}

static void rank_names(struct builder *builder, const struct report *report)
{
	size_t n = report->n_functions;
	uint32_t *by_name = mem_alloc(n * sizeof(*by_name));
	for (size_t i = 0; i < n; i++)
		by_name[i] = report->functions[i].function;
	if (n)
		qsort_r(by_name, n, sizeof(*by_name), compare_names,
			(void *)builder->profile);
	builder->name_ranks = mem_alloc(n * sizeof(*builder->name_ranks));
	for (size_t i = 0; i < n; i++)
		builder->name_ranks[builder->slots[by_name[i]]] = (uint32_t)i;
	free(by_name);
}

struct ranked {
	uint32_t rank, sprout;
};

static int compare_ranked(const void *a, const void *b)
{
	uint32_t x = ((const struct ranked *)a)->rank,
		 y = ((const struct ranked *)b)->rank;
	return (x > y) - (x < y);
}

/* Lay the tree out breadth first, siblings in name order. */
static void lay_out(struct builder *builder, struct report *report)
{
	size_t n = builder->sprouts.len;
	struct report_node *nodes = mem_zalloc(n * sizeof(*nodes));
	uint32_t *sprout_at = mem_alloc(n * sizeof(*sprout_at));
	VEC(struct ranked) siblings = {0};
	uint32_t filled = 1;
	sprout_at[0] = 0;
	nodes[0].function = PROFILE_NONE;
	for (uint32_t i = 0; i < filled; i++) {
		const struct sprout *sprout = &builder->sprouts.data[sprout_at[i]];
		nodes[i].self = sprout->self;
		nodes[i].first_child = filled;
		nodes[i].n_children = sprout->n_children;
		siblings.len = 0;
		for (uint32_t c = sprout->first_child; c != NO_NODE;
			c = builder->sprouts.data[c].next_sibling) {
			uint32_t slot = builder->slots[builder->sprouts.data[c].function];
			vec_push(
				&siblings, (struct ranked){builder->name_ranks[slot], c});
		}
		if (siblings.len > 1)
			qsort(siblings.data, siblings.len, sizeof(*siblings.data),
				compare_ranked);
		vec_each (&siblings, child) {
			sprout_at[filled] = child->sprout;
			nodes[filled].function =
				builder->sprouts.data[child->sprout].function;
			nodes[filled].parent = i;
			nodes[filled].depth = nodes[i].depth + 1;
			filled++;
		}
	}
	vec_free(&siblings);
	vec_free(&builder->sprouts);
	free(sprout_at);
	report->nodes = nodes;
	report->n_nodes = n;
}

/* Children come after their parent. */
static void add_up(struct report *report)
{
	for (size_t i = report->n_nodes; i-- > 0;) {
		struct report_node *node = &report->nodes[i];
		weight_add(&node->total, &node->self);
		if (i)
			weight_add(&report->nodes[node->parent].total, &node->total);
	}
}

/* Self and total per function. Depth first, counting how often each function is open on
   the path, so that a recursive function's total counts its outermost node only. */
static void weigh_functions(struct builder *builder, struct report *report)
{
	uint32_t *open = mem_zalloc(report->n_functions * sizeof(*open));
	VEC(uint32_t)
	path = {0}; /* nodes; the top bit says that the node is being left */
	const uint32_t leaving = UINT32_C(1) << 31;
	vec_push(&path, 0);
	while (path.len) {
		uint32_t entry = path.data[--path.len];
		const struct report_node *node = &report->nodes[entry & ~leaving];
		uint32_t slot = node->function == PROFILE_NONE
					? NO_NODE
					: builder->slots[node->function];
		if (entry & leaving) {
			open[slot]--;
			continue;
		}
		if (slot != NO_NODE) {
			struct report_function *row = &report->functions[slot];
			weight_add(&row->self, &node->self);
			if (open[slot]++ == 0)
				weight_add(&row->total, &node->total);
			vec_push(&path, entry | leaving);
		}
		for (uint32_t i = 0; i < node->n_children; i++)
			vec_push(&path, node->first_child + i);
	}
	vec_free(&path);
	free(open);
}

static int compare_rows(const void *a, const void *b, void *profile)
{
	const struct report_function *x = a, *y = b;
	if (x->self.cpu_ns != y->self.cpu_ns)
		return x->self.cpu_ns < y->self.cpu_ns ? 1 : -1;
	if (x->total.cpu_ns != y->total.cpu_ns)
		return x->total.cpu_ns < y->total.cpu_ns ? 1 : -1;
	return compare_names(&x->function, &y->function, profile);
}

void calltree_build(struct report *report)
{
	struct builder builder = {.report = report,
		.profile = report->profile,
		.stacktab = report->stacktab};
	uint32_t n_ids = report_stack_ids(report);
	builder.of_stack = mem_alloc(n_ids * sizeof(*builder.of_stack));
	memset(builder.of_stack, 0xff, n_ids * sizeof(*builder.of_stack));

	grow_tree(&builder, report);
	list_functions(&builder, report);
	rank_names(&builder, report);
	lay_out(&builder, report);
	add_up(report);
	weigh_functions(&builder, report);
	if (report->n_functions)
		qsort_r(report->functions, report->n_functions,
			sizeof(*report->functions), compare_rows,
			(void *)report->profile);

	free(builder.slots);
	free(builder.name_ranks);
}
