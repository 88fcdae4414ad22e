/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reports: what a report costs when there are very many different stacks in the window.
 *
 *	tests/bench/reports
 *
 * Made-up samples of 16 threads, each with a stack that no other one has: 24 frames, the
 * last three its own, of 5000 functions. Printed are the median of the time to build a
 * report of all, and the memory of the history, for 50000 stacks and for twice as many.
 */
#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/count/report-build.h"
#include "src/keep/history.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	DEPTH = 24,
	OWN = 3,
	THREADS = 16,
	FUNCTIONS = 5000,
	STACKS = 50000,
	ROUNDS = 9,
};

static uint32_t functions[FUNCTIONS];

static void fill(struct history *history, uint32_t stacks)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[32];
		snprintf(name, sizeof(name), "function_%u", i);
		functions[i] = profile_intern_synthetic(history->profile, name);
	}
	for (uint32_t number = 0; number < stacks; number++) {
		uint32_t locations[DEPTH + 2], rest = number;
		for (uint32_t i = 0; i < DEPTH; i++) {
			locations[i] = functions[i < OWN ? rest % 50 : i * 7];
			rest /= 50;
		}
		struct sample sample = {.time_ns = number, .cpu_ns = 1, .count = 1};
		history_add(history, (pid_t)(100 + number % THREADS), locations, DEPTH,
			UNWIND_ROOT, &sample);
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint64_t build_ns(const struct history *history, size_t *stacks)
{
	uint64_t times[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		struct report_request request = {0};
		struct report_input input = {
			.profile = history->profile,
			.stacktab = history->stacktab,
			.samples = &history->samples,
			.now_ns = UINT32_MAX,
		};
		uint64_t began_ns = own_cpu_ns();
		struct report *report = report_build(&input, &request);
		times[i] = own_cpu_ns() - began_ns;
		*stacks = report->n_stacks;
		report_destroy(report);
	}
	qsort(times, ROUNDS, sizeof(*times), compare);
	return times[ROUNDS / 2];
}

int main(void)
{
	uint64_t before_ns = 0;
	for (uint32_t stacks = STACKS; stacks <= 2 * STACKS; stacks *= 2) {
		struct history history;
		history_init(&history, false, UINT64_MAX, 64 * 1024 * 1024);
		fill(&history, stacks);
		size_t counted;
		uint64_t ns = build_ns(&history, &counted);
		printf("%zu different stacks in the window: a report takes %.1f ms of "
		       "CPU",
			counted, (double)ns / NS_PER_MS);
		if (before_ns)
			printf(", %.1f times as much", (double)ns / (double)before_ns);
		printf("; %.1f MB\n", (double)history_memory(&history) / (1024 * 1024));
		before_ns = ns;
		history_finish(&history);
	}
	return 0;
}
