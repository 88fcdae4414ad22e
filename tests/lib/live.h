/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: a child that spins, sampled; and what became of both.
 *
 * One test thread makes all calls. Whatever is not as it should be fails the test.
 */
#ifndef CPROFTOP_TESTS_LIVE_H
#define CPROFTOP_TESTS_LIVE_H

#include "ptrace/link/tracer.h"
#include "ptrace/target.h"
#include "src/model/meter.h"
#include "src/model/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	LIVE_STACK_BYTES = 4096,
	LIVE_SLOTS = 64,
	/* A sample that was being taken when sampling ended has been charged a little
	   more than the process had by then. */
	LIVE_LATE_NS = 1000 * 1000,
};

/* A child that spins and counts what it sees happen to it. */
struct witness {
	volatile uint64_t turns;
	volatile int signals, last_value;
};

extern struct witness *witness; /* the newest one's */

pid_t start_witness(void);
void end_witness(pid_t child);

/* Wait until it has made some turns more. */
void assert_progress(void);

/* A target that is sampled, and what came of it. */
struct live {
	struct target target;
	struct ring *ring;
	struct meter *meter; /* the ring's; its last state when all is over */
	struct meter last;
	struct tracer *tracer;
	bool wall;
	size_t samples;	 /* of a thread that runs, */
	size_t without;	 /* and of them those whose stack could not be had in time */
	size_t asleep;	 /* of one that is blocked */
	char task_state; /* of the last of those */
	size_t threads, threads_ended;
	uint64_t cpu_ns;
	bool ended;
};

/* Sample PID: whoever is LIVE all 0, but for wall. */
void live_start(struct live *live, pid_t pid, unsigned hz);

/* Send CHILD real-time signals numbered 1..COUNT, and see that it gets them all, in order
   and each once. */
void live_send_numbered(struct live *live, pid_t child, int count);

/* Count what is in the ring; until there are SAMPLES, or the last record. */
void live_drain(struct live *live);
void live_wait_for(struct live *live, size_t samples);
void live_wait_for_end(struct live *live);

/* Stop, and see its last record. */
void live_stop(struct live *live);

/* End TRACER, which may wait for somebody to read its rings: DRAIN does, called again and
   again until it has ended. */
void live_end_tracer(struct tracer *tracer, void (*drain)(void *context), void *context);

/* Tell the tracer that the stack of TID, of which RING is, lies in anonymous memory, as
   the analyst would; nothing if it is gone. */
void live_tell_bounds(struct ring *ring, pid_t tid);

/* What a tracer is asked to do, here. */
struct tracer_options live_options(void);

#endif
