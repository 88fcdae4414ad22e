/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copier: read memory of a target when the read may block.
 *
 * A target can make a read of /proc/PID/mem block for ever: if the memory belongs to a
 * file whose FUSE server does not answer, the reader cannot even be killed. So a thread
 * that traces reads only memory that is known to belong to no file. All other memory is
 * read by a copier, a thread that traces nothing, and the caller waits for it for
 * COPIER_PATIENCE_US at most. A copier that does not finish in time is abandoned, with
 * its buffer.
 *
 * Each struct copier belongs to one thread (a sampler, or the lookout), which alone calls
 * these functions.
 */
#ifndef CPROFTOP_PTRACE_COPIER_H
#define CPROFTOP_PTRACE_COPIER_H

#include "ptrace/capture-memory.h"
#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "ptrace/threads/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	COPIER_PATIENCE_US = 1500,
	COPIER_CONTENDED_US =
		300, /* the same, where threads of the target compete for it */
	COPIER_BYTES = CAPTURE_SLOW_BYTES, /* most bytes of one read */
	COPIER_STUCK_MOST =
		8, /* so many may be blocked; then no more are made until one returns */
};

struct copier;

struct copier *copier_create(void);

/* The memory of TARGET for a thread whose stacks are known as SAMPLED says: they and the
   areas of LINK are read directly, the rest by COPIER. LINK is borrowed, and may be NULL. */
struct capture_memory copier_memory(struct copier *copier, const struct target *target,
	const struct thread_sampled *sampled, const struct stack_link *link);

/* Threads of the target hold its mmap_lock for long: all of this MEMORY is read by its copier,
   which is waited for COPIER_CONTENDED_US. A longer wait gives fewer stacks, not more: of a server
   whose 64 threads map and unmap, a read that takes 300 us most often takes milliseconds, and
   those stops are what --max-overhead is spent on. */
void copier_expect_contention(struct capture_memory *memory);

/* Make sure that a thread is there to read. Call it while no thread of the target is
   stopped. */
void copier_prepare(struct copier *copier);

/* Has that thread started? On a busy machine that can take a while. */
bool copier_is_ready(const struct copier *copier);

/* Read LENGTH bytes, at most COPIER_BYTES, at ADDRESS into OUT. As memory_read; -1 with
   ETIMEDOUT if it took too long. */
ssize_t copier_read(
	struct copier *copier, int memory, void *out, size_t length, uint64_t address);

void copier_destroy(struct copier *copier); /* blocked threads end when their read does */

#endif
