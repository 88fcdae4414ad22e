/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edges: the callers and the callees of a function, with the weight of each.
 *
 * Counts as pprof's peek does: a sample counts once for each pair of caller and callee on
 * its stack, however often the pair recurs. May be called by the thread that reads the
 * report.
 */
#ifndef CPROFTOP_EDGES_H
#define CPROFTOP_EDGES_H

#include "src/report/report.h"

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

/* All pairs of REPORT at once, in no order; a function that calls itself is no pair, as
   pprof has it. */
void edges_all(struct call_list *calls, const struct report *report);

#endif
