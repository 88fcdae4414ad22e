/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-groups: the functions of a call graph in groups, so that calls between groups go one
 * way only: a group is one function, or those that call each other in a circle (Tarjan,
 * "Depth-first search and linear graph algorithms", 1972).
 *
 * Used by call-graph.c only. Pure.
 */
#ifndef CPROFTOP_CALL_GROUPS_H
#define CPROFTOP_CALL_GROUPS_H

#include "src/base/vec.h"

#include <stddef.h>
#include <stdint.h>

/* Where something was spent. */
struct call_site {
	uint32_t node;	   /* a function of the graph */
	uint32_t location; /* in the profile: the line, in that function */
	uint32_t callee;   /* a node; PROFILE_NONE: by the function itself */
};

struct call_group {
	uint32_t first, end; /* sites[first .. end) */
};

struct call_groups {
	VEC(uint32_t) of_node;	       /* the group of each */
	VEC(struct call_group) groups; /* callers before those that they call */
	VEC(uint32_t) sites;	       /* by group; calls within a group are left out */
};

/* Find the groups of nodes 0 .. N_NODES-1. */
void call_groups_find(struct call_groups *groups, const struct call_site *sites,
	size_t n_sites, uint32_t n_nodes);
void call_groups_finish(struct call_groups *groups);

#endif
