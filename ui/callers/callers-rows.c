/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/callers/callers-rows.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/count/edges.h"
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_SHARE 0.9

enum {
	DEPTH_BY_ITSELF = 8 /* deeper no caller is open by itself */
};

/* A node of the function, outermost on its stacks, and the ancestor that a row stands for. */
struct member {
	uint32_t of, at, caller;
};

struct group {
	const struct member *members;
	size_t n;
	struct weight weight;
	uint64_t heat;
};

static int by_caller(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static int by_heat(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->heat != y->heat)
		return x->heat > y->heat ? -1 : 1;
	return by_caller(x->members, y->members);
}

static struct callers_row *add(struct callers_rows *rows, enum callers_kind kind,
	uint32_t function, const struct weight *weight)
{
	struct callers_row row = {.kind = kind, .function = function, .weight = *weight};
	vec_push(rows, row);
	return &rows->data[rows->len - 1];
}

static void add_callers(struct callers_rows *rows, const struct report *report,
	const struct group *below, const struct callers_row *parent);

static void add_group(struct callers_rows *rows, const struct report *report,
	const struct group *group, const struct group *below, struct callers_row parent)
{
	uint32_t function = group->members[0].caller;
	struct callers_row *row = add(rows, CALLERS_CALLER, function, &group->weight);

	row->depth = parent.depth + 1;
	row->key = idmap_hash(parent.key, function);
	for (size_t i = 0; i < group->n; i++)
		row->has_callers |= report->nodes[group->members[i].at].parent != 0;
	const uint32_t *flipped = idmap_get(&rows->flipped, row->key, 0);
	bool opens = row->depth <= DEPTH_BY_ITSELF &&
		     !function_is_own(profile_function(report->profile, function)) &&
		     (double)group->heat >= OPEN_SHARE * (double)below->heat;
	row->is_open = row->has_callers && opens != (flipped && *flipped);
	if (row->is_open) {
		struct callers_row copy = *row; /* rows may move */
		add_callers(rows, report, group, &copy);
	}
}

/* The callers of what BELOW stands for, as rows. */
static void add_callers(struct callers_rows *rows, const struct report *report,
	const struct group *below, const struct callers_row *parent)
{
	enum metric metric = view_metric(report);
	VEC(struct member) members = {0};
	VEC(struct group) groups = {0};

	for (size_t i = 0; i < below->n; i++) {
		uint32_t at = report->nodes[below->members[i].at].parent;
		struct member member = {
			below->members[i].of, at, report->nodes[at].function};
		if (at != 0)
			vec_push(&members, member);
	}
	if (members.len > 0)
		qsort(members.data, members.len, sizeof(members.data[0]), by_caller);
	for (size_t i = 0; i < members.len; i++) {
		if (i == 0 || members.data[i].caller != members.data[i - 1].caller) {
			struct group group = {.members = &members.data[i]};
			vec_push(&groups, group);
		}
		struct group *group = &groups.data[groups.len - 1];
		group->n++;
		weight_add(&group->weight, &report->nodes[members.data[i].of].total);
		group->heat = metric_of(metric, &group->weight);
	}
	if (groups.len > 0)
		qsort(groups.data, groups.len, sizeof(groups.data[0]), by_heat);
	vec_each (&groups, group)
		add_group(rows, report, group, below, *parent);
	vec_free(&groups);
	vec_free(&members);
}

/* The nodes of FUNCTION that have none of it above them. */
static void add_tree(
	struct callers_rows *rows, const struct report *report, uint32_t function)
{
	bool *met = mem_zalloc(report->n_nodes);
	VEC(struct member) members = {0};
	struct group group = {0};

	for (uint32_t i = 1; i < report->n_nodes; i++) { /* parents come first */
		const struct report_node *node = &report->nodes[i];
		struct member member = {i, i, function};
		met[i] = met[node->parent] || node->function == function;
		if (met[i] && !met[node->parent]) {
			vec_push(&members, member);
			group.heat += metric_of(view_metric(report), &node->total);
		}
	}
	group.members = members.data;
	group.n = members.len;
	add_callers(rows, report, &group, &(struct callers_row){.key = function});
	vec_free(&members);
	free(met);
}

void callers_rows_build(
	struct callers_rows *rows, const struct report *report, uint32_t function)
{
	struct weight total = {0};
	struct edges edges;

	for (size_t i = 0; i < report->n_functions; i++)
		if (report->functions[i].function == function)
			total = report->functions[i].total;
	edges_of(&edges, report, function);
	rows->len = 0;
	add(rows, CALLERS_FUNCTION, function, &total);
	if (edges.outermost.samples > 0)
		add(rows, CALLERS_OUTERMOST, function, &edges.outermost);
	add_tree(rows, report, function);
	if (edges.self.samples > 0)
		add(rows, CALLERS_SELF, function, &edges.self);
	vec_each (&edges.callees, edge)
		add(rows, CALLERS_CALLEE, edge->function, &edge->weight);
	edges_finish(&edges);
}

void callers_rows_flip(struct callers_rows *rows, const struct callers_row *row)
{
	const uint32_t *flipped = idmap_get(&rows->flipped, row->key, 0);

	idmap_put(&rows->flipped, row->key, 0, !(flipped && *flipped));
}

void callers_rows_finish(struct callers_rows *rows)
{
	idmap_finish(&rows->flipped);
	vec_free(rows);
}
