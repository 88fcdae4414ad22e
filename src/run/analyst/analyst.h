/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyst: the thread that turns facts into reports.
 *
 * It has a reader (src/read/reader/reader.h), a process without rights that takes records from the
 * rings, unwinds and names their stacks, and tells facts. It checks these, keeps them in a
 * history, and builds a report when asked. It owns all tables for this; other threads see only
 * finished, immutable reports. Nothing hostile is read here. A reader that has died or hangs is
 * replaced.
 *
 * Unless a comment says otherwise, one thread at a time may call the functions below (the
 * screen's, or main).
 */
#ifndef CPROFTOP_ANALYST_H
#define CPROFTOP_ANALYST_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "src/facts/meter.h"
#include "src/read/assembly/assembly.h"
#include "src/read/debuginfod/debug-fetch.h"
#include "src/read/reader/reader-options.h"
#include "src/run/analyst/analyst-process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst_options {
	/* there may be several processes; then each stack begins with a frame for its
	   process */
	bool several;
	bool keep_everything; /* a recording: merge old samples, do not forget them */
	/* look up lines while sampling; else only for a request with lines_wait_ns */
	bool lines_at_once;
	/* if not keep_everything: forget samples older than this... */
	uint64_t history_ns;
	size_t history_bytes; /* ...and keep at most this much of them */
	const char *
		debug_dirs; /* see address_space_create; borrowed until analyst_destroy */
	uint64_t file_bytes; /* for the tables of all files: see image_cache_create */
	bool lines;	     /* source lines are looked up */
	bool code;	     /* instructions may be asked for */
	struct event event;  /* what is counted; EVENT_CPU_TIME: CPU time */
	enum native_frames native; /* see src/read/reader/reader-options.h */
	bool source_maps;	   /* the same */
	enum unwind_by unwind_by;
	/* fetches debug files; borrowed; NULL: none are fetched */
	struct debug_fetch *fetch;
};

struct analyst;

struct analyst *analyst_create(const struct analyst_options *options, struct error *err);

/* Add a process whose records it will take. For more than one, the analyst must have been
   made with SEVERAL. Waits until the analyst has done it. False and ERR if the mappings
   of the process cannot be read. */
bool analyst_add(struct analyst *analyst, const struct analyst_process *process,
	struct error *err);

/* Does it still read RING? With several processes, it stops reading the ring of a process
   that has ended. */
bool analyst_reads(struct analyst *analyst, const struct ring *ring);

/* Reports taken before stay valid. NULL is fine. */
void analyst_destroy(struct analyst *analyst);

/* Make it look at the rings now. Any thread; does not block. CONTEXT is the analyst: this
   has the type of a callback. */
void analyst_wake(void *context);

/* Ask for a report for REQUEST (copied), which is built when all records that are now in
   the rings have been counted. Replaces a request that is not answered yet. Does not
   wait. Wait for the report of a request with `forget` before the next request: a
   replaced request forgets nothing. */
void analyst_request(struct analyst *analyst, const struct report_request *request);

/* The newest report, if it was not taken yet, else NULL. The caller owns it. Does not
   wait. */
struct report *analyst_take(struct analyst *analyst);

/* Ask for the instructions of a function, and take the newest answer, if it was not taken
   yet, else NULL: as analyst_request and analyst_take. The request's profile is kept by a
   reference. */
void analyst_ask_assembly(
	struct analyst *analyst, const struct assembly_request *request);
struct assembly *analyst_take_assembly(struct analyst *analyst);

/* The lines of these instructions, which come later, in the same way: with the serial of the
   request, and without rows if there are none. */
struct code_lines *analyst_take_lines(struct analyst *analyst);

/* A descriptor that becomes readable (poll(2)) when there is something to take, and stays
   so until analyst_take. Then call analyst_take_assembly, too, if it was asked. */
int analyst_ready_fd(const struct analyst *analyst);

/* Wait for the report that was requested, and take it. */
struct report *analyst_await(struct analyst *analyst);

/* Call analyst_request and wait for the report. */
struct report *analyst_report(
	struct analyst *analyst, const struct report_request *request);

/* Sampling ends: a reader that gives no sign of work is replaced soon, because the rings must get
   empty. Any thread. */
void analyst_expect_end(struct analyst *analyst);

/* Name the instant TIME_NS, monotonic, for the timeline: in all later reports of a range
   with it (src/facts/text/time-mark.h). Any thread. */
void analyst_mark(struct analyst *analyst, uint64_t time_ns, const char *text);

/* Samples to come have these native frames. */
void analyst_set_native(struct analyst *analyst, enum native_frames native);

/* Forget every sample so far. */
void analyst_clear(struct analyst *analyst);

/* Has every process sent its SNAPSHOT_END, so that no more samples will come? */
bool analyst_ended(const struct analyst *analyst);

/* A descriptor that is readable (poll(2)) while analyst_ended is true. */
int analyst_end_fd(const struct analyst *analyst);

#endif
