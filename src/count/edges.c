/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/edges.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"

#include <stdbool.h>
#include <stdlib.h>

/* Of each node the nearest node above it of the same function, and the one just below that on the
   way; 0: there is none. */
struct above {
	uint32_t same, below;
};

/* Entering NODE on a path of which LAST says where each function is last. */
static void enter(struct above *above, uint32_t *last, uint32_t *path,
	const struct report_node *nodes, uint32_t node)
{
	uint32_t same = last[nodes[node].function];
	path[nodes[node].depth] = node;
	above[node].same = same;
	above[node].below = same ? path[nodes[same].depth + 1] : 0;
	last[nodes[node].function] = node;
}

/* One walk through the tree: to look up from each node would take as long as paths are. To be
   freed. */
static struct above *look_above(const struct report *report)
{
	const struct report_node *nodes = report->nodes;
	uint32_t functions = 1, depth = 0;
	for (uint32_t i = 1; i < report->n_nodes; i++) {
		functions = nodes[i].function >= functions ? nodes[i].function + 1
							   : functions;
		depth = nodes[i].depth > depth ? nodes[i].depth : depth;
	}
	struct above *above = mem_zalloc((report->n_nodes + 1) * sizeof(*above));
	uint32_t *last = mem_zalloc(functions * sizeof(*last));
	uint32_t *path = mem_zalloc((depth + 1) * sizeof(*path));
	uint32_t *next = mem_zalloc((depth + 1) * sizeof(*next)); /* child of each */
	for (uint32_t at = 0; report->n_nodes > 0;) {
		const struct report_node *node = &nodes[at];
		if (next[node->depth] < node->n_children) {
			at = node->first_child + next[node->depth]++;
			next[nodes[at].depth] = 0;
			enter(above, last, path, nodes, at);
		} else if (at != 0) {
			last[node->function] = above[at].same;
			at = node->parent;
		} else {
			break;
		}
	}
	free(next);
	free(path);
	free(last);
	return above;
}

/* Does the pair of CHILD and its parent also occur further out on the same stack? */
static bool recurs(const struct report *report, const struct above *above, uint32_t child)
{
	const struct report_node *nodes = report->nodes;
	uint32_t caller = nodes[nodes[child].parent].function;
	for (uint32_t at = above[child].same; at != 0; at = above[at].same)
		if (nodes[at].parent != 0 && nodes[nodes[at].parent].function == caller)
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

static bool is_empty(const struct weight *weight)
{
	return weight->samples == 0 && weight->cpu_ns == 0 && weight->wall_ns == 0;
}

/* What is known of a stack, from its root on, down to one node of the tree. */
struct passed {
	bool met;	 /* FUNCTION is on it */
	uint32_t callee; /* below its innermost one; PROFILE_NONE: that is the leaf */
};

void edges_of(struct edges *edges, const struct report *report, uint32_t function)
{
	struct idmap callers = {0}, callees = {0};
	struct passed *passed = mem_zalloc(report->n_nodes * sizeof(*passed));
	*edges = (struct edges){.callers = {0}};
	for (uint32_t i = 1; i < report->n_nodes; i++) { /* parents come first */
		const struct report_node *node = &report->nodes[i];
		const struct passed *above = &passed[node->parent];
		bool is_it = node->function == function;
		passed[i].met = above->met || is_it;
		if (is_it && !above->met && node->parent == 0)
			weight_add(&edges->outermost, &node->total);
		else if (is_it && !above->met)
			add(&edges->callers, &callers,
				&(struct edge){report->nodes[node->parent].function,
					node->total});
		if (!passed[i].met)
			continue;
		passed[i].callee = is_it			   ? PROFILE_NONE
				   : above->callee == PROFILE_NONE ? node->function
								   : above->callee;
		if (is_it)
			weight_add(&edges->self, &node->self);
		else if (!is_empty(&node->self))
			add(&edges->callees, &callees,
				&(struct edge){passed[i].callee, node->self});
	}
	sort(&edges->callers);
	sort(&edges->callees);
	free(passed);
	idmap_finish(&callers);
	idmap_finish(&callees);
}

void edges_finish(struct edges *edges)
{
	vec_free(&edges->callers);
	vec_free(&edges->callees);
}

/* PLACES: (caller, callee) -> index in LIST. */
static void add_call(struct call_list *list, struct idmap *places, uint32_t caller,
	uint32_t callee, const struct weight *weight)
{
	uint32_t *place = idmap_get(places, caller, callee);
	if (place) {
		weight_add(&list->data[*place].weight, weight);
		return;
	}
	idmap_put(places, caller, callee, (uint32_t)list->len);
	vec_push(list, (struct call){caller, callee, *weight});
}

static void weight_subtract(struct weight *from, const struct weight *part)
{
	from->samples -= part->samples;
	from->instants -= part->instants;
	from->cpu_ns -= part->cpu_ns;
	from->wall_ns -= part->wall_ns;
}

static void drop_empty(struct call_list *calls)
{
	size_t kept = 0;
	vec_each (calls, call)
		if (!is_empty(&call->weight))
			calls->data[kept++] = *call;
	calls->len = kept;
}

/* A call weighs all that is below it, for the caller less what is below a recursion of the
   caller: that belongs to what is called there. */
void edges_shared(struct call_list *of_callers, struct call_list *of_callees,
	const struct report *report)
{
	struct idmap caller_places = {0}, callee_places = {0};
	const struct report_node *nodes = report->nodes;
	struct above *above = look_above(report);
	of_callers->len = of_callees->len = 0;
	for (uint32_t i = 1; i < report->n_nodes; i++) { /* parents come first */
		uint32_t function = nodes[i].function;
		uint32_t caller = nodes[nodes[i].parent].function;
		uint32_t below = above[i].below;
		if (nodes[i].parent != 0 && caller != function)
			add_call(of_callers, &caller_places, caller, function,
				&nodes[i].total);
		if (nodes[i].parent != 0 && below == 0)
			add_call(of_callees, &callee_places, caller, function,
				&nodes[i].total);
		if (below == 0 || below == i)
			continue;
		uint32_t *place =
			idmap_get(&caller_places, function, nodes[below].function);
		weight_subtract(&of_callers->data[*place].weight, &nodes[i].total);
	}
	drop_empty(of_callers);
	free(above);
	idmap_finish(&caller_places);
	idmap_finish(&callee_places);
}

void edges_all(struct call_list *calls, const struct report *report)
{
	struct idmap places = {0};
	struct above *above = look_above(report);
	calls->len = 0;
	for (uint32_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		uint32_t caller = report->nodes[node->parent].function;
		if (node->parent == 0 || caller == node->function ||
			recurs(report, above, i))
			continue;
		add_call(calls, &places, caller, node->function, &node->total);
	}
	free(above);
	idmap_finish(&places);
}
