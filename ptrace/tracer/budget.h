/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget: how often to sample so that it costs no more than was granted.
 *
 * Two shares are held. Of the time that the target's threads would run, the part that
 * they are kept stopped: stopped / (ran + stopped). Of one CPU, the part that this
 * process uses. What sampling costs was measured over the last seconds; it grows with the
 * number of stops and ticks, so the rate that the budget allows can be computed and is
 * not searched for. Before anything was measured a stop is taken to cost 50 us.
 *
 * The rate is lowered, never which threads or instants are looked at: a tick stays at a
 * random instant of its period, only the period is longer. Where a tick stops several
 * threads, first each is taken with a chance, by itself, until one a tick is left. A
 * chance that looked at the others would take a thread less often while others run.
 *
 * Pure: readings are passed in. Sampler thread.
 */
#ifndef CPROFTOP_PTRACE_BUDGET_H
#define CPROFTOP_PTRACE_BUDGET_H

#include "src/model/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct budget_limits {
	double paused; /* a share, 0.01 is one per cent; 0: no limit */
	double cpu;    /* of one CPU; 0: no limit */
};

/* Totals since sampling began. */
struct budget_reading {
	uint64_t time_ns;
	uint64_t ticks, stops, stopped_ns;
	uint64_t ran_ns;	 /* CPU time of the target */
	uint64_t sampler_cpu_ns; /* of the thread that samples */
	uint64_t self_cpu_ns;	 /* of this process */
};

struct budget {
	struct budget_limits limits;
	double asked_hz;
	struct budget_reading last;
	/* What the last seconds were, older ones counting less and less. */
	double seconds, ticks, full_ticks, stops, stopped_s, ran_s, sampler_cpu_s,
		self_cpu_s;
	/* What to do. */
	double rate_hz;
	double chance; /* of a running thread to be taken in a tick; 1: all are */
	enum meter_held held;
};

/* NOW holds the totals at this instant, which are not counted. */
void budget_init(struct budget *budget, struct budget_limits limits, double asked_hz,
	const struct budget_reading *now);

/* Is it time for another reading? Not too often: the clocks are coarse. */
bool budget_is_due(const struct budget *budget, uint64_t now_ns);

/* Measure what was done since the last reading, and plan. */
void budget_update(struct budget *budget, const struct budget_reading *now);

#endif
