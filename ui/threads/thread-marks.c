/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/threads/thread-marks.h"

#include <string.h>

static size_t find(const struct thread_marks *marks, pid_t tid)
{
	size_t i = 0;

	while (i < marks->tids.len && marks->tids.data[i] != tid)
		i++;
	return i;
}

static void set(struct thread_marks *marks, pid_t tid, bool marked)
{
	size_t i = find(marks, tid);

	if (marked && i == marks->tids.len)
		vec_push(&marks->tids, tid);
	else if (!marked && i < marks->tids.len)
		marks->tids.data[i] = marks->tids.data[--marks->tids.len];
}

void thread_marks_set(struct thread_marks *marks, const struct report *report,
	const struct thread_row *row, bool marked)
{
	char name[POOL_NAME_MAX];

	if (row->members == 0) {
		set(marks, row->tid, marked);
		return;
	}
	for (size_t i = 0; i < report->n_threads; i++) {
		const struct thread *thread =
			profile_thread(report->profile, report->threads[i].thread);
		const struct profile_process *process =
			report_process(report, report->threads[i].thread);
		thread_pool_name(name, thread->name);
		if ((process ? process->pid : 0) == row->pid &&
			strcmp(name, row->name) == 0)
			set(marks, thread->tid, marked);
	}
}

bool thread_marks_has(const struct thread_marks *marks, const struct thread_row *row)
{
	return find(marks, row->tid) < marks->tids.len;
}

static bool request_has(const struct report_request *request, pid_t tid)
{
	for (uint32_t i = 0; i < request->n_tids; i++) {
		if (request->tids[i] == tid)
			return true;
	}
	return false;
}

bool thread_is_chosen(const struct report_request *request, const struct thread_row *row)
{
	return request_has(request, row->tid);
}

bool thread_marks_choose(struct thread_marks *marks, struct report_request *request)
{
	bool all = marks->tids.len <= REPORT_TIDS_MAX, same = true;
	size_t count = all ? marks->tids.len : REPORT_TIDS_MAX;

	for (size_t i = 0; i < count; i++)
		same = same && request_has(request, marks->tids.data[i]);
	if (same && request->n_tids == count) {
		request->n_tids = 0;
	} else if (count > 0) {
		request->n_tids = (uint32_t)count;
		memcpy(request->tids, marks->tids.data, count * sizeof(pid_t));
	}
	marks->tids.len = 0;
	return all;
}

void thread_marks_finish(struct thread_marks *marks)
{
	vec_free(&marks->tids);
}
