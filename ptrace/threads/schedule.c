/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/schedule.h"

#include "src/base/clock.h"

#include <math.h>

/* A thread runs on for so long, as the timer of its instant is never at once there, and is
   being stopped then: a second instant would find nothing new. */
enum {
	BUSY_US = 40,
	BUSY_PART = 16, /* of a period, at most */
};

/* splitmix64 (Steele, Lea, Flood 2014): every seed is good. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t schedule_draw(uint64_t *random, uint64_t from_ns, uint64_t to_ns)
{
	/* The high product is uniform in [0, to - from) as far as 64 bits can tell. */
	unsigned __int128 product =
		(unsigned __int128)next_random(random) * (to_ns - from_ns);
	return from_ns + (uint64_t)(product >> 64);
}

static void choose_instant(struct schedule *schedule)
{
	uint64_t start_ns = schedule->period_start_ns;
	schedule->next_ns = schedule_draw(
		&schedule->random, start_ns, start_ns + schedule->period_ns);
}

void schedule_start(
	struct schedule *schedule, uint64_t period_ns, uint64_t now_ns, uint64_t seed)
{
	*schedule = (struct schedule){
		.period_ns = period_ns,
		.wanted_ns = period_ns,
		.period_start_ns = now_ns,
		.random = seed,
	};
	choose_instant(schedule);
}

uint64_t schedule_advance(struct schedule *schedule, uint64_t now_ns)
{
	schedule->period_start_ns += schedule->period_ns;
	schedule->period_ns = schedule->wanted_ns;
	uint64_t skipped = 0;
	if (now_ns >= schedule->period_start_ns + schedule->period_ns) {
		skipped = (now_ns - schedule->period_start_ns) / schedule->period_ns;
		schedule->period_start_ns += skipped * schedule->period_ns;
	}
	choose_instant(schedule);
	return skipped;
}

/* -ln(u) for u in (0, 1]. */
static double draw_exponential(struct schedule *schedule)
{
	const double steps = 9007199254740992.0; /* 2^53: a double holds each of them */
	return -log(((double)(next_random(&schedule->random) >> 11) + 1) / steps);
}

/* The least distance of two instants. */
static uint64_t least_distance(uint64_t period_ns)
{
	uint64_t most_ns = period_ns / BUSY_PART;
	return most_ns < BUSY_US * NS_PER_US ? most_ns : BUSY_US * NS_PER_US;
}

uint64_t schedule_advance_memoryless(struct schedule *schedule, uint64_t now_ns)
{
	uint64_t skipped = 0;
	schedule->period_ns = schedule->wanted_ns;
	uint64_t least_ns = least_distance(schedule->period_ns);
	double rest_ns = (double)(schedule->period_ns - least_ns);
	for (;;) {
		schedule->next_ns +=
			least_ns + (uint64_t)(rest_ns * draw_exponential(schedule));
		schedule->period_start_ns = schedule->next_ns;
		/* A period that has only just passed does not mean that instants are
		   missed. */
		if (schedule->next_ns + schedule->period_ns / 4 >= now_ns)
			return skipped;
		skipped++;
	}
}

void schedule_set_period(struct schedule *schedule, uint64_t period_ns)
{
	schedule->wanted_ns = period_ns;
}

bool schedule_decide(struct schedule *schedule, double chance)
{
	const double most = 18446744073709551616.0; /* 2^64 */
	return chance >= 1 || (double)next_random(&schedule->random) < chance * most;
}
