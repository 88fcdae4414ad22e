/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/threads/thread-tags.h"

#include <string.h>

static size_t find(const struct thread_tags *tags, pid_t tid)
{
	size_t i = 0;

	while (i < tags->tids.len && tags->tids.data[i] != tid)
		i++;
	return i;
}

static void set(struct thread_tags *tags, pid_t tid, bool tagged)
{
	size_t i = find(tags, tid);

	if (tagged && i == tags->tids.len)
		vec_push(&tags->tids, tid);
	else if (!tagged && i < tags->tids.len)
		tags->tids.data[i] = tags->tids.data[--tags->tids.len];
}

void thread_tags_set(struct thread_tags *tags, const struct report *report,
	const struct thread_row *row, bool tagged)
{
	if (row->members == 0) {
		set(tags, row->tid, tagged);
		return;
	}
	for (size_t i = 0; i < report->n_threads; i++) {
		const struct report_thread *thread = &report->threads[i];
		if (thread_is_member(report, thread, row))
			set(tags, profile_thread(report->profile, thread->thread)->tid,
				tagged);
	}
}

bool thread_tags_has(const struct thread_tags *tags, const struct thread_row *row)
{
	return find(tags, row->tid) < tags->tids.len;
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

bool thread_tags_choose(struct thread_tags *tags, struct report_request *request)
{
	bool all = tags->tids.len <= REPORT_TIDS_MAX, same = true;
	size_t count = all ? tags->tids.len : REPORT_TIDS_MAX;

	for (size_t i = 0; i < count; i++)
		same = same && request_has(request, tags->tids.data[i]);
	if (same && request->n_tids == count) {
		request->n_tids = 0;
	} else if (count > 0) {
		request->n_tids = (uint32_t)count;
		memcpy(request->tids, tags->tids.data, count * sizeof(pid_t));
	}
	tags->tids.len = 0;
	return all;
}

void thread_tags_finish(struct thread_tags *tags)
{
	vec_free(&tags->tids);
}
