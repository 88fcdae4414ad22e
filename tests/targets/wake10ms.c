/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wake10ms [SECONDS]: one thread that wakes every 10 ms and burns 3 ms of CPU.
 *
 * Truth: burn_awake runs 30 % of the time on an idle machine, always at the same phase of
 * a 10 ms clock. A sampler with a fixed tick of 10 ms sees it never or always; one that
 * looks at a random instant inside each period sees it 30 % of the time.
 */
#include "work.h"

static VISIBLE uint64_t burn_awake(uint64_t until)
{
	return burn_until(until);
}

int main(int argc, char **argv)
{
	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	uint64_t start = monotonic_ns(), begun_cpu = thread_cpu_ns();
	uint64_t wake = start, wakes = 0;
	while (work_goes_on(end)) {
		burn_awake(thread_cpu_ns() + 3 * MS);
		wakes++;
		/* On a loaded machine a whole period may be lost; the phase stays. */
		do
			wake += 10 * MS;
		while (wake <= monotonic_ns());
		struct timespec t = {
			(time_t)(wake / (1000 * MS)), (long)(wake % (1000 * MS))};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	uint64_t cpu = thread_cpu_ns() - begun_cpu;
	printf("truth busy_percent %.2f\n",
		100 * (double)cpu / (double)(monotonic_ns() - start));
	printf("truth cpu_ns %.0f\n", (double)cpu);
	printf("truth wakes %.0f\n", (double)wakes);
	printf("truth periods %.0f\n", (double)(wake - start) / (10 * MS));
	return 0;
}
