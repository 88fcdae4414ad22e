/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report-build: make a report from samples.
 *
 * A pure function: the same samples, names and request give the same report. Derived
 * names that it needs (src/facts/naming.h) are added to the profile. Analyst thread.
 */
#ifndef CPROFTOP_REPORT_BUILD_H
#define CPROFTOP_REPORT_BUILD_H

#include "src/count/report.h"
#include "src/keep/accounts.h"

/* What a report is made of. The report keeps nothing of it but references to the stacks
   and the names. */
struct report_input {
	const struct profile *profile;
	/* of the profile; may be NULL if all rules of the request are 0 */
	struct naming *naming;
	const struct stacktab *stacktab;
	const struct sample_log *samples;
	bool several; /* there are several processes */
	/* The samples' CPU time is what the thread has used since the one before, and has the
	   chance of their distances in it: even it out (src/keep/evened.h). Not of a file,
	   whose numbers are to be found again. */
	bool evens_cpu;
	uint64_t since_ns;	      /* no report begins earlier; 0: no limit */
	uint64_t now_ns;	      /* monotonic */
	uint64_t now_wall_ns;	      /* UTC at the same instant */
	const struct cpu_mark *marks; /* oldest first */
	size_t n_marks;
	const struct strains *strains;	    /* NULL: none */
	const struct time_mark *time_marks; /* oldest first */
	size_t n_time_marks;
	const struct accounts *accounts; /* NULL: not known */
	const struct origin
		*origin;	   /* of the file that it was read from; NULL: sampled */
	uint32_t shown_type;	   /* of the origin: what cpu_ns is */
	const struct event *event; /* which it counts; NULL: as EVENT_CPU_TIME */
	/* Threads to list even if they were not sampled; their weights are ignored. */
	const struct report_thread *alive;
	size_t n_alive;
};

/* Build the report; the caller owns it. A filter that is not a valid pattern selects
   nothing, so check it with report_pattern_valid before. */
struct report *report_build(
	const struct report_input *input, const struct report_request *request);

#endif
