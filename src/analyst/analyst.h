/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyst: the thread that turns snapshots into reports.
 *
 * It takes records from the rings, unwinds and names their stacks, keeps the samples in a
 * window, and builds a report when asked. It owns every table and cache that this needs;
 * others see only finished, immutable reports. It takes plain data (records, a /proc/PID
 * directory) and makes no ptrace call, so that it can be moved into a confined process:
 * it is the part that reads files which may be hostile.
 *
 * The functions below may be called by any one thread (the screen's, or main) unless said
 * otherwise.
 */
#ifndef CPROFTOP_ANALYST_H
#define CPROFTOP_ANALYST_H

#include "src/base/error.h"
#include "src/model/meter.h"
#include "src/model/ring.h"
#include "src/names/debug-fetch.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst_options {
	/* there may be several processes: each stack begins with its process */
	bool several;
	bool keep_everything; /* merge old samples instead of forgetting them (record) */
	bool lines_at_once;  /* look up lines while sampling; else only for a request that
				 waits for them */
	uint64_t history_ns; /* else: forget samples older than this... */
	size_t history_bytes;	/* ...and keep no more than this of them */
	const char *debug_dirs; /* see address_space_create; read by analyst_create */
	struct line_resolver *lines; /* NULL: no lines; outlives it */
	/* where debug files are fetched; NULL: nowhere; outlives it */
	struct debug_fetch *fetch;
};

struct analyst_process {
	pid_t pid;
	struct ring *ring; /* borrowed; the analyst is its reader */
	int proc_fd;	   /* an open /proc/PID; borrowed for the call */
};

struct analyst;

struct analyst *analyst_create(const struct analyst_options *options, struct error *err);

/* Take the records of one more process; for more than one the analyst must have been made
   with SEVERAL. Waits for the analyst. False and ERR if the mappings of the process
   cannot be read. */
bool analyst_add(struct analyst *analyst, const struct analyst_process *process,
	struct error *err);

/* Does it still read RING? With several processes, it stops reading the ring of one that
   has ended. */
bool analyst_reads(struct analyst *analyst, const struct ring *ring);

/* Reports that it gave stay valid. NULL is fine. */
void analyst_destroy(struct analyst *analyst);

/* Have it look at the rings now. Any thread; does not block. CONTEXT is the analyst, so
   that this can be the sampler's wake function. */
void analyst_wake(void *context);

/* Ask for a report for REQUEST (copied), to be built when everything in the rings has
   been counted. Replaces a request that was not yet answered. Does not wait. Wait for the
   report of a request with `forget` before the next request: one that is replaced forgets
   nothing. */
void analyst_request(struct analyst *analyst, const struct report_request *request);

/* The newest report not taken yet, or NULL; the caller owns it. Does not wait. */
struct report *analyst_take(struct analyst *analyst);

/* A descriptor that polls readable while analyst_take would return a report. */
int analyst_ready_fd(const struct analyst *analyst);

/* analyst_request, and wait for the report. */
struct report *analyst_report(
	struct analyst *analyst, const struct report_request *request);

/* Forget every sample so far. */
void analyst_clear(struct analyst *analyst);

/* Have all processes sent their SNAPSHOT_END, so that no sample will come any more? */
bool analyst_ended(const struct analyst *analyst);

#endif
