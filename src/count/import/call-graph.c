/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/call-graph.h"

#include "src/base/mem.h"
#include "src/count/import/recording.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* What is below such a part of everything goes one way and not all ways that it
	   could: else the stacks would be as many as the paths. */
	FINE_PARTS = 4096,
	STEPS_MAX = 1 << 28, /* a hostile file: a second or two */
	GRAPH_BYTES_MAX = 128 << 20,
};

uint32_t call_graph_node(struct call_graph *graph, uint32_t location)
{
	vec_push(&graph->nodes, location);
	return (uint32_t)graph->nodes.len - 1;
}

size_t call_graph_bytes(const struct call_graph *graph)
{
	size_t values = graph->n_values * sizeof(int64_t);
	return graph->places.cap * sizeof(uint32_t) +
	       graph->sites.len * (sizeof(struct call_site) + sizeof(uint32_t) + values) +
	       graph->nodes.len *
		       (2 * sizeof(uint32_t) + sizeof(struct call_group) + 2 * values);
}

static void key_of(const void *graph, uint32_t id, uint64_t key[2])
{
	const struct call_site *site =
		&((const struct call_graph *)graph)->sites.data[id];
	key[0] = (uint64_t)site->node << 32 | site->callee;
	key[1] = site->location;
}

/* The index of SITE, which is added if it is new. False if there is no room for it. */
static bool intern_site(
	struct call_graph *graph, const struct call_site *site, uint32_t *index)
{
	const struct id_owner owner = {key_of, graph};
	uint64_t who = (uint64_t)site->node << 32 | site->callee;
	if (id_index_find(&graph->places, owner, who, site->location, index))
		return true;
	if (call_graph_bytes(graph) >= GRAPH_BYTES_MAX)
		return false;
	*index = (uint32_t)graph->sites.len;
	vec_push(&graph->sites, *site);
	id_index_add(&graph->places, owner, *index);
	for (size_t i = 0; i < graph->n_values; i++)
		vec_push(&graph->values, 0);
	return true;
}

bool call_graph_add(struct call_graph *graph, const struct call_site *site,
	const int64_t *values, struct error *err)
{
	size_t n = graph->n_values;
	uint32_t index;
	if (!intern_site(graph, site, &index))
		return error_set(err,
			"more different calls and lines than %d MiB have room for: "
			"convert a part of it",
			GRAPH_BYTES_MAX >> 20);
	int64_t *sums = graph->values.data + index * n;
	for (size_t i = 0; i < n; i++)
		/* A quarter, so that sums of an entry and an exit cannot run over. */
		if (values[i] > INT64_MAX / 4 - sums[i])
			return error_set(err, "costs that add up to more than 2^61");
		else
			sums[i] += values[i];
	return true;
}

void call_graph_finish(struct call_graph *graph)
{
	vec_free(&graph->nodes);
	vec_free(&graph->sites);
	vec_free(&graph->values);
	id_index_finish(&graph->places);
}

/* --- sharing -------------------------------------------------------------------------- */

/* A group that is being passed through: its sites are shared from NEXT on. */
struct visit {
	uint32_t group;
	uint32_t entry; /* the node that was entered; PROFILE_NONE: none was */
	uint32_t next, end;
	uint32_t frames; /* of the path below it */
	bool is_fine;
};

struct sharing {
	struct call_graph *graph;
	struct call_groups groups;
	struct recording *recording;
	uint32_t thread;
	uint64_t *enters; /* what will still enter each group */
	uint64_t *fine;
	VEC(struct visit) visits;
	/* Of each visit: what it has to share, and what entered the group when it began
	   and is not passed yet. */
	VEC(uint64_t) shares, wholes;
	VEC(uint32_t) path;   /* locations, outermost first */
	VEC(uint32_t) leaves; /* the same, leaf first */
	int64_t *piece;
	uint64_t steps;
};

static int64_t *values_of(const struct sharing *sharing, uint32_t site)
{
	return sharing->graph->values.data + site * sharing->graph->n_values;
}

static bool emit(struct sharing *sharing, const int64_t *values, struct error *err)
{
	sharing->leaves.len = 0;
	for (size_t i = sharing->path.len; i-- > 0;)
		vec_push(&sharing->leaves, sharing->path.data[i]);
	return recording_add(sharing->recording, sharing->thread, sharing->leaves.data,
		sharing->leaves.len, values, err);
}

