/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copier: reads memory of a target that may keep its reader waiting.
 *
 * A read of /proc/PID/mem can take as long as the target wants: its memory may be a file
 * whose FUSE server does not answer, and then the reader cannot even be killed. So only
 * memory that is known to belong to no file is read by the one who holds the thread; all
 * else is read by a thread that traces nothing, and is waited for no longer than
 * COPIER_PATIENCE_US. A copier that does not come back is left to itself with its buffer.
 *
 * Belongs to one sampler, and is called by it alone.
 */
#ifndef CPROFTOP_PTRACE_COPIER_H
#define CPROFTOP_PTRACE_COPIER_H

#include "ptrace/capture.h"
#include "ptrace/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	COPIER_PATIENCE_US = 1500,
	COPIER_BYTES = 64 * 1024, /* the most that one read gives */
	COPIER_STUCK_MOST =
		8, /* so many may be away: no more are sent till one is back */
};

struct copier;

struct copier *copier_create(void);

/* The memory of TARGET, where what BOUNDS hold is read directly and all else by COPIER.
 */
struct capture_memory copier_memory(struct copier *copier, const struct target *target,
	const struct stack_bounds *bounds);

/* See that there is somebody to read. To be called while no thread stands. */
void copier_prepare(struct copier *copier);

/* Has it begun? That takes a moment, longer on a busy machine. */
bool copier_is_ready(const struct copier *copier);

/* Read LENGTH bytes, at most COPIER_BYTES, at ADDRESS into OUT. As pread; -1 with
   ETIMEDOUT if it took too long. */
ssize_t copier_read(
	struct copier *copier, int mem_fd, void *out, size_t length, uint64_t address);

void copier_destroy(struct copier *copier); /* those that are stuck stay */

#endif
