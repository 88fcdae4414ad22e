/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alive: which threads live, and their states of this moment, for a report. Analyst thread.
 */
#ifndef CPROFTOP_ALIVE_H
#define CPROFTOP_ALIVE_H

#include "src/count/report.h"
#include "src/keep/history.h"
#include "src/run/analyst/reader-link.h"

#include <stddef.h>

/* The threads that are alive, as an array of *COUNT that the caller frees; their states, as in
   /proc/TID/stat, only if REQUEST asks for them: that is a file for each. What they wait for,
   if REQUEST is of now. */
struct report_thread *alive_list(struct history *history, const struct reader_link *link,
	const struct report_request *request, size_t *count);

#endif
