/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: where a screen gets its reports from.
 *
 * It may be a live session (with sampler and analyst behind it), a recording, or a test's
 * own; the screen cannot tell. Nothing here waits: a request replaces the one before it,
 * and a report comes when it is ready.
 */
#ifndef CPROFTOP_SOURCE_H
#define CPROFTOP_SOURCE_H

#include "src/model/meter.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <sys/types.h>

/* What does not change while the source lives. Strings are cleaned. */
struct source_facts {
	pid_t pid; /* of several processes, the first */
	bool several;
	const char *command; /* "nginx: worker process", for the header */
	const char *path;    /* of the executable, "" if unknown */
	unsigned cpus;
	unsigned frequency_hz; /* asked at the start */
	bool wall;	       /* wall clock is sampled, at the start */
	/* Of what was read from files, which `command` names then; NULL: it is sampled.
	   There is no process, and nothing can be cleared or set. */
	const struct origin *origin;
	uint32_t sample_type; /* of it: what to show at the start */
};

struct source {
	void *context;
	struct source_facts facts;
	/* Live counters, as they are now; valid until the next call. */
	const struct meter *(*meter)(void *context);

	/* Build a report for REQUEST (copied) as soon as possible. */
	void (*request)(void *context, const struct report_request *request);
	/* The newest report not taken yet, or NULL. The caller owns it. */
	struct report *(*take)(void *context);
	/* A file descriptor that polls readable when take would give one; -1 if there is
	   none. take clears it. */
	int (*ready_fd)(void *context);
	/* Forget every sample taken so far. */
	void (*clear)(void *context);
	/* Change the sampling rate; 0 pauses, as much as 10000. */
	void (*set_frequency)(void *context, unsigned hz);
	/* Sample wall clock, threads that wait included, or only what runs. NULL if that
	   cannot be changed. */
	void (*set_wall)(void *context, bool wall);
	/* Before this process is stopped (Ctrl-Z): returns when no thread of the target
	   is stopped, and none will be until it is released again, so that the target
	   runs on. NULL if there is nothing to hold. */
	void (*hold)(void *context, bool held);
};

#endif
