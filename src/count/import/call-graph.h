/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-graph: stacks for a file that has none, but what each function cost itself and what
 * each call of another one cost with all below it, as callgrind's.
 *
 * Such a file does not say who called the caller, so a stack here is an estimate: what a
 * function cost is shared among those who called it in proportion to the calls. Sums are
 * no estimate. What each function cost itself is exact always; what it cost with its
 * callees, and what each call cost, wherever the file agrees with itself: what enters a
 * function is what it cost and passed on. Functions that call each other in a circle have
 * no such sums (valgrind's manual, "Avoiding cycles"); of them a stack has the one that
 * was entered and the one that went on from there. One thread at a time.
 */
#ifndef CPROFTOP_CALL_GRAPH_H
#define CPROFTOP_CALL_GRAPH_H

#include "src/base/error.h"
#include "src/base/id-index.h"
#include "src/base/vec.h"
#include "src/count/import/call-groups.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

struct call_graph {
	size_t n_values; /* of each site: set it first */

	/* Private. */
	VEC(uint32_t) nodes; /* their locations, of no line */
	VEC(struct call_site) sites;
	VEC(int64_t) values;	/* n_values for each site */
	struct id_index places; /* of the sites, by node, callee and location */
};

/* A function; LOCATION is its location without a line. Returns its node. */
uint32_t call_graph_node(struct call_graph *graph, uint32_t location);

/* Add VALUES, none below 0, to a site. False if a sum becomes too large, or if there are too many
   sites. */
bool call_graph_add(struct call_graph *graph, const struct call_site *site,
	const int64_t *values, struct error *err);

/* Add the stacks to RECORDING, all as samples of THREAD, and empty the graph. */
bool call_graph_flush(struct call_graph *graph, struct recording *recording,
	uint32_t thread, struct error *err);

void call_graph_finish(struct call_graph *graph);

/* Memory, roughly, with what making stacks of it takes. */
size_t call_graph_bytes(const struct call_graph *graph);

#endif
