/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phased PHASE_MS EXTRA [SECONDS [CPU_SECONDS [SLICE_US]]]: one thread in phases of random length,
 * PHASE_MS on average. It ends after CPU_SECONDS of CPU time, too, if they are said.
 *
 * It works in slices of 200 us of CPU time, or SLICE_US, each in a function drawn by lot: extra with the
 * probability EXTRA (0.02), else one of work_1 to work_16, of which the one half is four times
 * as likely in one phase as in the other. Phases end at random (exponentially distributed),
 * by the clock on the wall, or with CPU_SECONDS by the thread's CPU clock.
 *
 * Truth: extra, in percent of the CPU time, and how many phases there were.
 */
#include "work.h"

#include <math.h>
#include <unistd.h>

#define WORK(number)                                          \
	static VISIBLE uint64_t work_##number(uint64_t until) \
	{                                                     \
		return burn_until(until);                     \
	}
WORK(1)
WORK(2)
WORK(3)
WORK(4)
WORK(5)
WORK(6)
WORK(7)
WORK(8)
WORK(9)
WORK(10)
WORK(11)
WORK(12)
WORK(13)
WORK(14)
WORK(15)
WORK(16)

static VISIBLE uint64_t extra(uint64_t until)
{
	return burn_until(until);
}

static uint64_t (*const work[])(uint64_t) = {work_1, work_2, work_3, work_4, work_5,
	work_6, work_7, work_8, work_9, work_10, work_11, work_12, work_13, work_14,
	work_15, work_16};
enum {
	WORKS = sizeof(work) / sizeof(work[0])
};

/* xorshift; 0 to 1 */
static double chance(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* The function of a slice: each takes 0.85 times as much as the one before. */
static int draw(double at, int phase)
{
	double sum = 0, share = 1;
	for (int i = 0; i < WORKS; i++, share *= 0.85)
		sum += share * (i % 2 == phase ? 4 : 1);
	at *= sum;
	share = 1;
	for (int i = 0; i < WORKS - 1; i++, share *= 0.85) {
		at -= share * (i % 2 == phase ? 4 : 1);
		if (at < 0)
			return i;
	}
	return WORKS - 1;
}

int main(int argc, char **argv)
{
	double phase_ns = argc > 1 ? strtod(argv[1], NULL) * 1e6 : 1e9;
	double share = argc > 2 ? strtod(argv[2], NULL) : 0;
	uint64_t end = work_begin(argc > 3 ? argv[3] : NULL);
	double most_ns = argc > 4 ? strtod(argv[4], NULL) * 1e9 : 1e18;
	uint64_t slice_ns = argc > 5 ? strtoull(argv[5], NULL, 10) * US : 200 * US;
	uint64_t random = 88172645463325252u ^ monotonic_ns() ^ (uint64_t)getpid() << 32;
	uint64_t start = thread_cpu_ns(), now = start, in_extra = 0, next_ns = 0;
	int phase = 0, phases = 0;
	while (work_goes_on(end) && (double)(now - start) < most_ns) {
		uint64_t at_ns = argc > 4 ? now : monotonic_ns();
		if (at_ns >= next_ns) {
			phase = !phase;
			phases++;
			next_ns = at_ns + (uint64_t)(-log1p(-chance(&random)) * phase_ns);
		}
		uint64_t before = now;
		if (chance(&random) < share) {
			now = extra(before + slice_ns);
			in_extra += now - before;
		} else {
			now = work[draw(chance(&random), phase)](before + slice_ns);
		}
	}
	printf("truth extra %.3f\n", 100 * (double)in_extra / (double)(now - start));
	printf("truth phases %d\n", phases);
	return 0;
}
