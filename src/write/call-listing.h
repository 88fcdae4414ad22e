/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-listing: each function between its callers and its callees, as gprof prints it and
 * pprof's tree and peek.
 *
 * The functions are those of a listing, in its order; call_listing_init finds who calls whom
 * once for all of them. Main thread.
 */
#ifndef CPROFTOP_CALL_LISTING_H
#define CPROFTOP_CALL_LISTING_H

#include "src/count/edges.h"
#include "src/write/listing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The calls of one function, heaviest first. */
struct call_range {
	const struct call *calls;
	size_t n;
};

struct call_listing {
	const struct listing *listing;

	/* Private: the calls, sorted by caller and by callee. */
	struct call_list by_caller, by_callee;
};

/* LISTING is borrowed until call_listing_finish. IS_SHARED: count each stack once for a
   function, as edges_shared does; else once for each pair, as edges_all does. */
void call_listing_init(
	struct call_listing *graph, const struct listing *listing, bool is_shared);
void call_listing_finish(struct call_listing *graph);

struct call_range call_listing_callers(
	const struct call_listing *graph, uint32_t function);
struct call_range call_listing_callees(
	const struct call_listing *graph, uint32_t function);

/* The first MOST functions of the listing whose total is at least LEAST; 0: also those
   without any. Calls lighter than that are left out. */
void call_listing_write_text(
	const struct call_listing *graph, size_t most, uint64_t least, FILE *out);

/* A line for each function, and one for each of its calls: relation "caller" or "callee". */
void call_listing_write_csv(const struct call_listing *graph, size_t most, FILE *out);
void call_listing_write_json(const struct call_listing *graph, size_t most, FILE *out);
void call_listing_write_md(const struct call_listing *graph, size_t most, FILE *out);

#endif
