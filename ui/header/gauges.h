/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gauges: the meter's counts as rates and shares for a person.
 *
 * Rates are over about the last two seconds, between two readings; percentiles and sums
 * are since sampling began. Times are arguments, so that it can be tested. UI thread.
 */
#ifndef CPROFTOP_UI_GAUGES_H
#define CPROFTOP_UI_GAUGES_H

#include "src/facts/engine.h"
#include "src/facts/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct gauges {
	/* Between the last two readings. */
	double rate_hz; /* instants per second */
	/* 1.0 is one CPU: what the kernel charged to the target */
	double kernel_cpu_share;
	double sampled_cpu_share; /* the part of it that samples account for */
	double own_cpu_share;	  /* 1.0 is one CPU: cproftop itself */
	/* time for which threads were stopped, summed over threads, divided by that plus
	   the target's CPU time */
	double paused_share, paused_most; /* what was granted; 0: no limit */
	/* Current values. */
	unsigned asked_hz; /* 0: sampling is paused */
	enum engine engine;
	double events_hz; /* of an event: how many a second there are */
	int event_errnum; /* why it is not counted now */
	enum unwind_by unwind_by;
	uint64_t threads_now, threads_running;
	uint64_t processes; /* alive, of several; 0: there is only one */
	bool target_stopped, target_exited, sampling_ended, gave_up;
	uint64_t other_tracer;	 /* another tracer of the target now; 0: none */
	enum meter_held held_by; /* what keeps the rate low */
	/* Since sampling began. */
	uint64_t samples, lost, periods, instants_late;
	uint64_t samples_late, samples_elsewhere, tracer_deaths;
	uint64_t stop_p50_ns, stop_p99_ns, stop_max_ns;
	uint64_t elapsed_ns; /* since sampling began */

	/* The reading from which rates are computed. */
	struct {
		uint64_t time_ns, own_cpu_ns, events, periods, cpu_kernel_ns,
			cpu_sampled_ns, stopped_ns;
	} then;
};

/* Update from METER, at every refresh. Start with a zeroed struct. NOW_NS is monotonic,
   SELF_CPU_NS the CPU time of cproftop. */
void gauges_update(struct gauges *gauges, const struct meter *meter, uint64_t now_ns,
	uint64_t own_cpu_ns);

#endif
