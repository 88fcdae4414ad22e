/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool: the CPU time of a process that samples of its many rarely sampled threads share.
 *
 * A thread that is sampled often has samples that weigh its own CPU time. Of one that is sampled
 * a few times, the time before its first sample and after its last is a large part, and of most
 * threads that live for less than a period there is no sample at all. So the samples of all
 * those share what the process was charged and no often sampled thread has used, whichever
 * of them it was: at a random instant one is as likely to be met as it uses a CPU. The derivation
 * is in docs/lab/TRUTH.md, "What a sample weighs".
 *
 * A sample takes no more than a few periods, however much there is: if threads cannot be sampled
 * at all, others do not get their time. And what nobody has taken for some seconds is
 * forgotten: what runs later may be something else. Pure.
 */
#ifndef CPROFTOP_PTRACE_POOL_H
#define CPROFTOP_PTRACE_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct is empty and valid. */
struct pool {
	uint64_t left_ns; /* of it, for the next samples */
	uint64_t due_ns;  /* when it may be filled again */
	unsigned odds;	  /* of the samples, lately */
	unsigned looks;	  /* one thread in so many was looked at, since the last sample */
	double uncounted; /* periods that samples took and do not stand for, yet */
	/* What the process had been charged one to two turns ago, and at most one. */
	uint64_t older_ns, recent_ns, turned_ns;
};

/* Filling takes at most a hundredth of the time. */
bool pool_is_due(const struct pool *pool, uint64_t now_ns);

/* From BEGAN_NS to NOW_NS it was found that the process was CHARGED so much since sampling began,
   and that KNOWN of it is that of samples, or of threads that are often sampled, or
   forgotten. Returns how much is to be forgotten now: what is older than some seconds, or than it
   takes until some samples have come, one in a PERIOD for each of the odds. */
uint64_t pool_fill(struct pool *pool, uint64_t began_ns, uint64_t now_ns,
	uint64_t charged_ns, uint64_t known_ns, uint64_t period_ns);

/* One in so many threads is looked at: how long it may take until a sample comes. */
void pool_searched(struct pool *pool, unsigned odds);

/* What a sample takes, of threads of which one in ODDS is looked at: a few periods for each at
   most. */
uint64_t pool_take(struct pool *pool, unsigned odds, uint64_t period_ns);

/* For how many samples one stands that took TAKEN: for its odds, but so that in the long run there is
   one for each period of the time taken. Where few of many threads are looked at, few samples
   are found, and their number is far from what it is on average; the time is known. */
unsigned pool_count(
	struct pool *pool, unsigned odds, uint64_t taken_ns, uint64_t period_ns);

#endif
