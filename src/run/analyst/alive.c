/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/analyst/alive.h"

#include "src/base/mem.h"
#include "src/facts/meter.h"
#include "src/process/task.h"

#include <stdio.h>

enum {
	WAITS_MOST = 100 /* threads: a file each, with each report */
};

static pid_t pid_of(const struct history *history, const struct history_thread *thread)
{
	return thread->process == PROFILE_NONE
		       ? 0
		       : profile_process(history->profile, thread->process)->pid;
}

static const struct reader_subject *subject_of(const struct reader_link *link, pid_t pid)
{
	vec_each (&link->subjects, subject)
		if (!pid || subject->pid == pid)
			return subject;
	return NULL;
}

/* '?' if it has ended. */
static char state_of(const struct reader_subject *subject, pid_t tid)
{
	char path[64];
	struct task_stat stat;
	snprintf(path, sizeof(path), "task/%d/stat", tid);
	if (!subject || subject->proc_fd < 0 ||
		!task_stat_at(subject->proc_fd, path, &stat))
		return '?';
	/* We trace only threads that run, and only for a moment. */
	return stat.state == 't' && !meter_get(&ring_meter(subject->ring)->tracer_pid)
		       ? 'R'
		       : stat.state;
}

struct report_thread *alive_list(struct history *history, const struct reader_link *link,
	const struct report_request *request, size_t *count)
{
	bool waits = !request->until_ns && request->timeline != TIMELINE_ONLY;
	bool states = request->thread_states && request->timeline != TIMELINE_ONLY;
	struct report_thread *rows =
		mem_alloc(history->threads.len * sizeof(struct report_thread));
	*count = 0;
	vec_each (&history->threads, thread) {
		if (!thread->alive)
			continue;
		struct report_thread row = {
			.thread = history_thread_id(history, thread), .state = '?'};
		const struct reader_subject *subject =
			states || (waits && *count < WAITS_MOST)
				? subject_of(link, pid_of(history, thread))
				: NULL;
		if (states)
			row.state = state_of(subject, thread->tid);
		if (waits && *count < WAITS_MOST && subject && subject->proc_fd >= 0)
			row.wait = task_wait_at(subject->proc_fd, thread->tid);
		rows[(*count)++] = row;
	}
	return rows;
}
