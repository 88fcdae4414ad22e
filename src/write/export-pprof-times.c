/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/export-pprof-times.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/proto/pprof-times.h"
#include "src/count/locks/locks.h"
#include "src/facts/text/base64.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TICKS = 8192,	     /* about so many in a recording, */
	TICK_MIN_MS = 1,     /* but none shorter, */
	TICK_MAX_MS = 100,   /* and none longer */
	TICK_LOCKS_NS = 100, /* of who had a lock at a sample's time */
	WEIGHTS = 8,	     /* of a sample with the mean weight */
};

struct entry {
	uint64_t tick, weight_ns;
	uint32_t sample, count;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

static uint64_t choose_tick(const struct report *report)
{
	const struct origin *origin = report->origin;
	if (origin && origin->tick_ns)
		return origin->tick_ns;
	uint64_t length_ns = report->end_ns - report->start_ns;
	if (locks_have_holders(report)) {
		uint64_t fits_ns = length_ns / UINT32_MAX + 1;
		return fits_ns > TICK_LOCKS_NS ? fits_ns : TICK_LOCKS_NS;
	}
	uint64_t tick_ns = length_ns / TICKS;
	const uint64_t least = TICK_MIN_MS * NS_PER_MS, most = TICK_MAX_MS * NS_PER_MS;
	return tick_ns < least ? least : tick_ns > most ? most : tick_ns;
}

static uint64_t choose_weight(const struct report *report)
{
	const struct origin *origin = report->origin;
	if (origin && origin->weight_ns)
		return origin->weight_ns;
	uint64_t sum = 0;
	for (size_t i = 0; i < report->n_moments; i++)
		sum += report->moments[i].weight_ns;
	uint64_t weight = sum / report->n_moments / WEIGHTS;
	return weight ? weight : 1;
}

/* The moments in the order of ticks and samples, those of one tick and sample added up. */
static struct entry *entries_of(
	const struct pprof *pprof, uint64_t tick_ns, size_t *n_entries)
{
	const struct report *report = pprof->report;
	uint64_t begin_ns = report_begin_ns(report); /* what time_nanos stands for */
	struct entry *entries = mem_alloc((report->n_moments + 1) * sizeof(*entries));
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		if (pprof->numbers[moment->stack] == PROFILE_NONE)
			continue;
		entries[n++] = (struct entry){
			.tick = (moment->time_ns - begin_ns) / tick_ns,
			.weight_ns = moment->weight_ns,
			.sample = pprof->numbers[moment->stack],
			.count = moment->samples,
		};
	}
	if (n)
		qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++) {
		if (kept && compare_entries(&entries[kept - 1], &entries[i]) == 0) {
			entries[kept - 1].weight_ns += entries[i].weight_ns;
			entries[kept - 1].count += entries[i].count;
		} else {
			entries[kept++] = entries[i];
		}
	}
	*n_entries = kept;
	return entries;
}

/* The weights of each sample are rounded as a sum that grows. */
static void put_weights(struct pprof *pprof, PB(Times) * times,
	const struct entry *entries, size_t n, uint64_t unit_ns)
{
	uint64_t *sums = pprof_keep(pprof, pprof->n_samples + 1, sizeof(*sums));
	times->weight = pprof_keep(pprof, n, sizeof(*times->weight));
	times->n_weight = n;
	for (size_t i = 0; i < n; i++) {
		uint64_t *sum = &sums[entries[i].sample];
		uint64_t before = (*sum + unit_ns / 2) / unit_ns;
		*sum += entries[i].weight_ns;
		uint64_t weight = (*sum + unit_ns / 2) / unit_ns - before;
		times->weight[i] = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
	}
}

/* Nothing refers to it, so it is not found by its text, either. */
static void add_text(struct pprof *pprof, const PB(Times) * times)
{
	size_t size = perftools__profiles__times__get_packed_size(times), length;
	uint8_t *bytes = mem_alloc(size);
	char *text;
	FILE *out = open_memstream(&text, &length);
	perftools__profiles__times__pack(times, bytes);
	fputs(PPROF_TIMES_PREFIX, out);
	base64_put(bytes, size, out);
	fclose(out);
	free(bytes);
	vec_push(&pprof->kept, (void *)text);
	vec_push(&pprof->strings, text);
}

void pprof_write_times(struct pprof *pprof)
{
	const struct report *report = pprof->report;
	if (!report->n_moments)
		return;
	size_t n;
	uint64_t tick_ns = choose_tick(report), unit_ns = choose_weight(report);
	struct entry *entries = entries_of(pprof, tick_ns, &n);
	PB(Times) *times = pprof_keep(pprof, 1, sizeof(*times));
	perftools__profiles__times__init(times);
	times->tick_nanos = (int64_t)tick_ns;
	times->weight_nanos = (int64_t)unit_ns;
	times->n_tick = times->n_sample = times->n_count = n;
	times->tick = pprof_keep(pprof, n, sizeof(*times->tick));
	times->sample = pprof_keep(pprof, n, sizeof(*times->sample));
	times->count = pprof_keep(pprof, n, sizeof(*times->count));
	uint64_t last = 0;
	for (size_t i = 0; i < n; i++) {
		times->tick[i] = (uint32_t)(entries[i].tick - last);
		times->sample[i] = entries[i].sample;
		times->count[i] = entries[i].count;
		last = entries[i].tick;
	}
	put_weights(pprof, times, entries, n, unit_ns);
	add_text(pprof, times);
	free(entries);
}
