/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen: has the report changed since a view last used it?
 *
 * The report's address is not enough: the next report may be allocated where the last one
 * was.
 */
#ifndef CPROFTOP_UI_SEEN_H
#define CPROFTOP_UI_SEEN_H

#include "src/count/report.h"

#include <stdbool.h>

struct seen {
	const struct report *report; /* compared, never followed */
	uint64_t serial, end_ns, samples;
	int difference; /* 0: none, else one more than its normalization */
};

/* True if REPORT is not the report of the last call. A zeroed struct has seen no report
   yet. */
static inline bool seen_change(struct seen *seen, const struct report *report)
{
	struct seen now = {report, report->request.serial, report->end_ns,
		report->everything.samples,
		report->difference ? 1 + (int)report->difference->normalization : 0};
	bool same = now.report == seen->report && now.serial == seen->serial &&
		    now.end_ns == seen->end_ns && now.samples == seen->samples &&
		    now.difference == seen->difference;
	*seen = now;
	return !same;
}

#endif
