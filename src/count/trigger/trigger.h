/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger: a condition on what a process did in the last seconds, as `record --on` takes
 * it.
 *
 *	WHAT > LIMIT [in TIME]
 *
 * WHAT is total(REGEX), self(REGEX), cpu, runq or blocked(REGEX); LIMIT is a number with %,
 * s or ms; TIME, with s or ms, is how far back to look (1 s for a share, 30 s for a time).
 *
 * A trigger asks for a report and gets a value from it; both are pure functions. Whoever
 * watches asks again and again, and trigger_fires says when to act. Any thread.
 */
#ifndef CPROFTOP_TRIGGER_H
#define CPROFTOP_TRIGGER_H

#include "src/base/error.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdint.h>

enum trigger_kind {
	TRIGGER_TOTAL,	 /* CPU time of samples with such a function on their stack */
	TRIGGER_SELF,	 /* CPU time of such functions themselves */
	TRIGGER_CPU,	 /* CPU time of all threads, as the kernel accounts for it */
	TRIGGER_RUNQ,	 /* time in which threads could run, but got no CPU, likewise */
	TRIGGER_BLOCKED, /* wall clock of threads that are blocked in such a function */
};

struct trigger {
	const char *text; /* as it was parsed */
	enum trigger_kind kind;
	char pattern[REPORT_TEXT_MAX]; /* a valid PCRE2 pattern; "" if KIND has none */
	/* LIMIT is in seconds. Else it is a share: of the sampled CPU time, if KIND is TOTAL
	   or SELF, else of one thread's time, so that two threads can have 2. */
	bool is_time;
	double limit;
	uint64_t window_ns;
};

/* Parse TEXT, which must live as long as TRIGGER. ERR says what is possible instead. */
bool trigger_parse(struct trigger *trigger, const char *text, struct error *err);

/* What to ask for to know TRIGGER at UNTIL_NS (monotonic). */
struct report_request trigger_request(const struct trigger *trigger, uint64_t until_ns);

/* Of the report of that request, in the unit of the limit. Too few samples for a share
   are 0: of one sample every function has 0 % or 100 %. */
double trigger_value(const struct trigger *trigger, const struct report *report);

/* How TRIGGER went so far. Zeroed at first. */
struct trigger_state {
	bool has_fired;	       /* and does not again until it is armed */
	uint64_t last_over_ns; /* when the value was last over the limit */
};

enum {
	TRIGGER_REST_S = 10 /* a condition that was false for so long can fire again */
};

/* At NOW_NS the value is VALUE: is now the moment to act? */
bool trigger_fires(const struct trigger *trigger, struct trigger_state *state,
	double value, uint64_t now_ns);

/* How much may be written: so many files, or so many bytes; the other one is
   UINT64_MAX. */
struct trigger_quota {
	uint64_t files, bytes;
};

/* "20" are files, "100M" are bytes (k, M, G of 1024). */
bool trigger_quota_parse(
	struct trigger_quota *quota, const char *text, struct error *err);

/* May another file be written after FILES with BYTES? */
bool trigger_quota_allows(
	const struct trigger_quota *quota, uint64_t files, uint64_t bytes);

#endif
