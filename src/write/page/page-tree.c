/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/page/page-tree.h"

#include "src/base/mem.h"
#include "src/count/change.h"
#include "src/count/stack-frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The place of ID in a list that is as long as PLACES; *IS_NEW: it has to be added. */
static uint32_t place_of(struct idmap *places, uint32_t id, bool *is_new)
{
	const uint32_t *known = idmap_get(places, id, 0);
	*is_new = !known;
	if (known)
		return *known;
	uint32_t place = (uint32_t)places->len;
	idmap_put(places, id, 0, place);
	return place;
}

static uint32_t function_place(struct page_tree *tree, uint32_t id)
{
	bool is_new;
	uint32_t place = place_of(&tree->function_places, id, &is_new);
	if (is_new)
		vec_push(&tree->functions, id);
	return place;
}

static uint32_t thread_place(struct page_tree *tree, uint32_t id)
{
	bool is_new;
	uint32_t place = place_of(&tree->thread_places, id, &is_new);
	if (is_new)
		vec_push(&tree->threads, id);
	return place;
}

static uint32_t child_of(struct page_tree *tree, uint32_t parent, uint32_t function)
{
	const uint32_t *known = idmap_get(&tree->children, parent, function);
	if (known)
		return *known;
	vec_push(&tree->nodes, (struct page_node){function, parent, false});
	uint32_t node = (uint32_t)tree->nodes.len;
	idmap_put(&tree->children, parent, function, node);
	return node;
}

static void add_stacks(
	struct page_tree *tree, uint64_t (*value)(const struct weight *weight))
{
	const struct report *report = tree->report;
	const struct difference *difference = report->difference;
	struct stack_frames frames = {0};

	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		struct page_entry entry = {.weight = value(&stack->weight)};
		if (difference) {
			const struct change *change = &difference->stacks[i];
			entry.weight = (uint64_t)llround(change->after);
			entry.before =
				(uint64_t)llround(change->before / difference->factor);
		}
		if (!entry.weight && !entry.before)
			continue;
		stack_frames_of(report, stack->stack, &frames);
		for (size_t k = frames.len; k-- > 0;)
			entry.node = child_of(tree, entry.node,
				function_place(tree, frames.data[k].function));
		entry.thread = thread_place(tree, stack->thread);
		vec_push(&tree->entries, entry);
	}
	vec_free(&frames);
}

/* The report's own tree says which changes are more than noise. Its parents come before
   their children. */
static void mark_real(struct page_tree *tree)
{
	const struct report *report = tree->report;
	uint32_t *nodes = mem_zalloc(report->n_nodes * sizeof(*nodes));

	for (size_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		const uint32_t *place =
			idmap_get(&tree->function_places, node->function, 0);
		const uint32_t *here =
			place && (!node->parent || nodes[node->parent])
				? idmap_get(&tree->children, nodes[node->parent], *place)
				: NULL;
		if (!here)
			continue;
		nodes[i] = *here;
		tree->nodes.data[*here - 1].is_real = report->difference->node[i].real;
	}
	free(nodes);
}

/* By name, as the page has siblings. */
static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct page_tree *tree = context;
	const struct page_node *x = &tree->nodes.data[*(const uint32_t *)a - 1],
			       *y = &tree->nodes.data[*(const uint32_t *)b - 1];
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	const struct profile *profile = tree->report->profile;
	int order = strcmp(
		profile_function(profile, tree->functions.data[x->function])->name,
		profile_function(profile, tree->functions.data[y->function])->name);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

/* Number the nodes anew, each before its children, and those before its next sibling. */
static void order_nodes(struct page_tree *tree)
{
	uint32_t n = (uint32_t)tree->nodes.len, next = 0;
	uint32_t *sorted = mem_alloc((n + 1) * sizeof(*sorted));
	uint32_t *first = mem_zalloc((n + 3) * sizeof(*first)); /* children in SORTED */
	uint32_t *numbers = mem_zalloc((n + 1) * sizeof(*numbers));
	struct page_node *nodes = mem_alloc((n + 1) * sizeof(*nodes));
	VEC(uint32_t) open = {0};

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = i + 1;
	if (n)
		qsort_r(sorted, n, sizeof(*sorted), compare_nodes, tree);
	for (uint32_t i = 0; i < n; i++)
		first[tree->nodes.data[i].parent + 1]++;
	for (uint32_t i = 1; i <= n + 1; i++)
		first[i] += first[i - 1];
	vec_push(&open, 0);
	while (open.len) {
		uint32_t node = open.data[--open.len];
		if (node) {
			nodes[next] = tree->nodes.data[node - 1];
			nodes[next].parent = numbers[nodes[next].parent];
			numbers[node] = ++next;
		}
		for (uint32_t i = first[node + 1]; i-- > first[node];)
			vec_push(&open, sorted[i]);
	}
	if (n)
		memcpy(tree->nodes.data, nodes, n * sizeof(*nodes));
	vec_each (&tree->entries, entry)
		entry->node = numbers[entry->node];
	vec_free(&open);
	free(nodes);
	free(numbers);
	free(first);
	free(sorted);
}

static int compare_entries(const void *a, const void *b)
{
	const struct page_entry *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* A report has a stack once for each state of its thread, a page has it once. */
static void order_entries(struct page_tree *tree)
{
	struct page_entry *entries = tree->entries.data;
	size_t kept = 0;

	if (!tree->entries.len)
		return;
	qsort(entries, tree->entries.len, sizeof(*entries), compare_entries);
	for (size_t i = 1; i < tree->entries.len; i++) {
		if (compare_entries(&entries[kept], &entries[i]) != 0) {
			entries[++kept] = entries[i];
			continue;
		}
		entries[kept].weight += entries[i].weight;
		entries[kept].before += entries[i].before;
	}
	tree->entries.len = kept + 1;
}

void page_tree_init(struct page_tree *tree, const struct report *report,
	uint64_t (*value)(const struct weight *weight))
{
	*tree = (struct page_tree){.report = report};
	add_stacks(tree, value);
	if (report->difference)
		mark_real(tree);
	order_nodes(tree);
	order_entries(tree);
}

void page_tree_finish(struct page_tree *tree)
{
	idmap_finish(&tree->children);
	idmap_finish(&tree->function_places);
	idmap_finish(&tree->thread_places);
	vec_free(&tree->nodes);
	vec_free(&tree->entries);
	vec_free(&tree->functions);
	vec_free(&tree->threads);
}
