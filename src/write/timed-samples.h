/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed-samples: the samples of a report at their times, for the formats that have such:
 * Firefox's, speedscope's, .cpuprofile.
 *
 * A report knows the value of each stack, and the moments at which it was met. Here each moment
 * gets its share of the value, to the last unit. Main thread.
 */
#ifndef CPROFTOP_TIMED_SAMPLES_H
#define CPROFTOP_TIMED_SAMPLES_H

#include "src/base/vec.h"
#include "src/count/report.h"

#include <stdint.h>

struct timed_sample {
	uint32_t thread; /* index among those of the report; PROFILE_NONE: none */
	uint32_t stack;	 /* index among those of the report */
	uint64_t time_ns, value;
};

struct timed_samples {
	VEC(struct timed_sample) list; /* by thread, then by time */
};

/* If REPORT has moments, a sample for each of them, with its time since the begin; else one for
   each stack, at 0. None has no value. */
void timed_samples_init(struct timed_samples *samples, const struct report *report);
void timed_samples_finish(struct timed_samples *samples);

#endif
