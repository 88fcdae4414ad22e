/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyst: the thread that turns snapshots into reports.
 *
 * It takes records from the ring, unwinds and names their stacks, keeps the samples in a
 * window, and builds a report when asked. It owns every table and cache behind that;
 * others see only finished, immutable reports. It takes plain data (records, a /proc/PID
 * directory) and makes no ptrace call, so that it could become a confined process of its
 * own: it is the part that reads files which a hostile target made.
 *
 * Functions below may be called by any one thread (the screen's, or main) unless said
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
	bool several;	      /* processes: their stacks are told apart */
	bool keep_everything; /* merge old samples instead of forgetting them (record) */
	bool lines_at_once;   /* look up lines as code is met; else only for a request
				 that waits for them */
	uint64_t history_ns;  /* else: forget samples older than this... */
	size_t history_bytes; /* ...and keep no more than this of them */
	const char *debug_dirs; /* see address_space_create; read by analyst_create */
	struct line_resolver *lines; /* NULL: no lines; outlives it */
	struct debug_fetch *fetch;   /* where debug files can be asked for; outlives it;
					NULL: nowhere */
};

struct analyst_process {
	pid_t pid;
	struct ring *ring; /* borrowed; the analyst is its reader */
	int proc_fd;	   /* an open /proc/PID; borrowed for the call */
};

struct analyst;

struct analyst *analyst_create(const struct analyst_options *options, struct error *err);

/* Take records of one process more; of more than one only if it was made for several.
   False and ERR if its mappings cannot be read. Waits for the analyst. */
bool analyst_add(struct analyst *analyst, const struct analyst_process *process,
	struct error *err);

/* Does it still read RING? Of several processes one that has ended leaves by itself. */
bool analyst_reads(struct analyst *analyst, const struct ring *ring);

/* Reports it gave stay good. NULL is fine. */
void analyst_destroy(struct analyst *analyst);

/* Look at the ring now. Any thread, does not block. CONTEXT is the analyst, so that it
   can be the sampler's wake function. */
void analyst_wake(void *context);

/* Build a report for REQUEST (copied) as soon as what is in the ring has been counted.
   Replaces a request not yet answered. Does not wait. One that forgets is to be waited
   for: it would be as if it had not been asked. */
void analyst_request(struct analyst *analyst, const struct report_request *request);

/* The newest report not taken yet, or NULL; the caller owns it. Does not wait. */
struct report *analyst_take(struct analyst *analyst);

/* Polls readable while analyst_take would give a report. */
int analyst_ready_fd(const struct analyst *analyst);

/* The same, and wait for it. */
struct report *analyst_report(
	struct analyst *analyst, const struct report_request *request);

/* Forget every sample so far. */
void analyst_clear(struct analyst *analyst);

/* Has SNAPSHOT_END been seen of all processes: will no sample come any more? */
bool analyst_ended(const struct analyst *analyst);

#endif
