/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-unwind SAMPLES PROGRAM [ARG...]: what it costs to unwind a snapshot.
 *
 * Stops the program's main thread SAMPLES times, 1 ms apart, copies, lets it go on, and
 * unwinds the copy; then unwinds the last copy again many times. Prints one line, in
 * nanoseconds: "once" is with the caches cold as they are after a pause, and with what is
 * new to the unwinder; "again" is the code alone, CPU time, the best of several rounds,
 * so that it says the same on a busy machine.
 */

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/read/unwind/unwinder.h"
#include "tests/lib/tracee.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	STACK_BYTES = 64 << 10,
	REPEATS = 1000,
	ROUNDS = 20,
};

struct figures {
	uint64_t *once; /* of each sample */
	size_t samples, frames, complete;
	double again; /* of the last one */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void measure(struct tracee *tracee, struct unwinder *unwinder, size_t samples,
	struct figures *figures)
{
	struct snapshot *snapshot = mem_zalloc(sizeof(*snapshot) + STACK_BYTES);
	struct callchain *chain = mem_zalloc(sizeof(*chain));
	for (size_t i = 0; i < samples; i++) {
		usleep(1000);
		if (!tracee_stop(tracee, tracee->pid, snapshot, STACK_BYTES))
			break;
		tracee_resume(tracee, tracee->pid);
		uint64_t start = clock_monotonic_ns();
		unwinder_unwind(unwinder, snapshot, chain);
		figures->once[figures->samples++] = clock_monotonic_ns() - start;
		figures->frames += chain->length;
		figures->complete += chain->end == UNWIND_ROOT;
	}
	figures->again = 1e18;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = own_cpu_ns();
		for (int i = 0; i < REPEATS; i++)
			unwinder_unwind(unwinder, snapshot, chain);
		double each = (double)(own_cpu_ns() - start) / REPEATS;
		figures->again = each < figures->again ? each : figures->again;
	}
	free(chain);
	free(snapshot);
}

static void print(const struct figures *figures)
{
	size_t n = figures->samples;
	qsort(figures->once, n, sizeof(*figures->once), compare);
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += figures->once[i];
	printf("samples %zu complete %zu frames %.1f once_mean_ns %.0f once_p50_ns %.0f "
	       "once_p99_ns %.0f again_ns %.0f\n",
		n, figures->complete, (double)figures->frames / (double)n,
		(double)sum / (double)n, (double)figures->once[n / 2],
		(double)figures->once[n * 99 / 100], figures->again);
}

int main(int argc, char **argv)
{
	size_t samples = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (samples == 0) {
		fprintf(stderr, "usage: bench-unwind SAMPLES PROGRAM [ARG...]\n");
		return 2;
	}
	struct tracee tracee;
	struct figures figures = {.once = mem_zalloc(samples * sizeof(uint64_t))};
	bool ok = tracee_start(&tracee, (const char *const *)argv + 2) &&
		  tracee_seize(&tracee, tracee.pid);
	if (ok) {
		struct error err = {{0}};
		struct unwinder *unwinder = unwinder_create(tracee.space, &err);
		if (unwinder)
			measure(&tracee, unwinder, samples, &figures);
		unwinder_destroy(unwinder);
	}
	tracee_finish(&tracee);
	if (figures.samples > 0)
		print(&figures);
	else
		fprintf(stderr, "bench-unwind: cannot run or trace %s\n", argv[2]);
	free(figures.once);
	return figures.samples > 0 ? 0 : 1;
}
