/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/alive.h"

#include "src/base/mem.h"

static pid_t pid_of(const struct history *history, const struct history_thread *thread)
{
	return thread->process == PROFILE_NONE
		       ? 0
		       : profile_process(history->profile, thread->process)->pid;
}

struct report_thread *alive_list(struct history *history, const struct intakes *intakes,
	const struct report_request *request, size_t *count)
{
	bool states = request->thread_states && request->timeline != TIMELINE_ONLY;
	struct report_thread *rows =
		mem_alloc(history->threads.len * sizeof(struct report_thread));
	*count = 0;
	vec_each (&history->threads, thread) {
		if (!thread->alive)
			continue;
		struct report_thread row = {
			.thread = history_thread_id(history, thread), .state = '?'};
		if (states)
			row.state = intakes_thread_state(
				intakes, pid_of(history, thread), thread->tid);
		rows[(*count)++] = row;
	}
	return rows;
}
