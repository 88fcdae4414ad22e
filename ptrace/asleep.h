/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asleep: the stack of a thread that sleeps, without touching the thread.
 *
 * Which system call it is in, its stack pointer and its PC are in /proc/TID/syscall; its
 * stack is read while it sleeps. The copy is valid only if that line is the same before
 * and after it: then the thread did not move, or came back to the very same call, which
 * leaves the same stack. Of the registers only these two are known, which is enough for
 * code with unwind tables: of 2587 stacks that were copied in both ways, all were the
 * same as from a stop.
 *
 * Only reads; allocates nothing. Any thread; no thread of the target need be stopped.
 */
#ifndef CPROFTOP_PTRACE_ASLEEP_H
#define CPROFTOP_PTRACE_ASLEEP_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/facts/snapshot.h"

#include <stddef.h>
#include <sys/types.h>

enum asleep_result {
	ASLEEP_COPIED,
	ASLEEP_AWAKE,	  /* it runs, woke up during each try, or has ended */
	ASLEEP_NO_MEMORY, /* the address space of MEMORY is gone (exec) */
};

/* Copy registers, stack, call and lock into SLOT, which has room for STACK_BYTES of stack;
   other fields stay as they are. HABIT is what is known of the stack; it is not changed.
   SYSCALL_FD is open on the thread's /proc/TID/syscall,
   TASK_STATE is its state as in stat. */
enum asleep_result asleep_copy(const struct target *target,
	const struct capture_memory *memory, pid_t tid, int syscall_fd, char task_state,
	size_t stack_bytes, const struct capture_habit *habit, struct snapshot *slot);

/* Append the thread's stack in the kernel to SLOT, if there is room for it among
   STACK_BYTES. The caller must know that the thread slept on meanwhile. Takes some 5 us and
   CAP_SYS_ADMIN (proc_pid_stack, fs/proc/base.c). */
void asleep_read_kernel(const struct target *target, pid_t tid, size_t stack_bytes,
	struct snapshot *slot);

/* If CALL waits for a futex that may be a lock, read the memory there again, into
   CALL. Else, or if it cannot be read, its lock_length becomes 0. The caller must know
   that the thread slept all the time. */
void asleep_read_lock(const struct capture_memory *memory, struct snapshot_call *call);

/* The thread pointer of TID, which need never have been stopped: glibc's record of a thread has the
   list of its robust mutexes, which the kernel knows. 0: not known. */
uint64_t asleep_thread_pointer(const struct capture_memory *memory, pid_t tid);

/* As asleep_copy, but without lock, for a thread that has just gone to sleep and may be
   woken at any moment. Does
   not check afterwards that it still sleeps: its PC is certain, but if it wakes during
   the copy it may overwrite part of its stack, which is then found to be broken. */
enum asleep_result asleep_glimpse(const struct capture_memory *memory, int syscall_fd,
	char task_state, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot);

#endif
