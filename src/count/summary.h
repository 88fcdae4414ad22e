/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary: what a recording cost and achieved, as one line for a person and one JSON
 * object for a program.
 *
 * All values were measured: by the sampler (src/facts/meter.h), by the kernel's accounts,
 * or from the report. Main thread.
 */
#ifndef CPROFTOP_SUMMARY_H
#define CPROFTOP_SUMMARY_H

#include "src/base/error.h"
#include "src/count/health.h"
#include "src/count/nameless.h"
#include "src/count/report.h"
#include "src/facts/engine.h"
#include "src/facts/meter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summary {
	enum engine engine;
	enum unwind_by unwind_by;
	bool user_only; /* no sample shows time in the kernel */
	uint64_t samples, lost, periods, instants_late;
	uint64_t samples_taken; /* handed to the analyst, sleeping threads' too */
	uint64_t
		samples_unfiltered; /* of the report: those that a filter left out, too */
	uint64_t asleep_copied;	    /* of the samples: stacks of sleeping threads */
	uint64_t frequency_hz;	    /* asked */
	/* Ticks while a budget kept the rate low, by budget. */
	uint64_t held_overhead, held_cpu;
	uint64_t duration_ns; /* but for pauses */
	uint64_t paused_ns;   /* in pauses, during which nothing is sampled */
	struct event event;   /* what was counted */
	/* Of an event: struct meter. */
	uint64_t event_counted, event_sampled, event_throttled;
	double event_watched;	 /* the share of the time in which it was looked for */
	int event_errnum;	 /* 0, or why it was not, in the end */
	uint64_t cpu_sampled_ns; /* sum of the weights of the samples */
	uint64_t cpu_kernel_ns;	 /* what the kernel charged to the process meanwhile */
	/* part of cpu_kernel_ns: threads that ended before a sample */
	uint64_t cpu_unsampled_ns;
	uint64_t children_unseen_ns; /* see session_meter */
	/* Of several: how many were found, and of these had samples. */
	uint64_t processes, processes_sampled;
	uint64_t rare_samples;	  /* of the samples: in [rare stacks], see
					src/keep/condense.h */
	struct health health;	  /* how stacks ended, and where they broke */
	struct nameless nameless; /* samples whose leaf has no name */
	uint64_t stop_p50_ns, stop_p99_ns, stop_max_ns;
	uint64_t stopped_ns; /* sum over all stops */
	/* Of these, what second stacks took; and how many, by what became of them. */
	uint64_t second_p50_ns, second_p99_ns, second_results[RECIPE_RESULTS];
	double paused_most; /* the share that was granted; 0: no limit */
	uint64_t own_cpu_ns;
	uint64_t threads_seen;
	/* Where the time of all listed threads went, in sum. */
	uint64_t threads_cpu_ns, threads_runq_ns, threads_blocked_ns;
	uint64_t restarts, completed, signals;
	/* Samples whose place is not exact; how often a tracer died; and samples not
	   taken because another tracer had the thread. */
	uint64_t samples_late, samples_elsewhere, tracer_deaths, samples_refused;
	uint64_t reader_deaths; /* each costs the samples of a moment */
	bool gave_up;		/* sampling ended because tracers died too often */
	uint64_t other_tracer;	/* another tracer of the target now; 0: none */
};

/* Summarize METER and REPORT; if sampling has not ended, up to NOW_NS (monotonic).
   SELF_CPU_NS is the CPU time that cproftop used. */
struct summary summary_of(const struct meter *meter, const struct report *report,
	uint64_t now_ns, uint64_t own_cpu_ns);

/* stopped / (CPU + stopped): the share of the time in which threads could have run that
   they were stopped. */
double summary_paused_share(const struct summary *summary);

/* Is that clearly more than was granted? */
bool summary_paused_too_long(const struct summary *summary);

/* Ticks per second that were achieved. */
double summary_rate_hz(const struct summary *summary);

/* How far apart samples were if a budget has held the rate down; else 0. */
uint64_t summary_held_period_ns(const struct summary *summary);

/* The option that kept the rate low for at least a tenth of the periods, or below half of
   what was asked: "--max-overhead" or "--max-cpu"; NULL: none. */
const char *summary_held_by(const struct summary *summary);

/* Has the report all samples that were taken? If not, ERR says how many are missing; for the report
   of a whole recording. */
bool summary_is_complete(const struct summary *summary, struct error *err);

/* "990 samples, 9.99 s of 10.00 s CPU sampled (99.9 %), ..." */
void summary_print_line(const struct summary *summary, char *out, size_t size);

/* Line ROW (from 0) of the reasons why stacks broke, most frequent first; false if there
   are fewer. For example "libfoo.so: 12 stacks (1.2 %): no .eh_frame, ...; build it with
   ...". */
bool summary_print_health(
	const struct summary *summary, size_t row, char *out, size_t size);

/* The same for code without names: "node: 53.0 % of samples; start it with...". */
bool summary_print_nameless(
	const struct summary *summary, size_t row, char *out, size_t size);

/* Write the JSON object to PATH, as src/base/output-file.h does. */
bool summary_write_json(
	const struct summary *summary, const char *path, struct error *err);

#endif
