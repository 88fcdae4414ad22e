/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report-build: make a report from samples.
 *
 * A pure function: the same samples, names and request give the same report. Names that
 * are derived for it (src/model/naming.h) are added to the profile. Analyst thread.
 */
#ifndef CPROFTOP_REPORT_BUILD_H
#define CPROFTOP_REPORT_BUILD_H

#include "src/history/accounts.h"
#include "src/report/report.h"

/* What a report is made of. It is read and not kept, except for references to the stacks
   and the names. */
struct report_input {
	const struct profile *profile;
	struct naming *naming; /* of the profile; NULL: only rules of 0 are asked for */
	const struct stacktab *stacktab;
	const struct window *samples;
	bool several;		      /* processes */
	uint64_t since_ns;	      /* no report begins before this; 0: no limit */
	uint64_t now_ns;	      /* monotonic */
	uint64_t now_wall_ns;	      /* UTC at the same instant */
	const struct cpu_mark *marks; /* oldest first */
	size_t n_marks;
	const struct accounts *accounts; /* of the threads; NULL: not known */
	const struct origin
		*origin;     /* of the file that it was read from; NULL: sampled */
	uint32_t shown_type; /* of the origin: what cpu_ns is */
	/* Threads to list even if they were not sampled; their weights are ignored. */
	const struct report_thread *alive;
	size_t n_alive;
};

/* Build the report; the caller owns it. A filter that is not a valid pattern selects
   nothing: check it before, with report_pattern_valid. */
struct report *report_build(
	const struct report_input *input, const struct report_request *request);

#endif
