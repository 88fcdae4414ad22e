/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naps-in-turn LONG_MS SHORT_MS WORK_MS [SECONDS]: one thread that sleeps in one place, works,
 * sleeps in another, and works.
 *
 * Truth: how long it was in each, in nanoseconds. Of a sleep that is shorter than the time between
 * two records a profiler must know to which of both places it belongs.
 */
#include "work.h"

static void nap(uint64_t ns)
{
	const struct timespec time = {
		(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};
	nanosleep(&time, NULL);
}

static VISIBLE void long_nap(uint64_t ns)
{
	nap(ns);
	__asm__ volatile("");
}

static VISIBLE void short_nap(uint64_t ns)
{
	nap(ns);
	__asm__ volatile("");
}

static VISIBLE uint64_t work_between(uint64_t until_ns)
{
	return burn_until(until_ns);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t long_ns = strtoull(argv[1], NULL, 10) * MS;
	uint64_t short_ns = strtoull(argv[2], NULL, 10) * MS;
	uint64_t work_ns = strtoull(argv[3], NULL, 10) * MS;
	uint64_t in_long = 0, in_short = 0;
	uint64_t end_ns = work_begin(argc > 4 ? argv[4] : NULL);
	while (work_goes_on(end_ns)) {
		uint64_t began = monotonic_ns();
		long_nap(long_ns);
		in_long += monotonic_ns() - began;
		work_between(thread_cpu_ns() + work_ns);
		began = monotonic_ns();
		short_nap(short_ns);
		in_short += monotonic_ns() - began;
		work_between(thread_cpu_ns() + work_ns);
	}
	printf("truth long_nap %llu\ntruth short_nap %llu\n", (unsigned long long)in_long,
		(unsigned long long)in_short);
	return 0;
}
