/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asleep: the stack of a thread that sleeps, without touching the thread.
 *
 * Which system call it is in, its stack pointer and its PC are in /proc/TID/syscall; its
 * stack is read while it sleeps. The copy counts only if that line is the same before and
 * after: then the thread did not move, or came back to the very same call, which leaves
 * the same stack. No other register is known, which is enough for code with unwind tables
 * (measured: 2587 of 2587 stacks the same as from a stop, research/measurements.md, F).
 *
 * Reads only; allocates nothing. Any thread, nothing stopped.
 */
#ifndef CPROFTOP_PTRACE_ASLEEP_H
#define CPROFTOP_PTRACE_ASLEEP_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/model/snapshot.h"

#include <stddef.h>
#include <sys/types.h>

enum asleep_result {
	ASLEEP_COPIED,
	ASLEEP_AWAKE,	  /* it runs, kept moving, or is gone */
	ASLEEP_NO_MEMORY, /* its memory is of an address space that is gone (exec) */
};

/* Copy into SLOT, with room for STACK_BYTES: registers, stack, call; no other field.
   SYSCALL_FD is open on the thread's /proc/TID/syscall, TASK_STATE as in its stat. */
enum asleep_result asleep_copy(const struct target *target,
	const struct capture_memory *memory, pid_t tid, int syscall_fd, char task_state,
	size_t stack_bytes, struct snapshot *slot);

/* The same of a thread that has just gone to sleep and may be woken at any moment: where it
   was is certain, and of its stack what lies above; but if it wakes in these microseconds
   it may overwrite some of that, and then the stack is found to be broken. */
enum asleep_result asleep_glimpse(const struct capture_memory *memory, int syscall_fd,
	char task_state, size_t stack_bytes, struct snapshot *slot);

#endif
