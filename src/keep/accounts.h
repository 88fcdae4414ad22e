/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounts: where the time of each thread went, as the kernel accounts for it.
 *
 * /proc/TID/schedstat says how long a thread ran and how long it waited for a CPU; the
 * rest of its life it was blocked (or stopped). A few times a second the tracer reports
 * how much these figures have grown, for the threads where they have. They are exact and
 * do not depend on the samples. Bounded in memory. Analyst thread only.
 */
#ifndef CPROFTOP_ACCOUNTS_H
#define CPROFTOP_ACCOUNTS_H

#include "src/base/idmap.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What thread TID was charged between two surveys. */
struct account_slice {
	uint64_t from_ns, to_ns; /* monotonic */
	uint64_t cpu_ns, runq_ns;
	pid_t tid;
};

/* A mark: what the kernel had charged at an instant, since sampling began, to all
   processes together. */
struct cpu_mark {
	uint64_t time_ns; /* monotonic */
	uint64_t cpu_ns;
};

struct account_life {
	pid_t tid;
	uint64_t from_ns, to_ns; /* to_ns is 0 while it lives */
};

struct accounts {
	VEC(struct account_slice) slices;
	VEC(struct account_life) lives;
	struct idmap places;  /* tid -> index in lives */
	uint64_t surveyed_ns; /* the slices of all threads are complete up to this time */
	/* the sum of the lives of all threads that were merged into tid 0 */
	uint64_t merged_ns;
	/* of accounts_trim: when it looks again at slices that are kept for ever, and at lives */
	size_t join_at, lives_at;
};

/* A zeroed struct is empty and valid. */
void accounts_finish(struct accounts *accounts);

/* Thread TID was found, or ended, at TIME_NS. */
void accounts_begin(struct accounts *accounts, pid_t tid, uint64_t time_ns);
void accounts_end(struct accounts *accounts, pid_t tid, uint64_t time_ns);

void accounts_add(struct accounts *accounts, const struct account_slice *slice);

/* Forget slices and lives that ended before OLDEST_NS, and the older half of many threads
   that have ended; if there are still too many slices, those of one thread are joined, of a
   second each or as long as it takes. With KEEP
   nothing is forgotten, and slices are joined when there are fewer. */
void accounts_trim(struct accounts *accounts, uint64_t oldest_ns, bool keep);

/* Merge all threads that have ended and are not in KEPT, a set of (tid, 0), into one
   thread with tid 0; merged_ns is the length of its life. */
void accounts_merge_ended(struct accounts *accounts, const struct idmap *kept);

/* Forget them instead. */
void accounts_drop_ended(struct accounts *accounts, const struct idmap *kept);

/* The part of AMOUNT, charged evenly over [FROM, TO), that falls into [START, END). */
uint64_t accounts_share(uint64_t amount, uint64_t from_ns, uint64_t to_ns,
	uint64_t start_ns, uint64_t end_ns);

#endif
