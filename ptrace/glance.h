/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glance: one thread as it is now, looked at once.
 *
 * For `cproftop dump`, which has no tracer process. A running thread is stopped for as
 * long as the copy takes, and detached in the same stop. A thread that a signal has
 * stopped is copied in that stop and left in it. A sleeping thread is not touched
 * (ptrace/asleep.h).
 */
#ifndef CPROFTOP_PTRACE_GLANCE_H
#define CPROFTOP_PTRACE_GLANCE_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/base/error.h"
#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/process/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum glance_result {
	GLANCE_DONE,
	GLANCE_GONE,	/* the thread has ended */
	GLANCE_REFUSED, /* attaching failed with errno; see explain.h */
	/* no stack: it did not stop in time (state D), or woke up during each try */
	GLANCE_ASIDE,
};

/* What is copied of a thread of TARGET. */
struct glance_how {
	const struct target *target; /* its maps_fd is open if there is a recipe */
	size_t stack_bytes;
	bool restart; /* a system call that the stop interrupts is started again: capture.h */
	const struct stack_link *link; /* as in capture-memory.h */
	const struct recipe *recipe;   /* NULL: nothing but the stack (second-stack.h) */
};

/* Do WORK, which attaches to threads, on a thread of its own: at the end of that the
   kernel detaches whatever it still traces, which may be a child that the target made
   meanwhile with CLONE_PTRACE. False if there is no room for a thread. */
bool glance_apart(void *(*work)(void *context), void *context);

/* Read the stat of TID. False if it has ended. */
bool glance_stat(const struct target *target, pid_t tid, struct task_stat *stat);

/* Fill SLOT, which has room for so much stack; STAT gets the thread's stat. */
enum glance_result glance_thread(const struct glance_how *how, pid_t tid,
	struct snapshot *slot, struct task_stat *stat);

/* The part of it that is done in a stop: copy registers and stacks of TID, of whose stack REACH
   bytes are copied (src/facts/advice.h). False if it is gone. */
bool glance_copy(
	const struct glance_how *how, pid_t tid, size_t reach, struct snapshot *slot);

/* The same for a thread that a signal has stopped (state T). It reports its group-stop to
   a new tracer at once, without running, and all its registers can be read then. Detached
   in that stop, it stays stopped. No register is changed: what its system call returns is
   due to the signal, not to us. False if it did not report a group-stop. */
bool glance_in_group_stop(const struct capture_memory *memory, pid_t tid,
	size_t stack_bytes, struct snapshot *slot);

#endif
