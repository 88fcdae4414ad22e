/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/edges.h"

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/report/calltree.h"

#include <stdbool.h>
#include <stdlib.h>

/* Does the pair of CHILD and its parent also occur further out on the same stack? */
static bool recurs(const struct report *report, uint32_t child)
{
	const struct report_node *nodes = report->nodes;
	uint32_t callee = nodes[child].function, parent = nodes[child].parent;
	uint32_t caller = nodes[parent].function;
	for (uint32_t at = parent; nodes[at].parent != 0; at = nodes[at].parent)
		if (nodes[at].function == callee &&
			nodes[nodes[at].parent].function == caller)
			return true;
	return false;
}

/* PLACES: (function, 0) -> index in LIST. */
static void add(struct edge_list *list, struct idmap *places, const struct edge *edge)
{
	uint32_t *place = idmap_get(places, edge->function, 0);
	if (!place) {
		idmap_put(places, edge->function, 0, (uint32_t)list->len);
		vec_push(list, *edge);
		return;
	}
	weight_add(&list->data[*place].weight, &edge->weight);
}

static int compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	const uint64_t keys[][2] = {
		{x->weight.wall_ns, y->weight.wall_ns}, /* 0 if it is not counted */
		{x->weight.cpu_ns, y->weight.cpu_ns},
		{x->weight.samples, y->weight.samples},
		{y->function, x->function},
	};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	return 0;
}

static void sort(struct edge_list *list)
{
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), compare);
}

void edges_of(struct edges *edges, const struct report *report, uint32_t function)
{
	struct idmap callers = {0}, callees = {0};
	*edges = (struct edges){.callers = {0}};
	for (uint32_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		uint32_t caller = report->nodes[node->parent].function;
		bool is_callee = node->function == function;
		if (node->parent == 0 || (!is_callee && caller != function) ||
			recurs(report, i))
			continue;
		struct edge edge = {.function = caller, .weight = node->total};
		if (is_callee)
			add(&edges->callers, &callers, &edge);
		edge.function = node->function;
		if (caller == function)
			add(&edges->callees, &callees, &edge);
	}
	sort(&edges->callers);
	sort(&edges->callees);
	idmap_finish(&callers);
	idmap_finish(&callees);
}

void edges_finish(struct edges *edges)
{
	vec_free(&edges->callers);
	vec_free(&edges->callees);
}

void edges_all(struct call_list *calls, const struct report *report)
{
	struct idmap places = {0};
	calls->len = 0;
	for (uint32_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		uint32_t caller = report->nodes[node->parent].function;
		if (node->parent == 0 || caller == node->function || recurs(report, i))
			continue;
		uint32_t *place = idmap_get(&places, caller, node->function);
		if (place) {
			weight_add(&calls->data[*place].weight, &node->total);
			continue;
		}
		idmap_put(&places, caller, node->function, (uint32_t)calls->len);
		vec_push(calls, (struct call){.caller = caller,
					.callee = node->function,
					.weight = node->total});
	}
	idmap_finish(&places);
}
