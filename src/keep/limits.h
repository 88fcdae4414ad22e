/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits: how much a history may keep, and when it must check again what is still needed.
 *
 * Some limits follow what is really in use, so that a cleaning is repeated only when
 * there is about twice as much. Changed by src/keep/retention.h only. Analyst thread.
 */
#ifndef CPROFTOP_LIMITS_H
#define CPROFTOP_LIMITS_H

#include "src/base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits at the beginning. */
enum {
	LIMITS_STACKTAB = 500 * 1000,		/* nodes */
	LIMITS_WORN_BYTES = 4 * 1024 * 1024,	/* of names */
	LIMITS_COMPACT_AT = 64 * 1024,		/* samples of a recording */
	LIMITS_MARKS = 16 * 1024,		/* of CPU time, the same */
	LIMITS_RECORD_BYTES = 16 * 1024 * 1024, /* a larger recording is condensed... */
	LIMITS_THREADS = 16 * 1024,	/* ...or one of so many threads with samples */
	LIMITS_NODES_KEPT = 64 * 1024,	/* ...to this many nodes and threads, */
	LIMITS_THREADS_KEPT = 8 * 1024, /* and to half if that is not enough */
};

/* Equal samples of a recording are merged if they are no further apart than this, or twice as
   long and so on, but for the last resort never further than that. */
#define LIMITS_SPAN_FIRST_NS (NS_PER_SEC / 4)
#define LIMITS_SPAN_MOST_NS  (4096 * LIMITS_SPAN_FIRST_NS)

struct limits {
	bool keep_everything; /* a recording; else these bounds hold: */
	uint64_t max_age_ns;
	uint32_t stacktab_most; /* nodes */
	size_t names_most;	/* bytes */

	/* When to check: */
	uint32_t stacktab_limit; /* nodes: drop those that no sample uses */
	size_t worn_bytes;	 /* of names: drop those that nothing uses */
	size_t lives_at;	 /* of threads: leave out those without samples */

	/* Of a recording: */
	size_t compact_at;   /* samples: merge equal ones at this number, */
	uint64_t span_ns;    /* of so much time */
	size_t thin_at;	     /* marks: leave out some at this number */
	size_t full_bytes;   /* condense at this much memory, */
	size_t full_threads; /* or so many threads... */
	size_t nodes_kept, threads_kept;
	bool is_condensed; /* it was condensed, so a renewal has to follow */
};

/* The limits for MAX_BYTES each of names and of samples, and MAX_NODES of the stack
   table. */
static inline struct limits limits_of(
	bool keep_everything, uint64_t max_age_ns, size_t max_bytes, size_t max_nodes)
{
	uint32_t nodes = max_nodes < UINT32_MAX ? (uint32_t)max_nodes : UINT32_MAX;
	return (struct limits){
		.keep_everything = keep_everything,
		.max_age_ns = max_age_ns,
		.stacktab_most = nodes,
		.names_most = keep_everything ? SIZE_MAX : max_bytes,
		.stacktab_limit = nodes < LIMITS_STACKTAB ? nodes : LIMITS_STACKTAB,
		.worn_bytes = LIMITS_WORN_BYTES,
		.lives_at = LIMITS_THREADS,
		.compact_at = LIMITS_COMPACT_AT,
		.span_ns = LIMITS_SPAN_FIRST_NS,
		.thin_at = LIMITS_MARKS,
		.full_bytes = LIMITS_RECORD_BYTES,
		.full_threads = LIMITS_THREADS,
		.nodes_kept = LIMITS_NODES_KEPT,
		.threads_kept = LIMITS_THREADS_KEPT,
	};
}

#endif
