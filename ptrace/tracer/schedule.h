/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule: when to look, without falling into step with the target.
 *
 * Time is cut into periods and each gets one tick at a uniformly random instant inside it
 * (stratified sampling). A fixed tick misses a target that wakes at the same rate:
 * measured 0 of 500 ticks against a true 30 %. Instants are absolute, so lateness does
 * not add up.
 *
 * That holds as long as the target does not react to being looked at. On a CPU that is
 * shared it does: a thread that is preempted for its sample loses the CPU to the next one
 * in the run queue and comes back when the next tick is due, so it is met more often than
 * its CPU time says (1.5 times as often, measured with nginx). Only instants with
 * exponential distances, whose next one does not depend on when the last one was, meet
 * such a thread as often as it runs ("Poisson arrivals see time averages", Wolff 1982).
 * They scatter more, so they are for shared CPUs only.
 *
 * Pure, but for the random state that it owns. Sampler thread.
 */
#ifndef CPROFTOP_PTRACE_SCHEDULE_H
#define CPROFTOP_PTRACE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t period_ns;
	uint64_t wanted_ns;	  /* the length of the periods after this one */
	uint64_t period_start_ns; /* of the period that holds the next tick; monotonic */
	uint64_t next_ns;	  /* the next tick */
	uint64_t random;
};

/* The first tick lies in the period that begins at NOW_NS. SEED chooses the random
 * instants. */
void schedule_init(
	struct schedule *schedule, unsigned hz, uint64_t now_ns, uint64_t seed);

/* The same with a period in ns. */
void schedule_start(
	struct schedule *schedule, uint64_t period_ns, uint64_t now_ns, uint64_t seed);

/* The tick at next_ns came to nothing: another random instant, in [FROM_NS, TO_NS). */
void schedule_draw(struct schedule *schedule, uint64_t from_ns, uint64_t to_ns);

/* The tick at next_ns was done, and it is NOW_NS: choose the one of the next period.
   Returns how many periods passed without a tick meanwhile. */
uint64_t schedule_advance(struct schedule *schedule, uint64_t now_ns);

/* The same, but the next tick comes an exponentially distributed time after the one at
   next_ns, one period on average; a new period begins with it. */
uint64_t schedule_advance_memoryless(struct schedule *schedule, uint64_t now_ns);

/* From the end of the current period on, periods are that long. */
void schedule_set_period(struct schedule *schedule, uint64_t period_ns);

/* True with the probability CHANCE. */
bool schedule_decide(struct schedule *schedule, double chance);

#endif
