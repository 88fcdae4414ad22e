/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * churn [SECONDS]: threads that live for 2 ms of CPU, four at a time, one after another.
 *
 * Truth: all CPU time is in burn_briefly, called from thread_run in threads named
 * "brief"; their number and CPU time are printed. A sampler must find them by itself,
 * account for all their CPU time, and cope with threads that have ended.
 */
#include "work.h"

#include <pthread.h>

enum {
	AT_ONCE = 4
};

static VISIBLE uint64_t burn_briefly(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE void *thread_run(void *cpu_ns)
{
	pthread_setname_np(pthread_self(), "brief");
	*(uint64_t *)cpu_ns = burn_briefly(2 * MS);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t end = work_begin(argc > 1 ? argv[1] : NULL);
	uint64_t cpu = 0, born = 0;
	while (work_goes_on(end)) {
		pthread_t threads[AT_ONCE];
		uint64_t cpu_ns[AT_ONCE];
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&threads[i], NULL, thread_run, &cpu_ns[i]))
				return 1;
		for (int i = 0; i < AT_ONCE; i++) {
			pthread_join(threads[i], NULL);
			cpu += cpu_ns[i];
			born++;
		}
	}
	printf("truth threads %.0f\n", (double)born);
	printf("truth brief_cpu_ns %.0f\n", (double)cpu);
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
