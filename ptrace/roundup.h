/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roundup: stop all running threads together, and let each go as soon as it is copied.
 *
 * A thread that waits for a CPU stops only when it gets one. If threads were stopped one
 * after the other, we would wait for that each time, 3-4 ms on a busy machine; together
 * they all get a CPU within a few milliseconds. A thread is stopped for some
 * microseconds, until it is its turn to be copied; nothing is unwound meanwhile. For
 * `cproftop dump`.
 *
 * Sleeping threads are not touched (see ptrace/glance.h), and threads that cannot be
 * attached to are left out. One that did not stop in time is detached (glance_apart).
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
	enum glance_result result; /* GLANCE_DONE, _GONE or _ASIDE */
	struct task_stat stat;	   /* its stat while it ran */
	struct snapshot *snapshot; /* owned by the roundup; filled if DONE */
};

struct roundup {
	VEC(struct rounded_up) threads;
	char *memory; /* for the snapshots */
};

/* Copy those of the N_TIDS threads that run. */
void roundup_take(struct roundup *roundup, const struct glance_how *how,
	const pid_t *tids, size_t n_tids);

/* NULL if TID was not running. */
const struct rounded_up *roundup_find(const struct roundup *roundup, pid_t tid);

void roundup_finish(struct roundup *roundup);

#endif
