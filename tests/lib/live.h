/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: sample a child that spins, and check what happens to it.
 *
 * One test thread makes all calls. Anything unexpected fails the test.
 */
#ifndef CPROFTOP_TESTS_LIVE_H
#define CPROFTOP_TESTS_LIVE_H

#include "ptrace/link/tracer.h"
#include "ptrace/target.h"
#include "src/facts/meter.h"
#include "src/facts/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	LIVE_STACK_BYTES = 4096,
	LIVE_SLOTS = 64,
};

/* What the spinning child has counted, in shared memory. */
struct witness {
	volatile uint64_t turns;
	volatile int signals, last_value;
};

extern struct witness *witness; /* of the newest child */

pid_t start_witness(void);
void end_witness(pid_t child);

/* Wait until the child has made some more turns. */
void assert_progress(void);

/* A target that is sampled, and the results. */
struct live {
	struct target target;
	struct ring *ring;
	struct meter *meter; /* the ring's; at the end &last */
	struct meter last;
	struct tracer *tracer;
	bool wall;
	size_t samples;	 /* of running threads */
	size_t without;	 /* of these: without a stack, which could not be read in time */
	size_t asleep;	 /* of blocked threads */
	char task_state; /* of the last blocked one */
	size_t threads, threads_ended;
	uint64_t cpu_ns;
	bool ended;
};

/* Sample PID. LIVE must be zeroed, except for `wall`. */
void live_start(struct live *live, pid_t pid, unsigned hz);

/* Send CHILD real-time signals numbered 1 to COUNT, and check that it gets each of them
   once, in order. */
void live_send_numbered(struct live *live, pid_t child, int count);

/* Count what is in the ring now; or until there are SAMPLES; or until the last record. */
void live_drain(struct live *live);
void live_wait_for(struct live *live, size_t samples);
void live_wait_for_end(struct live *live);

/* Stop sampling, and wait for the last record. */
void live_stop(struct live *live);

/* Destroy TRACER, which waits until its rings are read: DRAIN is called repeatedly to do
   that. */
void live_end_tracer(struct tracer *tracer, void (*drain)(void *context), void *context);

/* Advise the tracer, as the analyst would, that the stack of TID lies in anonymous
   memory. RING is that of its process. Does nothing if TID has ended. */
void live_tell_bounds(struct ring *ring, pid_t tid);

/* The options of tracers in tests. */
struct tracer_options live_options(void);

#endif
