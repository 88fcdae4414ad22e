/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alive: the threads that were alive when they were surveyed last, for a report. Analyst
 * thread only.
 */
#ifndef CPROFTOP_ALIVE_H
#define CPROFTOP_ALIVE_H

#include "src/analyst/intakes.h"
#include "src/history/history.h"
#include "src/report/report.h"

#include <stddef.h>

/* COUNT of them, with their states of this moment, read from /proc, if REQUEST wants those
   and not a timeline alone. The caller frees the list. */
struct report_thread *alive_list(struct history *history, const struct intakes *intakes,
	const struct report_request *request, size_t *count);

#endif
