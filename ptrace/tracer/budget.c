/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/budget.h"

#include "src/base/clock.h"

#include <math.h>

/* A reading counts half after this many seconds, but not before this many periods. */
#define HALF_LIFE_S	  2.0
#define HALF_LIFE_PERIODS 24.0

/* Assumed before the first measurement, and soon outweighed: a busy thread, and a few stops
   that cost us so much CPU time. This also prevents a target that hardly runs from being
   judged by a single stop. */
#define PRIOR_STOPS   4.0
#define PRIOR_CPU_S   50e-6
#define PRIOR_SECONDS 0.04

/* The rate never falls below this. */
#define LEAST_HZ 0.1

/* The share of the CPU limit that is left to sampling, however much CPU time the rest of
   cproftop uses. */
#define LEAST_SAMPLING 0.25

enum {
	READ_EVERY_MS = 100
};

void budget_init(struct budget *budget, struct budget_limits limits, double asked_hz,
	double stop_s, const struct budget_reading *now)
{
	*budget = (struct budget){
		.limits = limits,
		.asked_hz = asked_hz,
		.prior_stop_s = stop_s,
		.rate_hz = asked_hz,
		.chance = 1,
		.last = *now,
	};
	budget_update(budget, now);
}

bool budget_is_due(const struct budget *budget, uint64_t now_ns)
{
	return now_ns - budget->last.time_ns >= READ_EVERY_MS * NS_PER_MS;
}

static double seconds(uint64_t now_ns, uint64_t then_ns)
{
	return now_ns > then_ns ? (double)(now_ns - then_ns) / NS_PER_SEC : 0;
}

static void add(struct budget *budget, const struct budget_reading *now)
{
	const struct budget_reading *then = &budget->last;
	double passed_s = seconds(now->time_ns, then->time_ns);
	double half_life_s = fmax(HALF_LIFE_S, HALF_LIFE_PERIODS / budget->rate_hz);
	double keep = exp2(-passed_s / half_life_s);
	/* full_periods counts periods as if every thread had been taken. */
	double periods = (double)(now->periods - then->periods);
	budget->seconds = budget->seconds * keep + passed_s;
	budget->periods = budget->periods * keep + periods;
	budget->full_periods = budget->full_periods * keep + periods * budget->chance;
	budget->stops = budget->stops * keep + (double)(now->stops - then->stops);
	budget->stopped_s =
		budget->stopped_s * keep + seconds(now->stopped_ns, then->stopped_ns);
	budget->ran_s = budget->ran_s * keep + seconds(now->ran_ns, then->ran_ns);
	budget->sampler_cpu_s = budget->sampler_cpu_s * keep +
				seconds(now->sampler_cpu_ns, then->sampler_cpu_ns);
	budget->own_cpu_s =
		budget->own_cpu_s * keep + seconds(now->own_cpu_ns, then->own_cpu_ns);
	budget->last = *now;
}

/* The rate at which the target would be stopped for just as long as allowed, if every
   thread is taken. */
static double paused_hz(const struct budget *budget)
{
	double share = budget->limits.paused;
	if (share <= 0 || share >= 1)
		return INFINITY;
	double stopped_s = budget->stopped_s + PRIOR_STOPS * budget->prior_stop_s;
	double ran_s = budget->ran_s + PRIOR_SECONDS;
	double periods = budget->full_periods + PRIOR_STOPS;
	double hz = periods / (budget->seconds + PRIOR_SECONDS);
	return hz * share / (1 - share) * ran_s / stopped_s;
}

/* The rate at which cproftop would use just as much CPU time as allowed. The cost of the
   analyst, the screen and reading debug information does not depend on the rate. */
static double cpu_hz(const struct budget *budget)
{
	if (budget->limits.cpu <= 0)
		return INFINITY;
	double passed_s = budget->seconds + PRIOR_SECONDS;
	double sampler_s = budget->sampler_cpu_s + PRIOR_STOPS * PRIOR_CPU_S;
	double granted_s = budget->limits.cpu * passed_s;
	double other_s = fmax(budget->own_cpu_s - budget->sampler_cpu_s, 0);
	double left_s = fmax(granted_s - other_s, granted_s * LEAST_SAMPLING);
	return (budget->periods + PRIOR_STOPS) / passed_s * left_s / sampler_s;
}

static void plan(struct budget *budget)
{
	double share = fmin(paused_hz(budget) / budget->asked_hz, 1);
	double periods = budget->full_periods;
	double together = periods > 0 ? budget->stops / periods : 1;
	budget->held = share < 1 ? METER_HELD_OVERHEAD : METER_FREE;
	budget->chance = together > 1 ? fmin(fmax(share, 1 / together), 1) : 1;
	budget->rate_hz =
		fmin(budget->asked_hz * share / budget->chance, budget->asked_hz);
	double most_hz = cpu_hz(budget);
	if (budget->rate_hz > most_hz) {
		budget->held = METER_HELD_CPU;
		budget->rate_hz = most_hz;
	}
	if (budget->rate_hz < LEAST_HZ)
		budget->rate_hz = fmin(LEAST_HZ, budget->asked_hz);
}

void budget_update(struct budget *budget, const struct budget_reading *now)
{
	add(budget, now);
	plan(budget);
}
