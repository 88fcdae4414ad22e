/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: a child that spins, sampled; and what became of both.
 *
 * One test thread makes all calls. Whatever is not as it should be fails the test.
 */
#ifndef CPROFTOP_TESTS_LIVE_H
#define CPROFTOP_TESTS_LIVE_H

#include "ptrace/sampler.h"
#include "ptrace/target.h"
#include "src/model/meter.h"
#include "src/model/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A child that spins and counts what it sees happen to it. */
struct witness {
	volatile uint64_t turns;
	volatile int signals, last_value;
};

extern struct witness *witness; /* the newest one's */

/* At the start of main: the sampler's threads wait for SIGCHLD. */
void live_block_signals(void);

pid_t start_witness(void);
void end_witness(pid_t child);

/* Wait until it has made some turns more. */
void assert_progress(void);

/* Who traces PID, as the kernel says; 0: nobody. */
long tracer_of(pid_t pid);

/* A target that is sampled, and what came of it. */
struct live {
	struct target target;
	struct ring *ring;
	struct meter meter;
	struct sampler *sampler;
	size_t samples;
	uint64_t cpu_ns;
	bool ended;
};

/* Sample PID; or the target that was opened. */
void live_start(struct live *live, pid_t pid, unsigned hz);
void live_begin(struct live *live, unsigned hz);

/* Send CHILD real-time signals numbered 1..COUNT, and see that it gets them all, in order
   and each once. */
void live_send_numbered(struct live *live, pid_t child, int count);

/* Count what is in the ring; until there are SAMPLES. */
void live_drain(struct live *live);
void live_wait_for(struct live *live, size_t samples);

/* Stop, and see its last record. */
void live_stop(struct live *live);

#endif