/* Begin to share PIECE among the sites of GROUP. */
static void enter(
	struct sharing *sharing, uint32_t group, uint32_t entry, const int64_t *piece)
{
	size_t n = sharing->graph->n_values;
	uint64_t *enters = sharing->enters + group * n;
	struct call_group *bounds = &sharing->groups.groups.data[group];
	bool is_fine = true;
	for (size_t i = 0; i < n; i++) {
		uint64_t share = (uint64_t)piece[i];
		vec_push(&sharing->shares, share);
		vec_push(&sharing->wholes, enters[i]);
		enters[i] -= share < enters[i] ? share : enters[i];
		is_fine = is_fine && share <= sharing->fine[i];
	}
	vec_push(&sharing->visits, (struct visit){
					   .group = group,
					   .entry = entry,
					   .next = bounds->first,
					   .end = bounds->end,
					   .frames = (uint32_t)sharing->path.len,
					   .is_fine = is_fine,
				   });
}

static void leave(struct sharing *sharing)
{
	size_t n = sharing->graph->n_values;
	sharing->visits.len--;
	sharing->shares.len -= n;
	sharing->wholes.len -= n;
}

/* The part of A that B of WHOLE gets, to the nearest. A <= WHOLE and B <= WHOLE; so what
   is left of A is at most what is left of WHOLE. */
static uint64_t part_of(uint64_t a, uint64_t b, uint64_t whole)
{
	return whole ? (uint64_t)(((unsigned __int128)a * b + whole / 2) / whole) : 0;
}

/* What SITE gets of the visit on top: sharing->piece. False: nothing. */
static bool take_piece(struct sharing *sharing, const struct visit *visit, uint32_t site)
{
	size_t n = sharing->graph->n_values;
	int64_t *left = values_of(sharing, site);
	uint64_t *shares = sharing->shares.data + sharing->shares.len - n;
	uint64_t *wholes = sharing->wholes.data + sharing->wholes.len - n;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		uint64_t room = (uint64_t)left[i], piece;
		if (visit->is_fine)
			piece = shares[i] < room ? shares[i] : room;
		else
			piece = part_of(shares[i], room, wholes[i]);
		wholes[i] -= room < wholes[i] ? room : wholes[i];
		shares[i] -= piece;
		left[i] -= (int64_t)piece;
		sharing->piece[i] = (int64_t)piece;
		any = any || piece;
	}
	return any;
}

static bool nothing(const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i])
			return false;
	return true;
}

/* Sites at the begin of a group with nothing left need no second look. */
static void skip_spent(struct sharing *sharing, uint32_t group)
{
	struct call_group *bounds = &sharing->groups.groups.data[group];
	size_t n = sharing->graph->n_values;
	while (bounds->first < bounds->end &&
		nothing((const uint64_t *)values_of(
				sharing, sharing->groups.sites.data[bounds->first]),
			n))
		bounds->first++;
}

static bool too_deep(const struct sharing *sharing, struct error *err)
{
	if (sharing->path.len <= RECORDING_STACK_MAX)
		return false;
	error_set(err, "calls that are more than %d deep", RECORDING_STACK_MAX);
	return true;
}

/* One site of the visit on top. */
static bool step(struct sharing *sharing, struct error *err)
{
	struct visit *visit = &sharing->visits.data[sharing->visits.len - 1];
	size_t n = sharing->graph->n_values;
	sharing->path.len = visit->frames;
	sharing->steps += n;
	if (sharing->steps > STEPS_MAX)
		return error_set(err, "calls that are too entangled to make stacks of");
	if (visit->next == visit->end ||
		nothing(sharing->shares.data + sharing->shares.len - n, n)) {
		skip_spent(sharing, visit->group);
		leave(sharing);
		return true;
	}
	uint32_t index = sharing->groups.sites.data[visit->next++];
	const struct call_site *site = &sharing->graph->sites.data[index];
	if (!take_piece(sharing, visit, index))
		return true;
	if (visit->entry != PROFILE_NONE && visit->entry != site->node)
		vec_push(&sharing->path, sharing->graph->nodes.data[visit->entry]);
	vec_push(&sharing->path, site->location);
	if (too_deep(sharing, err))
		return false;
	if (site->callee == PROFILE_NONE)
		return emit(sharing, sharing->piece, err);
	enter(sharing, sharing->groups.of_node.data[site->callee], site->callee,
		sharing->piece);
	return true;
}

