/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/activity.h"

#include <stdio.h>

#define FORGET	   0.9	/* of earlier looks, with each report */
#define IDLE_SHARE 0.01 /* who uses less of its time waits for work */

static uint64_t time_of(const struct report_thread *thread)
{
	return thread->cpu_ns + thread->runq_ns + thread->blocked_ns;
}

/* Who waits for a lock or a disk would do something else. */
static bool is_idle(const struct report *report, const struct report_thread *thread)
{
	bool may = report->request.until_ns > 0 || thread->wait > TASK_WAITS_LOCK ||
		   thread->wait == TASK_WAITS_NETWORK;

	return may && (double)(thread->cpu_ns + thread->runq_ns) <
			      IDLE_SHARE * (double)time_of(thread);
}

/* How many threads are idle, though not all of them are. */
static size_t count_idle(const struct report *report)
{
	size_t idle = 0, others = 0;

	for (size_t i = 0; i < report->n_threads; i++)
		*(is_idle(report, &report->threads[i]) ? &idle : &others) +=
			time_of(&report->threads[i]) > 0;
	return others > 0 ? idle : 0;
}

void activity_look(struct activity *activity, const struct report *report)
{
	bool skips = count_idle(report) > 0;

	for (int i = 0; i < TASK_WAITS; i++)
		activity->looks[i] *= FORGET;
	for (size_t i = 0; i < report->n_threads; i++) {
		const struct report_thread *thread = &report->threads[i];
		if (!skips || !is_idle(report, thread))
			activity->looks[thread->wait] += (double)thread->blocked_ns;
	}
}

static size_t add(char *text, size_t size, size_t used, double share, const char *word)
{
	if (used < size)
		used += (size_t)snprintf(text + used, size - used, "%s%.0f%% %s",
			used > 0 ? ", " : "", share * 100, word);
	return used;
}

void activity_describe(const struct activity *activity, const struct report *report,
	char *text, size_t size)
{
	static const char *const words[TASK_WAITS] = {
		[TASK_WAITS_NETWORK] = "network",
		[TASK_WAITS_DISK] = "disk",
		[TASK_WAITS_LOCK] = "locks",
		[TASK_WAITS_WORK] = "waits for work",
		[TASK_WAITS_PIPE] = "pipes",
		[TASK_SLEEPS] = "sleeps",
		[TASK_WAITS_CHILD] = "children",
		[TASK_WAITS_OTHER] = "other",
	};
	size_t idle = count_idle(report), used = 0;
	struct report_thread sum = {0};
	double seen = 0;

	text[0] = '\0';
	for (size_t i = 0; i < report->n_threads; i++) {
		const struct report_thread *thread = &report->threads[i];
		if (idle > 0 && is_idle(report, thread))
			continue;
		sum.cpu_ns += thread->cpu_ns;
		sum.runq_ns += thread->runq_ns;
		sum.blocked_ns += thread->blocked_ns;
	}
	double whole = (double)time_of(&sum), blocked = (double)sum.blocked_ns / whole;
	if (!(whole > 0))
		return;
	for (int i = TASK_RUNS + 1; i < TASK_WAITS; i++)
		seen += activity->looks[i];
	used = add(text, size, used, (double)sum.cpu_ns / whole, "running");
	used = add(text, size, used, (double)sum.runq_ns / whole, "wants a CPU");
	if ((!(seen > 0) || report->request.until_ns) && blocked >= 0.005)
		used = add(text, size, used, blocked, "waits");
	else if (seen > 0)
		for (int i = TASK_RUNS + 1; i < TASK_WAITS; i++)
			if (blocked * activity->looks[i] / seen >= 0.005)
				used = add(text, size, used,
					blocked * activity->looks[i] / seen, words[i]);
	if (idle > 0 && used < size)
		snprintf(text + used, size - used, ", %zu idle", idle);
}
