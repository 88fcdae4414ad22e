/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-marks: threads that the user has marked, to show only these in all views.
 *
 * Kept by tid, so that marks stay when rows move. Zeroed is empty. UI thread.
 */
#ifndef CPROFTOP_UI_THREAD_MARKS_H
#define CPROFTOP_UI_THREAD_MARKS_H

#include "src/base/vec.h"
#include "src/report/report.h"
#include "ui/threads/thread-rows.h"

#include <stdbool.h>
#include <sys/types.h>

struct thread_marks {
	VEC(pid_t) tids;
};

/* Mark or unmark the thread of ROW, or all threads of its pool. */
void thread_marks_set(struct thread_marks *marks, const struct report *report,
	const struct thread_row *row, bool marked);

/* Is the thread, or the busiest thread of the pool, marked? */
bool thread_marks_has(const struct thread_marks *marks, const struct thread_row *row);

/* Make REQUEST ask for the marked threads only, and remove all marks. If it already asks
   for exactly these, make it ask for all threads. False if too many are marked: then it
   asks for the first ones. */
bool thread_marks_choose(struct thread_marks *marks, struct report_request *request);

void thread_marks_finish(struct thread_marks *marks);

/* Does REQUEST ask for this thread, or for the busiest thread of the pool? */
bool thread_is_chosen(const struct report_request *request, const struct thread_row *row);

#endif
