/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/tags.h"

static void add_text(struct tags *tags, const char *key, const char *text)
{
	vec_push(tags, (struct label){.key = key, .text = text, .unit = ""});
}

static void add_number(struct tags *tags, const char *key, int64_t number)
{
	vec_push(tags,
		(struct label){.key = key, .text = "", .unit = "", .number = number});
}

void tags_of(const struct report *report, uint32_t thread, struct tags *tags)
{
	const struct origin *origin = report->origin;
	const struct thread *of = profile_thread(report->profile, thread);
	const struct profile_process *process = report_process(report, thread);
	tags->len = 0;
	if (origin) {
		struct label_range range = origin->of_thread.data[thread];
		for (uint32_t i = range.first; i < range.first + range.count; i++)
			vec_push(tags, origin->labels.data[i]);
		return;
	}
	add_text(tags, "thread", of->name);
	add_number(tags, "tid", of->tid);
	if (process) {
		add_text(tags, "process", process->name);
		add_number(tags, "pid", process->pid);
	}
}
