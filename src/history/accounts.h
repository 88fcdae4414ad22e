/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounts: where the time of each thread went, as the kernel accounts for it.
 *
 * /proc/TID/schedstat says how long a thread ran and how long it waited for a CPU; the
 * rest of its life it was blocked (or stopped). The sampler reports the differences a few
 * times a second, for the threads that have one. These figures are exact and do not
 * depend on the samples. Bounded in memory. Analyst thread only.
 */
#ifndef CPROFTOP_ACCOUNTS_H
#define CPROFTOP_ACCOUNTS_H

#include "src/base/map.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What TID was charged between two readings. */
struct account_slice {
	uint64_t from_ns, to_ns; /* monotonic */
	uint64_t cpu_ns, runq_ns;
	pid_t tid;
};

/* What the kernel had charged to the process at an instant, since sampling began. */
struct cpu_mark {
	uint64_t time_ns; /* monotonic */
	uint64_t cpu_ns;
};

struct account_life {
	pid_t tid;
	uint64_t from_ns, to_ns; /* TO is 0 while it lives */
};

struct accounts {
	VEC(struct account_slice) slices;
	VEC(struct account_life) lives;
	struct map places;    /* tid -> index in lives */
	uint64_t surveyed_ns; /* the readings are complete up to here */
	/* the lives of all threads that were merged into tid 0, together */
	uint64_t merged_ns;
};

/* A zeroed struct is empty and valid. */
void accounts_finish(struct accounts *accounts);

/* TID is known since, or ended at, TIME_NS. */
void accounts_begin(struct accounts *accounts, pid_t tid, uint64_t time_ns);
void accounts_end(struct accounts *accounts, pid_t tid, uint64_t time_ns);

void accounts_add(struct accounts *accounts, const struct account_slice *slice);

/* Forget what ended before OLDEST_NS and, beyond the bound, the oldest slices. With KEEP
   nothing is forgotten: slices of one thread are joined when there are too many. */
void accounts_trim(struct accounts *accounts, uint64_t oldest_ns, bool keep);

/* Merge all threads that have ended and are not in KEPT, a set of (tid, 0), into one with
   tid 0, whose life is merged_ns long. */
void accounts_merge_ended(struct accounts *accounts, const struct map *kept);

/* The part of AMOUNT, charged evenly over [FROM, TO), that falls into [START, END). */
uint64_t accounts_share(uint64_t amount, uint64_t from_ns, uint64_t to_ns,
	uint64_t start_ns, uint64_t end_ns);

#endif
