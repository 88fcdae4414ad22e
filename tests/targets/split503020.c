/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split503020 [SECONDS]: one thread, three functions, a known split of its CPU time.
 *
 * Truth: burn_fifty, burn_thirty and burn_twenty take 50, 30 and 20 % of the CPU time, in
 * cycles of 1 ms of CPU, short and regular enough that a sampler that ticks in step with
 * them, or that is delayed by them, shows a wrong split (perf record -F 997 showed
 * 30/17/53). Each slice ends at an absolute reading of the thread's CPU clock, so errors
 * do not add up.
 */
#include "work.h"

static VISIBLE uint64_t burn_fifty(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE uint64_t burn_thirty(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE uint64_t burn_twenty(uint64_t until)
{
	return burn_until(until);
}

int main(int argc, char **argv)
{
	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	uint64_t fifty = 0, thirty = 0, twenty = 0;
	uint64_t start = thread_cpu_ns(), t0 = start;
	for (uint64_t plan = start; work_goes_on(end); plan += MS) {
		uint64_t t1 = burn_fifty(plan + 500 * US);
		uint64_t t2 = burn_thirty(plan + 800 * US);
		uint64_t t3 = burn_twenty(plan + 1000 * US);
		fifty += t1 - t0;
		thirty += t2 - t1;
		twenty += t3 - t2;
		t0 = t3;
	}
	double all = (double)(fifty + thirty + twenty);
	printf("truth burn_fifty %.2f\n", 100 * (double)fifty / all);
	printf("truth burn_thirty %.2f\n", 100 * (double)thirty / all);
	printf("truth burn_twenty %.2f\n", 100 * (double)twenty / all);
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
