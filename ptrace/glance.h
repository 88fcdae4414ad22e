/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glance: one thread as it is now, once.
 *
 * What `cproftop dump` needs, without a sampler. A thread that runs is stopped for as
 * long as the copy takes and detached in the same stop. One that a signal has stopped is
 * looked at in that stop and left in it. A thread that sleeps is not touched
 * (ptrace/asleep.h). All by one thread.
 */
#ifndef CPROFTOP_PTRACE_GLANCE_H
#define CPROFTOP_PTRACE_GLANCE_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/base/error.h"
#include "src/model/snapshot.h"
#include "src/target/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum glance_result {
	GLANCE_DONE,
	GLANCE_GONE,	/* the thread has ended */
	GLANCE_REFUSED, /* cannot be attached to; see explain.h. errno says more */
	GLANCE_ASIDE,	/* did not stop in time (state D), or kept moving; no stack */
};

/* What TID is doing. False if it is gone. */
bool glance_stat(const struct target *target, pid_t tid, struct task_stat *stat);

/* Fill SLOT, with room for STACK_BYTES of stack. STAT is what the thread was doing.
   RESTART: a system call that the stop interrupts is started again (see capture.h). */
enum glance_result glance_thread(const struct target *target, pid_t tid,
	size_t stack_bytes, bool restart, struct snapshot *slot, struct task_stat *stat);

/* The same of a thread that a signal has stopped (state T): it says so to whoever
   attaches to it, without being asked and without running, and that stop has all
   registers. Detached in it, it stays stopped. Nothing is written to it: what its system
   call returns is between it and that signal. False if it did not say so. */
bool glance_in_group_stop(const struct capture_memory *memory, pid_t tid,
	size_t stack_bytes, struct snapshot *slot);

/* Stop TID whether it runs or sleeps, call LOOK in the stop, and let it go: how a live
   unwinder is given its thread. */
enum glance_result glance_stopped(
	pid_t tid, bool restart, void (*look)(void *context, pid_t tid), void *context);

#endif
