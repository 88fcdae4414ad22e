/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadman: a timer that kills this process if it does not resume the target in time.
 *
 * When a tracer dies, the kernel resumes its tracees (ptrace(2)). The timer is armed
 * before a thread is stopped, and disarmed when none is stopped any more. Its signal is
 * SIGKILL to this process, which also works while the process is stopped (SIGSTOP, a
 * debugger), hangs, or waits for a dead file system. Without it, a profiler that is
 * stopped at the wrong moment would keep its target stopped. Any thread of the process.
 *
 * A thread that was asked to stop may have to wait for a CPU first. It is not stopped
 * then, however long that takes, so the timer must start anew. For this a thread can be
 * warned some time before the end.
 */
#ifndef CPROFTOP_PTRACE_DEADMAN_H
#define CPROFTOP_PTRACE_DEADMAN_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	DEADMAN_MS = 40,       /* for a tracer, which is replaced at once */
	DEADMAN_ALONE_MS = 200 /* for `dump`, whose work would be lost */
};

struct deadman {
	timer_t timer, warning;
	bool exists, warns;
	unsigned ms, warning_ms;
	uint64_t warns_ns; /* when the warning is due, or was */
};

bool deadman_init(struct deadman *deadman, unsigned ms, struct error *err);
void deadman_finish(struct deadman *deadman);

/* From now on interrupt the calling thread by SIGNAL, which needs a handler, MS after the
   last start of the timer; also if the timer was disarmed meanwhile, unless deadman_hush
   is called. */
bool deadman_warn(struct deadman *deadman, unsigned ms, int signal, struct error *err);

/* The timer is disarmed, and the calling thread is about to sleep until UNTIL_NS: a
   warning that is due before would only wake it. Where the next start comes soon enough
   this takes no system call. */
void deadman_hush(struct deadman *deadman, uint64_t until_ns);

/* Start the timer, or start it anew. */
void deadman_arm(struct deadman *deadman);
void deadman_disarm(struct deadman *deadman);

#endif
