/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: where a screen gets its reports from.
 *
 * It may be a live session (with tracer and analyst behind it), or a test's own; the
 * screen does not know which. No function here but hold waits: a request replaces the one
 * before it, and a report comes when it is ready.
 */
#ifndef CPROFTOP_SOURCE_H
#define CPROFTOP_SOURCE_H

#include "src/count/report.h"
#include "src/facts/meter.h"
#include "src/process/list/offspring.h"
#include "src/read/assembly/assembly.h"
#include "src/read/names/code-lines.h"
#include "src/read/reader/reader-options.h"

#include <stdbool.h>
#include <sys/types.h>

/* Facts that do not change while the source lives. Strings are cleaned. */
struct source_facts {
	pid_t pid; /* with several processes, of the first */
	bool several;
	const char *command; /* "nginx: worker process", for the header */
	const char *host;    /* the machine that it is sampled on; NULL: of a file */
	const char *path;    /* of the executable, "" if unknown */
	unsigned cpus;
	unsigned frequency_hz;	   /* as asked at the start */
	bool wall;		   /* wall clock is sampled at the start */
	bool children;		   /* those of the target are sampled, too */
	enum native_frames native; /* that stacks have at the start */
	/* Of what was read from files, which `command` names then; NULL: it is sampled.
	   There is no process, and nothing can be cleared or set. */
	const struct origin *origin;
	uint32_t sample_type; /* of it: what to show at the start */
	/* What the earlier of two files is called, with which the reports of the other are
	   to be compared, and how; NULL: there is one, or none. */
	const char *before;
	enum normalization normalization;
};

struct source {
	void *context;
	struct source_facts facts;
	/* The command as it is now, after an exec or under another title; looked at once a second at
	   most; valid until the next call. NULL: it stays as it is. */
	const char *(*command)(void *context);
	/* The counters as they are now; valid until the next call. */
	const struct meter *(*meter)(void *context);

	/* Ask for a report for REQUEST (copied), as soon as possible. */
	void (*request)(void *context, const struct report_request *request);
	/* The newest report, if it was not taken yet, else NULL. The caller owns it. */
	struct report *(*take)(void *context);
	/* A descriptor that becomes readable (poll(2)) when there is something to take; -1:
	   there is none. take clears it, so call take_assembly then, too. */
	int (*ready_fd)(void *context);
	/* Ask for the instructions of a function, and take the newest answer if it was not
	   taken yet, else NULL: as request and take, whose answers come independently. The
	   request's profile is kept by a reference. NULL: there are none. */
	void (*ask_assembly)(void *context, const struct assembly_request *request);
	struct assembly *(*take_assembly)(void *context);
	/* The lines of these instructions, which come later and in the same way; without rows
	   if there are none. NULL if ask_assembly is. */
	struct code_lines *(*take_lines)(void *context);
	/* Name the instant TIME_NS, monotonic (analyst_mark). NULL: a file. */
	void (*mark)(void *context, uint64_t time_ns, const char *text);
	/* Forget every sample taken so far. */
	void (*clear)(void *context);
	/* Change the sampling rate; 0 pauses, 10000 is the most. */
	void (*set_frequency)(void *context, unsigned hz);
	/* Sample wall clock, with threads that wait, or only threads that run. NULL if
	   that cannot be changed. */
	void (*set_wall)(void *context, bool wall);
	/* Stacks of samples to come have these native frames. NULL: a file. */
	void (*set_native)(void *context, enum native_frames native);
	/* Called with true before this process is stopped (Ctrl-Z), and with false
	   afterwards. hold(true) returns when no thread of the target is stopped; none
	   will be until hold(false), so the target runs on. NULL if there is nothing to
	   hold. */
	void (*hold)(void *context, bool held);
	/* What the children of the target use now; NULL: there is no target. */
	const struct offspring *(*offspring)(void *context);
};

#endif
