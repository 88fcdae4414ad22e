/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/call-groups.h"

#include "src/base/mem.h"
#include "src/facts/profile.h"

#include <stdlib.h>
#include <string.h>

/* The search keeps its own stack: a file may have calls of any depth. */
struct search {
	const struct call_site *sites;
	uint32_t *first;   /* by node: calls[first[n] .. first[n + 1]) are its calls */
	uint32_t *callees; /* of all calls, by caller */
	uint32_t *order;   /* by node: when it was met, from 1; 0: not yet */
	uint32_t *low;	   /* the first met of those that it reaches */
	uint32_t *next;	   /* its next call to follow */
	VEC(uint32_t) path, open;
	uint32_t met, n_groups;
	uint32_t *group; /* by node; PROFILE_NONE: not known yet */
};

static uint32_t *numbers(size_t count)
{
	return mem_zalloc((count + 1) * sizeof(uint32_t));
}

static void sort_calls(struct search *search, size_t n_sites, uint32_t n_nodes)
{
	const struct call_site *sites = search->sites;
	for (size_t i = 0; i < n_sites; i++)
		if (sites[i].callee != PROFILE_NONE)
			search->first[sites[i].node + 1]++;
	for (uint32_t node = 0; node < n_nodes; node++)
		search->first[node + 1] += search->first[node];
	for (uint32_t node = 0; node < n_nodes; node++)
		search->next[node] = search->first[node];
	for (size_t i = 0; i < n_sites; i++)
		if (sites[i].callee != PROFILE_NONE)
			search->callees[search->next[sites[i].node]++] = sites[i].callee;
	for (uint32_t node = 0; node < n_nodes; node++)
		search->next[node] = search->first[node];
}

static void meet(struct search *search, uint32_t node)
{
	search->order[node] = search->low[node] = ++search->met;
	vec_push(&search->path, node);
	vec_push(&search->open, node);
}

/* All that NODE calls was seen. */
static void close_node(struct search *search, uint32_t node)
{
	search->path.len--;
	if (search->path.len) {
		uint32_t caller = search->path.data[search->path.len - 1];
		if (search->low[node] < search->low[caller])
			search->low[caller] = search->low[node];
	}
	if (search->low[node] != search->order[node])
		return;
	uint32_t member;
	do {
		member = search->open.data[--search->open.len];
		search->group[member] = search->n_groups;
	} while (member != node);
	search->n_groups++;
}

static void search_from(struct search *search, uint32_t root)
{
	meet(search, root);
	while (search->path.len) {
		uint32_t node = search->path.data[search->path.len - 1];
		if (search->next[node] == search->first[node + 1]) {
			close_node(search, node);
			continue;
		}
		uint32_t callee = search->callees[search->next[node]++];
		if (!search->order[callee])
			meet(search, callee);
		else if (search->group[callee] == PROFILE_NONE &&
			 search->order[callee] < search->low[node])
			search->low[node] = search->order[callee];
	}
}

/* The sites of each group together. */
static void sort_sites(
	struct call_groups *groups, const struct call_site *sites, size_t n_sites)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n_sites; i++) {
			uint32_t group = groups->of_node.data[sites[i].node];
			if (sites[i].callee != PROFILE_NONE &&
				groups->of_node.data[sites[i].callee] == group)
				continue;
			uint32_t place = groups->groups.data[group].end++;
			if (pass)
				groups->sites.data[place] = (uint32_t)i;
		}
		if (pass)
			return;
		uint32_t at = 0;
		vec_each (&groups->groups, group) {
			uint32_t count = group->end;
			group->first = group->end = at;
			at += count;
		}
		vec_reserve(&groups->sites, at);
		groups->sites.len = at;
	}
}

void call_groups_find(struct call_groups *groups, const struct call_site *sites,
	size_t n_sites, uint32_t n_nodes)
{
	struct search search = {
		.sites = sites,
		.first = numbers(n_nodes + 1),
		.callees = numbers(n_sites),
		.order = numbers(n_nodes),
		.low = numbers(n_nodes),
		.next = numbers(n_nodes),
	};
	*groups = (struct call_groups){0};
	vec_reserve(&groups->of_node, (size_t)n_nodes + 1);
	groups->of_node.len = n_nodes;
	memset(groups->of_node.data, 0xff, n_nodes * sizeof(uint32_t)); /* NONE */
	search.group = groups->of_node.data;
	sort_calls(&search, n_sites, n_nodes);
	for (uint32_t node = 0; node < n_nodes; node++)
		if (!search.order[node])
			search_from(&search, node);
	/* The search closes those that are called first. */
	vec_each (&groups->of_node, group)
		*group = search.n_groups - 1 - *group;
	for (uint32_t i = 0; i < search.n_groups; i++)
		vec_push(&groups->groups, (struct call_group){0, 0});
	sort_sites(groups, sites, n_sites);
	free(search.first);
	free(search.callees);
	free(search.order);
	free(search.low);
	free(search.next);
	vec_free(&search.path);
	vec_free(&search.open);
}

void call_groups_finish(struct call_groups *groups)
{
	vec_free(&groups->of_node);
	vec_free(&groups->groups);
	vec_free(&groups->sites);
}
