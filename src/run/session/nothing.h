/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nothing: why a recording has no samples, and what to do. Pure; any thread.
 */
#ifndef CPROFTOP_NOTHING_H
#define CPROFTOP_NOTHING_H

#include "src/count/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A recording and what was asked for. */
struct nothing {
	const struct summary *summary;
	pid_t pid;		  /* with several processes, the first */
	bool children;		  /* these were sampled, too (--children) */
	bool was_paused;	  /* from the start to the end: --start-paused */
	bool stopped;		  /* the target is stopped by a signal */
	bool ended;		  /* the target has ended */
	uint64_t children_cpu_ns; /* what children used that were not sampled */
	const char *focus;	  /* --focus, or NULL */
	const char *threads;	  /* -t, or NULL */
};

/* False if there are samples; else the reason, and what helps, in one line. */
bool nothing_explain(const struct nothing *nothing, char *out, size_t size);

#endif
