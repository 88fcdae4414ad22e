/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roundup: all threads that run, stopped together, and each let go as soon as it is
 * copied.
 *
 * A thread that waits for a CPU can stop only when it gets one. To stop one after the
 * other is to wait for that each time, 3-4 ms on a busy machine; together they have all
 * got one in a few milliseconds. Nothing is unwound meanwhile: a thread stands from when
 * it stops until it is our turn to copy it, some microseconds. For `cproftop dump`.
 *
 * Threads that sleep are not touched (ptrace/glance.h looks at those), nor any that
 * cannot be attached to. All by one thread, which must end soon after: with it the kernel
 * lets go of a thread that did not stop in time.
 */
#ifndef CPROFTOP_PTRACE_ROUNDUP_H
#define CPROFTOP_PTRACE_ROUNDUP_H

#include "ptrace/glance.h"
#include "src/base/vec.h"

enum {
	ROUNDUP_MAX = 64, /* threads at once */
};

struct rounded_up {
	pid_t tid;
	enum glance_result result; /* done, gone or aside */
	struct task_stat stat;	   /* as it ran */
	struct snapshot *snapshot; /* in the roundup; filled if it is done */
};

struct roundup {
	VEC(struct rounded_up) threads;
	char *memory; /* of the snapshots */
};

/* Those of the N_TIDS threads that run, with at most STACK_BYTES of stack; RESTART as in
   glance.h. */
void roundup_take(struct roundup *roundup, const struct target *target, const pid_t *tids,
	size_t n_tids, size_t stack_bytes, bool restart);

/* NULL if it did not run. */
const struct rounded_up *roundup_find(const struct roundup *roundup, pid_t tid);

void roundup_finish(struct roundup *roundup);

#endif
