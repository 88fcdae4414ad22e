/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-tags: threads that the user has tagged, to show only these in all views.
 *
 * Kept by tid, so that tags stay when rows move. Zeroed is empty. UI thread.
 */
#ifndef CPROFTOP_UI_THREAD_TAGS_H
#define CPROFTOP_UI_THREAD_TAGS_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "ui/threads/thread-rows.h"

#include <stdbool.h>
#include <sys/types.h>

struct thread_tags {
	VEC(pid_t) tids;
};

/* Tag or untag the thread of ROW, or all threads of its pool. */
void thread_tags_set(struct thread_tags *tags, const struct report *report,
	const struct thread_row *row, bool tagged);

/* Is the thread, or the busiest thread of the pool, tagged? */
bool thread_tags_has(const struct thread_tags *tags, const struct thread_row *row);

/* Make REQUEST ask for the tagged threads only, and remove all tags. If it already asks
   for exactly these, make it ask for all threads. False if too many are tagged: then it
   asks for the first ones. */
bool thread_tags_choose(struct thread_tags *tags, struct report_request *request);

void thread_tags_finish(struct thread_tags *tags);

/* Does REQUEST ask for this thread, or for the busiest thread of the pool? */
bool thread_is_chosen(const struct report_request *request, const struct thread_row *row);

#endif
