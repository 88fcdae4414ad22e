/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edges: the callers and the callees of a function, with the weight of each.
 *
 * There are two ways to count, which differ only where a function is on a stack twice.
 * edges_of and edges_shared count each stack once: for its caller where the function
 * stands outermost, and for its callee where it stands innermost. So what its callers
 * weigh, and the stacks that begin with it, add up to its total; and so do its callees
 * and its own weight. edges_all counts as pprof's tree does: a stack counts for each pair
 * of caller and callee on it, once, however often the pair recurs; of a function that
 * recurs through others these weigh more than its total.
 *
 * May be called by the thread that reads the report.
 */
#ifndef CPROFTOP_EDGES_H
#define CPROFTOP_EDGES_H

#include "src/count/report.h"

#include <stddef.h>
#include <stdint.h>

struct edge {
	uint32_t function; /* the caller, or the callee */
	struct weight weight;
};

/* Sorted by time, then by samples, largest first. */
struct edge_list {
	struct edge *data;
	size_t len, cap;
};

struct edges {
	struct edge_list callers, callees;
	struct weight outermost; /* of the stacks that begin with the function */
	struct weight self;	 /* of those that end in it */
};

/* Find the edges of FUNCTION, an id as in REPORT's functions. Call edges_finish
   afterwards. */
void edges_of(struct edges *edges, const struct report *report, uint32_t function);
void edges_finish(struct edges *edges);

/* One pair of caller and callee. */
struct call {
	uint32_t caller, callee;
	struct weight weight;
};

/* A zeroed list is empty; vec_free ends it. */
struct call_list {
	struct call *data;
	size_t len, cap;
};

/* What edges_of finds for every function of REPORT at once: the pairs as seen from the
   caller and as seen from the callee, in no order. */
void edges_shared(struct call_list *of_callers, struct call_list *of_callees,
	const struct report *report);

/* All pairs of REPORT at once, in no order; a function that calls itself is no pair, as
   pprof has it. */
void edges_all(struct call_list *calls, const struct report *report);

#endif
