/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/timed-samples.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/write/file-metric.h"

#include <stdlib.h>

static int compare_samples(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static void add_sample(struct timed_samples *samples, uint32_t thread, uint32_t stack,
	uint64_t time_ns, uint64_t value)
{
	if (value)
		vec_push(&samples->list,
			(struct timed_sample){thread, stack, time_ns, value});
}

/* How much of its stack's value a moment has: times of a file are rounded, and all moments
   of a stack may weigh nothing. */
static uint64_t share_of(const struct report_moment *moment, const struct weight *all)
{
	return all->cpu_ns ? moment->weight_ns : moment->samples;
}

/* The value of a stack is shared among its moments, so that nothing of it is lost by
   rounding. A stack without a moment comes first. */
static void add_moments(struct timed_samples *samples, const struct report *report,
	const uint32_t *threads)
{
	struct file_metric metric = file_metric_of(report);
	struct weight *all = mem_zalloc((report->n_stacks + 1) * sizeof(*all));
	uint64_t *passed = mem_zalloc((report->n_stacks + 1) * sizeof(*passed));
	uint64_t begin_ns = report->start_ns;

	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		all[moment->stack].cpu_ns += moment->weight_ns;
		all[moment->stack].samples += moment->samples;
	}
	for (uint32_t i = 0; i < report->n_stacks; i++)
		if (!all[i].cpu_ns && !all[i].samples)
			add_sample(samples, threads[i], i, 0,
				metric.of(&report->stacks[i].weight));
	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		uint32_t stack = moment->stack;
		uint64_t sum = all[stack].cpu_ns ? all[stack].cpu_ns : all[stack].samples;
		unsigned __int128 value = metric.of(&report->stacks[stack].weight);
		uint64_t before = passed[stack];
		passed[stack] += share_of(moment, &all[stack]);
		if (sum)
			add_sample(samples, threads[stack], stack,
				moment->time_ns - begin_ns,
				(uint64_t)(value * passed[stack] / sum) -
					(uint64_t)(value * before / sum));
	}
	free(all);
	free(passed);
}

/* A thread that renamed itself is one. */
void timed_samples_init(struct timed_samples *samples, const struct report *report)
{
	struct idmap by_tid = {0}; /* (tid, 0) -> thread */
	uint32_t *threads = mem_alloc((report->n_stacks + 1) * sizeof(*threads));

	*samples = (struct timed_samples){0};
	for (size_t i = 0; i < report->n_threads; i++)
		idmap_put(&by_tid,
			(uint64_t)profile_thread(
				report->profile, report->threads[i].thread)
				->tid,
			0, (uint32_t)i);
	for (size_t i = 0; i < report->n_stacks; i++) {
		pid_t tid =
			profile_thread(report->profile, report->stacks[i].thread)->tid;
		const uint32_t *thread = idmap_get(&by_tid, (uint64_t)tid, 0);
		threads[i] = thread ? *thread : PROFILE_NONE;
	}
	add_moments(samples, report, threads);
	if (samples->list.len)
		qsort(samples->list.data, samples->list.len, sizeof(*samples->list.data),
			compare_samples);
	free(threads);
	idmap_finish(&by_tid);
}

void timed_samples_finish(struct timed_samples *samples)
{
	vec_free(&samples->list);
}
