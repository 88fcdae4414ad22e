/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadman: if we do not let the target go, we die, and then the kernel lets it go.
 *
 * Armed before a thread is stopped and disarmed when none is any more. The timer's signal
 * is SIGKILL to ourselves, which works also while we are stopped (SIGSTOP, a debugger),
 * hang or wait for a dead file system: a tracer's death resumes its tracees (ptrace(2)).
 * Without it a stopped profiler is a stopped target. Any thread of the process.
 */
#ifndef CPROFTOP_PTRACE_DEADMAN_H
#define CPROFTOP_PTRACE_DEADMAN_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	DEADMAN_MS = 40,       /* of a tracer, which is replaced at once */
	DEADMAN_ALONE_MS = 200 /* of one whose work would be lost */
};

struct deadman {
	timer_t timer;
	bool exists;
	unsigned ms;
};

bool deadman_init(struct deadman *deadman, unsigned ms, struct error *err);
void deadman_finish(struct deadman *deadman);

/* Start counting anew. */
void deadman_arm(struct deadman *deadman);
void deadman_disarm(struct deadman *deadman);

#endif
