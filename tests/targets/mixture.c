/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mixture.h"
#include "work.h"

#include <pthread.h>

#define MIXED_NS (40 * MS)
#define ALONE_NS (400 * US)

enum {
	MOST_THREADS = 64,
	KEPT = 4096, /* blocks whose cost is remembered: the last minutes */
};

/* What a turn of one kind costs: nanoseconds, from the blocks that did only this. */
struct cost {
	mixture_function *run;
	unsigned long turns; /* in a block */
	uint64_t cpu_ns;     /* of all blocks */
	size_t blocks;
	double ns[KEPT];
};

struct worker {
	pthread_t thread;
	const struct mixture *mixture;
	uint64_t end_ns;
	struct cost whole, parts[MIXTURE_PARTS];
};

static VISIBLE void repeat(mixture_function *run, void *state, unsigned long turns)
{
	while (turns-- > 0)
		run(state);
}

/* As many turns as fill LENGTH_NS: doubled until they do not vanish beside the clock. */
static void cost_begin(
	struct cost *cost, mixture_function *run, void *state, uint64_t length_ns)
{
	uint64_t took = 0;
	cost->run = run;
	for (cost->turns = 1; took < length_ns / 4; cost->turns *= 2) {
		uint64_t began = thread_cpu_ns();
		repeat(run, state, cost->turns);
		took = thread_cpu_ns() - began;
	}
	double turns = (double)cost->turns / 2 * (double)length_ns / (double)took;
	cost->turns = turns < 1 ? 1 : (unsigned long)turns;
}

static void cost_block(struct cost *cost, void *state)
{
	uint64_t began = thread_cpu_ns();
	repeat(cost->run, state, cost->turns);
	uint64_t took = thread_cpu_ns() - began;
	cost->cpu_ns += took;
	cost->ns[cost->blocks++ % KEPT] = (double)took / (double)cost->turns;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The mean of the middle half. Sorts: for the end. */
static double cost_ns(struct cost *cost)
{
	size_t n = cost->blocks < KEPT ? cost->blocks : KEPT;
	double sum = 0;
	qsort(cost->ns, n, sizeof(cost->ns[0]), by_value);
	for (size_t i = n / 4; i < n - n / 4; i++)
		sum += cost->ns[i];
	return sum / (double)(n - n / 4 - n / 4);
}

static void *worker_run(void *argument)
{
	struct worker *me = argument;
	const struct mixture_part *parts = me->mixture->parts;
	void *state = me->mixture->prepare();
	cost_begin(&me->whole, me->mixture->turn, state, MIXED_NS);
	for (int i = 0; i < MIXTURE_PARTS && parts[i].name; i++)
		cost_begin(&me->parts[i], parts[i].run, state, ALONE_NS);
	do {
		cost_block(&me->whole, state);
		for (int i = 0; i < MIXTURE_PARTS && parts[i].name; i++)
			cost_block(&me->parts[i], state);
	} while (work_goes_on(me->end_ns));
	return NULL;
}

/* Nanoseconds of CPU time, over all threads: what was measured, and what follows. */
struct sums {
	double all, mixed, alone[MIXTURE_PARTS], in_turns[MIXTURE_PARTS];
	double turn_ns, parts_ns; /* a turn, and what its parts cost alone; means */
};

static void sums_add(struct sums *sums, struct worker *worker, int threads)
{
	double costs[MIXTURE_PARTS], together = 0;
	for (int i = 0; i < MIXTURE_PARTS; i++) {
		costs[i] = worker->parts[i].blocks ? cost_ns(&worker->parts[i]) : 0;
		together += costs[i];
	}
	double mixed = (double)worker->whole.cpu_ns;
	sums->mixed += mixed;
	sums->all += mixed;
	for (int i = 0; i < MIXTURE_PARTS; i++) {
		double alone = (double)worker->parts[i].cpu_ns;
		sums->alone[i] += alone;
		sums->in_turns[i] += mixed * costs[i] / together;
		sums->all += alone;
	}
	sums->turn_ns += cost_ns(&worker->whole) / threads;
	sums->parts_ns += together / threads;
}

static void sums_print(const struct sums *sums, const struct mixture *mixture)
{
	double percent = 100 / sums->all;
	for (int i = 0; i < MIXTURE_PARTS && mixture->parts[i].name; i++) {
		double share = percent * (sums->alone[i] + sums->in_turns[i]);
		printf("truth self-%s %.2f\n", mixture->parts[i].name, share);
		printf("truth total-%s %.2f\n", mixture->parts[i].name, share);
	}
	for (int i = 0; i < MIXTURE_PARTS && mixture->groups[i].name; i++) {
		double share = 0;
		for (int part = 0; part < MIXTURE_PARTS; part++)
			if (mixture->groups[i].parts & 1u << part)
				share += percent * sums->in_turns[part];
		printf("truth total-%s %.2f\n", mixture->groups[i].name, share);
	}
	printf("truth additive %.2f\n", 100 * sums->parts_ns / sums->turn_ns);
	printf("truth turn_ns %.0f\n", sums->turn_ns);
	printf("truth cpu_ns %.0f\n", sums->all);
}

int mixture_main(const struct mixture *mixture, int threads, const char *seconds)
{
	static struct worker workers[MOST_THREADS];
	uint64_t end_ns = work_prepare(seconds);
	if (threads < 1 || threads > MOST_THREADS)
		return 2;
	for (int i = 0; i < threads; i++) {
		workers[i].mixture = mixture;
		workers[i].end_ns = end_ns;
		if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]))
			return 1;
	}
	work_ready();
	struct sums sums = {0};
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		sums_add(&sums, &workers[i], threads);
	}
	sums_print(&sums, mixture);
	return 0;
}

unsigned mixture_spin_rounds(double us)
{
	const unsigned trial = 100000;
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < 10; i++) {
		uint64_t began = thread_cpu_ns();
		spin(trial);
		uint64_t took = thread_cpu_ns() - began;
		best = took < best ? took : best;
	}
	return (unsigned)(us * 1000 * trial / (double)best) + 1;
}

double mixture_argument(int argc, char **argv, int index, const char *usage)
{
	double value = index < argc ? strtod(argv[index], NULL) : 0;
	if (value > 0)
		return value;
	fprintf(stderr, "usage: %s %s\n", argv[0], usage);
	exit(2);
}
