/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history: how much memory an hour of samples takes, in the bounds of a live session.
 *
 *	tests/bench/history
 *
 * Made-up samples of 16 threads, one in four with a stack that nobody has had before, 24
 * frames deep of which the last three are its own: an hour at 200 samples a second, which
 * ten minutes of age bound, and ten minutes at 5000, which 64 MB bound. Prints the most
 * that each table took after a trim, and this process's highest resident memory.
 */
#include "src/base/clock.h"
#include "src/keep/retention.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
	DEPTH = 24,
	OWN = 3,
	THREADS = 16,
	TRIMS_A_SECOND = 40,
	HISTORY_SECONDS = 600,
	MB = 1024 * 1024,
	MAX_BYTES = 64 * MB,
};

static void add(struct history *history, uint64_t time_ns, uint32_t number)
{
	uint32_t locations[DEPTH + 1];
	uint32_t own = number % 4 == 0 ? number : number % 512;
	for (uint32_t i = 0; i < DEPTH; i++)
		locations[i] = i < OWN ? 1000 + (own * OWN + i) % 100000
				       : (own % 64) * DEPTH + i;
	locations[OWN] = 200000 + own; /* what makes the stack new */
	struct sample sample = {.time_ns = time_ns, .cpu_ns = NS_PER_MS, .count = 1};
	history_add(history, (pid_t)(1 + number % THREADS), locations, DEPTH, UNWIND_ROOT,
		&sample);
}

static void live(uint32_t seconds, uint32_t rate_hz)
{
	struct history history;
	size_t most_samples = 0, most_memory = 0;
	uint32_t most_nodes = 0;
	history_init(&history, false, HISTORY_SECONDS * NS_PER_SEC, MAX_BYTES);
	for (uint32_t i = 0; i < seconds * rate_hz; i++) {
		uint64_t time_ns = (uint64_t)i * NS_PER_SEC / rate_hz;
		add(&history, time_ns, i);
		if (i % (rate_hz / TRIMS_A_SECOND) != 0)
			continue;
		retention_trim(&history, time_ns);
		size_t samples = sample_log_bytes(&history.samples),
		       memory = history_memory(&history);
		uint32_t nodes = stacktab_nodes(history.stacktab);
		most_samples = samples > most_samples ? samples : most_samples;
		most_memory = memory > most_memory ? memory : most_memory;
		most_nodes = nodes > most_nodes ? nodes : most_nodes;
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%u s at %u samples/s: samples %.1f MB (of %d), %u stack nodes, "
	       "all tables %.1f MB, resident at most %.1f MB\n",
		seconds, rate_hz, (double)most_samples / MB, MAX_BYTES / MB, most_nodes,
		(double)most_memory / MB, (double)usage.ru_maxrss / 1024);
	history_finish(&history);
}

int main(void)
{
	live(3600, 200);
	live(600, 5000);
	return 0;
}
