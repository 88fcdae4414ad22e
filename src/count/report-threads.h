/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report-threads: the threads of a report, and where their time went.
 *
 * Analyst thread only.
 */
#ifndef CPROFTOP_REPORT_THREADS_H
#define CPROFTOP_REPORT_THREADS_H

#include "src/count/report.h"
#include "src/keep/accounts.h"
#include "src/keep/sample-log.h"

#include <stddef.h>

/* What is known of threads; borrowed. */
struct thread_sources {
	const struct report_thread *alive; /* their `thread` and `state` are used */
	size_t n_alive;
	const struct sample_log *samples;
	const struct accounts *accounts; /* or NULL */
	/* of threads that were not chosen, in the order of report_compare_stacks */
	const struct report_stack *outside;
	size_t n_outside;
};

/* Fill report->threads, when its stacks have been counted. */
void report_list_threads(struct report *report, const struct thread_sources *sources);

#endif
