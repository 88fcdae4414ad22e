/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee: a program that a test runs, stops and looks at.
 *
 * It does what the sampler does - seize, interrupt, copy the registers and the live part
 * of the stack, continue - but simply, and it can leave the thread stopped, so that a
 * second unwinder may look at the same instant. One test thread makes all calls.
 */
#ifndef CPROFTOP_TESTS_TRACEE_H
#define CPROFTOP_TESTS_TRACEE_H

#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/snapshot.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tracee {
	pid_t pid;
	int mem_fd, output_fd;
	struct profile *profile;
	struct address_space *space;
};

/* Run ARGV and wait until it has printed a line. False if that failed; call tracee_finish
   in either case. */
bool tracee_start(struct tracee *tracee, const char *const *argv);

/* Kill the program and free everything. */
void tracee_finish(struct tracee *tracee);

/* Its threads, at most MAX; returns how many there are. */
size_t tracee_threads(const struct tracee *tracee, pid_t *tids, size_t max);

bool tracee_seize(const struct tracee *tracee, pid_t tid);

/* Stop TID and copy at most STACK_BYTES into SNAPSHOT, which has room for them. The
   thread stays stopped. */
bool tracee_stop(const struct tracee *tracee, pid_t tid, struct snapshot *snapshot,
	size_t stack_bytes);

/* Copy the stack, from the red zone below the stack pointer in SNAPSHOT's registers
   upwards. */
void tracee_copy_stack(
	const struct tracee *tracee, struct snapshot *snapshot, size_t stack_bytes);

bool tracee_resume(const struct tracee *tracee, pid_t tid);

/* The symbol FRAME is in, as the file has it, or "?". */
const char *tracee_symbol(struct tracee *tracee, struct frame frame);

#endif
