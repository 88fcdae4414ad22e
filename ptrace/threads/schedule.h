/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule: random instants, so that sampling does not fall into step with the target.
 *
 * Time is divided into periods, and each has one instant, at a uniformly random time in it
 * (stratified sampling). Instants at fixed intervals can miss a target that wakes at the
 * same rate: measured 0 of 500 against a true 30 %. Instants are absolute times, so delays
 * do not add up.
 *
 * This holds as long as the target does not react to its samples. On a shared CPU it does:
 * a thread that is preempted for its sample loses the CPU to the next one in the run queue
 * and has it again when the next instant is due, so it is sampled more often than its CPU
 * time says (1.5 times as often, measured with nginx). And the detach may move a thread to
 * an idle CPU, where the instant of the same period may still come: one busy thread on two
 * CPUs was sampled up to 1.45 times as often. If the distances between instants are
 * exponential, the next instant does not depend on the last one, and the thread is sampled
 * as often as it runs ("Poisson arrivals see time averages", Wolff 1982). Such
 * instants scatter more, so they are used only where threads wait, or come from other CPUs.
 *
 * Pure, except for the random state. One thread at a time.
 */
#ifndef CPROFTOP_PTRACE_SCHEDULE_H
#define CPROFTOP_PTRACE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t period_ns;
	uint64_t wanted_ns;	  /* the length of the periods after the current one */
	uint64_t period_start_ns; /* of the period with the next instant; monotonic */
	uint64_t next_ns;	  /* the next instant */
	uint64_t random;
};

/* The first instant lies in the period that begins at NOW_NS. SEED chooses the random
 * instants. */
void schedule_start(
	struct schedule *schedule, uint64_t period_ns, uint64_t now_ns, uint64_t seed);

/* A random instant in [FROM_NS, TO_NS). *RANDOM is a random state, which any value
   starts. */
uint64_t schedule_draw(uint64_t *random, uint64_t from_ns, uint64_t to_ns);

/* The instant at next_ns was done, and it is NOW_NS: choose the instant of the next
   period. Returns how many periods have passed without an instant. */
uint64_t schedule_advance(struct schedule *schedule, uint64_t now_ns);

/* The same, but the next instant comes an exponentially distributed time after the one at
   next_ns, one period on average, and begins a new period. It never comes so soon that the
   thread would still be about to stop for the last one. */
uint64_t schedule_advance_memoryless(struct schedule *schedule, uint64_t now_ns);

/* Set the length of the periods after the current one. */
void schedule_set_period(struct schedule *schedule, uint64_t period_ns);

/* True with the probability CHANCE. */
bool schedule_decide(struct schedule *schedule, double chance);

#endif
