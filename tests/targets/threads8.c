/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads8 [SECONDS]: eight busy threads, more than there are processors on a small
 * machine.
 *
 * Truth: threads busy-0 to busy-7 (main only waits) spend all their CPU time in
 * burn_busy; each one's share of the total is printed, about an eighth. Most of the time
 * most of them are runnable but wait for a processor.
 */
#include "work.h"

#include <pthread.h>

enum {
	THREADS = 8
};

struct worker {
	pthread_t thread;
	uint64_t end_ns, cpu_ns;
};

static VISIBLE uint64_t burn_busy(uint64_t until)
{
	return burn_until(until);
}

static void *worker_run(void *argument)
{
	struct worker *me = argument;
	while (work_goes_on(me->end_ns))
		me->cpu_ns = burn_busy(thread_cpu_ns() + MS);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t end = work_prepare(argc > 1 ? argv[1] : NULL);
	struct worker workers[THREADS] = {0};
	for (int i = 0; i < THREADS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "busy-%d", i);
		workers[i].end_ns = end;
		if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]))
			return 1;
		pthread_setname_np(workers[i].thread, name);
	}
	work_ready();
	uint64_t total = 0;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		total += workers[i].cpu_ns;
	}
	for (int i = 0; i < THREADS; i++)
		printf("truth busy-%d %.2f\n", i,
			100 * (double)workers[i].cpu_ns / (double)total);
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