static bool share(
	struct sharing *sharing, uint32_t group, const int64_t *piece, struct error *err)
{
	sharing->path.len = 0;
	enter(sharing, group, PROFILE_NONE, piece);
	while (sharing->visits.len)
		if (!step(sharing, err))
			return false;
	return true;
}

/* --- from the roots ------------------------------------------------------------------- */

/* What enters each group by calls; and, in ROOTS, what it spends beyond that. */
static void find_entries(struct sharing *sharing, int64_t *roots, uint64_t *sums)
{
	struct call_graph *graph = sharing->graph;
	size_t n = graph->n_values;
	vec_each (&sharing->groups.sites, index) {
		const struct call_site *site = &graph->sites.data[*index];
		uint32_t from = sharing->groups.of_node.data[site->node];
		for (size_t i = 0; i < n; i++) {
			int64_t value = values_of(sharing, *index)[i];
			roots[from * n + i] += value;
			if (site->callee == PROFILE_NONE)
				sums[i] += (uint64_t)value;
			else
				sharing->enters
					[sharing->groups.of_node.data[site->callee] * n +
						i] += (uint64_t)value;
		}
	}
	for (size_t i = 0; i < sharing->groups.groups.len * n; i++) {
		int64_t missing = roots[i] - (int64_t)sharing->enters[i];
		roots[i] = missing > 0 ? missing : 0;
		sharing->enters[i] += (uint64_t)roots[i];
	}
	for (size_t i = 0; i < n; i++)
		sharing->fine[i] = sums[i] / FINE_PARTS;
}

/* What was not reached, because the file does not agree with itself, is a stack of one. */
static bool share_rest(struct sharing *sharing, struct error *err)
{
	const struct call_graph *graph = sharing->graph;
	for (uint32_t i = 0; i < graph->sites.len; i++) {
		const struct call_site *site = &graph->sites.data[i];
		const int64_t *left = values_of(sharing, i);
		if (site->callee != PROFILE_NONE ||
			nothing((const uint64_t *)left, graph->n_values))
			continue;
		sharing->path.len = 0;
		vec_push(&sharing->path, site->location);
		if (!emit(sharing, left, err))
			return false;
	}
	return true;
}

static bool share_all(struct sharing *sharing, struct error *err)
{
	size_t n = sharing->graph->n_values, n_groups = sharing->groups.groups.len;
	int64_t *roots = mem_zalloc((n_groups * n + 1) * sizeof(*roots));
	uint64_t *sums = mem_zalloc((n + 1) * sizeof(*sums));
	bool done = true;
	find_entries(sharing, roots, sums);
	for (uint32_t group = 0; done && group < n_groups; group++)
		if (!nothing((const uint64_t *)roots + group * n, n))
			done = share(sharing, group, roots + group * n, err);
	free(roots);
	free(sums);
	return done && share_rest(sharing, err);
}

static void empty(struct call_graph *graph)
{
	graph->nodes.len = graph->sites.len = graph->values.len = 0;
	id_index_finish(&graph->places);
}

bool call_graph_flush(struct call_graph *graph, struct recording *recording,
	uint32_t thread, struct error *err)
{
	size_t n = graph->n_values;
	struct sharing sharing = {
		.graph = graph,
		.recording = recording,
		.thread = thread,
	};
	call_groups_find(&sharing.groups, graph->sites.data, graph->sites.len,
		(uint32_t)graph->nodes.len);
	sharing.enters =
		mem_zalloc((sharing.groups.groups.len * n + 1) * sizeof(*sharing.enters));
	sharing.fine = mem_zalloc((n + 1) * sizeof(*sharing.fine));
	sharing.piece = mem_zalloc((n + 1) * sizeof(*sharing.piece));
	bool done = share_all(&sharing, err);
	call_groups_finish(&sharing.groups);
	free(sharing.enters);
	free(sharing.fine);
	free(sharing.piece);
	vec_free(&sharing.visits);
	vec_free(&sharing.shares);
	vec_free(&sharing.wholes);
	vec_free(&sharing.path);
	vec_free(&sharing.leaves);
	empty(graph);
	return done;
}
