/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget: how often to sample so that it costs no more than was granted.
 *
 * There are two limits. One is for the share of the time in which the target's threads
 * could run that they are stopped: stopped / (ran + stopped). The other is for the share
 * of one CPU that cproftop uses. The cost of sampling is measured over the last seconds.
 * It is proportional to the number of stops and periods, so the rate that the limits allow
 * is computed, not searched for. Before the first measurement a stop is assumed to take
 * as long as those of other processes took lately: what many short processes cost together
 * must not exceed the limit either.
 *
 * Only the rate is lowered; which threads and instants are sampled stays random: an
 * instant is at a random time of a longer period. If several threads are stopped in each
 * period, first each thread is only taken with a probability, until it is one thread a
 * period. That probability does not depend on the other threads; otherwise a thread would be sampled
 * less often while others run.
 *
 * Pure: readings are passed in. Lookout.
 */
#ifndef CPROFTOP_PTRACE_BUDGET_H
#define CPROFTOP_PTRACE_BUDGET_H

#include "src/facts/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct budget_limits {
	double paused; /* as a share: 0.01 is one percent; 0: no limit */
	double cpu;    /* of one CPU; 0: no limit */
};

/* Totals since sampling began. */
struct budget_reading {
	uint64_t time_ns;
	uint64_t periods, stops, stopped_ns;
	uint64_t ran_ns;	 /* CPU time of the target */
	uint64_t sampler_cpu_ns; /* of the tracer */
	uint64_t own_cpu_ns;	 /* of all processes of cproftop */
};

struct budget {
	struct budget_limits limits;
	double asked_hz;
	double prior_stop_s;
	struct budget_reading last;
	/* Sums over the last seconds, in which older readings count less. */
	double seconds, periods, full_periods, stops, stopped_s, ran_s, sampler_cpu_s,
		own_cpu_s;
	/* The plan. */
	double rate_hz;
	double chance; /* probability that a running thread is taken in a period */
	enum meter_held held;
};

/* NOW holds the present totals; only later costs are counted. STOP_S is how long a stop is
   assumed to take before the first measurement. */
void budget_init(struct budget *budget, struct budget_limits limits, double asked_hz,
	double stop_s, const struct budget_reading *now);

/* Is it time for another reading? Not too often, because the clocks are coarse. */
bool budget_is_due(const struct budget *budget, uint64_t now_ns);

/* Add the costs since the last reading, and make a new plan. */
void budget_update(struct budget *budget, const struct budget_reading *now);

#endif
