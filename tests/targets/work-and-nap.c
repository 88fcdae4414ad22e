/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work-and-nap THREADS [SECONDS]: 50 us of work, then a sleep of 50 us to 1 ms, over and
 * over.
 *
 * Truth: prepare_answer takes about 30 us, send_answer about 20 us, both in user mode,
 * and nap sleeps, which takes CPU time, too. The length of the sleep varies, so that no
 * sampler can be in step with it. Each of the three ends by reading the thread's CPU
 * clock, so what it took is known exactly; the call that reads it is part of the function
 * that makes it.
 *
 * The CPU time of nap is largely that of switching to another thread and back, with
 * interrupts off: the kernel charges it to the thread, and no sampler sees all of it
 * (perf's own event is not even switched on yet). So the truth is told in two ways:
 * "split" is what prepare_answer and send_answer take of the time of both, and "most" is
 * all that nap was charged, of everything: a profile may show less in nap, but not more.
 */
#include "mixture.h"
#include "raw-call.h"
#include "work.h"

#include <pthread.h>

enum {
	MOST_THREADS = 64
};

struct worker {
	pthread_t thread;
	uint64_t end_ns, random, prepare_ns, send_ns, nap_ns;
};

static unsigned prepare_rounds, send_rounds;

static inline __attribute__((always_inline)) uint64_t read_cpu_clock(void)
{
	struct timespec t;
	raw_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static VISIBLE uint64_t prepare_answer(void)
{
	spin(prepare_rounds);
	return read_cpu_clock();
}

static VISIBLE uint64_t send_answer(void)
{
	spin(send_rounds);
	return read_cpu_clock();
}

static VISIBLE uint64_t nap(uint64_t ns)
{
	struct timespec t = {0, (long)ns};
	raw_call(SYS_nanosleep, (long)&t, 0, 0);
	return read_cpu_clock();
}

static void *worker_run(void *argument)
{
	struct worker *me = argument;
	uint64_t began = read_cpu_clock();
	do {
		me->random = me->random * 6364136223846793005u + 1442695040888963407u;
		uint64_t prepared = prepare_answer();
		uint64_t sent = send_answer();
		uint64_t rested = nap(50 * US + (me->random >> 33) % (950 * US));
		me->prepare_ns += prepared - began;
		me->send_ns += sent - prepared;
		me->nap_ns += rested - sent;
		began = rested;
	} while (work_goes_on(me->end_ns));
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[MOST_THREADS];
	int threads = (int)mixture_argument(argc, argv, 1, "THREADS [SECONDS]");
	uint64_t end_ns = work_prepare(argc > 2 ? argv[2] : NULL);
	prepare_rounds = mixture_spin_rounds(30);
	send_rounds = mixture_spin_rounds(20);
	for (int i = 0; i < threads && i < MOST_THREADS; i++) {
		workers[i].end_ns = end_ns;
		workers[i].random = (uint64_t)i + 1;
		if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]))
			return 1;
	}
	work_ready();
	struct worker sum = {0};
	for (int i = 0; i < threads && i < MOST_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum.prepare_ns += workers[i].prepare_ns;
		sum.send_ns += workers[i].send_ns;
		sum.nap_ns += workers[i].nap_ns;
	}
	double work_ns = (double)(sum.prepare_ns + sum.send_ns);
	double all_ns = work_ns + (double)sum.nap_ns;
	printf("truth split-prepare_answer %.2f\n",
		100 * (double)sum.prepare_ns / work_ns);
	printf("truth split-send_answer %.2f\n", 100 * (double)sum.send_ns / work_ns);
	printf("truth most-nap %.2f\n", 100 * (double)sum.nap_ns / all_ns);
	printf("truth cpu_ns %.0f\n", all_ns);
	return 0;
}
