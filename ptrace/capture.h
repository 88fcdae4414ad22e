/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the registers and the live stack of one stopped thread, as quickly as can be.
 *
 * One PTRACE_GETREGSET and one read of the stack, rarely two. The thread is in a ptrace
 * stop, and whoever calls this holds it. Allocates nothing.
 *
 * The stack is read through /proc/PID/mem, which pins the address space that it was
 * opened on; process_vm_readv would block on a userfaultfd page. Memory of a file is
 * another matter: its reader waits for whoever serves the file (FUSE), and a read of an
 * address where nothing is mapped takes the target's mmap_lock for writing
 * (expand_stack, mm/mmap.c). So a stack is read directly only inside bounds that are
 * known to be anonymous memory, and through the caller's slow way elsewhere.
 */
#ifndef CPROFTOP_PTRACE_CAPTURE_H
#define CPROFTOP_PTRACE_CAPTURE_H

#include "src/model/advice.h"
#include "src/model/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Below the stack pointer that much may be in use (System V ABI AMD64, 3.2.2). */
enum {
	CAPTURE_RED_ZONE = 128
};

/* Memory to read from. SLOW reads as pread does, where BOUNDS do not say that the fast
   way is safe; NULL: pread anyway. */
struct capture_memory {
	int mem_fd;
	struct stack_bounds bounds;
	ssize_t (*slow)(
		void *context, int mem_fd, void *out, size_t length, uint64_t address);
	void *context;
};

/* The registers alone. False if the thread is gone. */
bool capture_registers(pid_t tid, struct arch_regset *regset);

/* If REGSET, the registers of the stop that TID stands in, are those of a system call that
   the stop makes fail with EINTR, let the kernel start it again, and return true (see
   arch_restart_interrupted_syscall). */
bool capture_restart(pid_t tid, const struct arch_regset *regset);

/* What is remembered of a thread's stack; all 0 at first. */
struct capture_habit {
	uint64_t home; /* where its stack pointer was the last time */
	struct stack_root root;
	size_t reach; /* of copies to no known root: src/model/advice.h */
};

enum capture_result {
	CAPTURE_DONE,
	CAPTURE_NOTHING, /* the stack could not be read in time: 0 bytes */
	CAPTURE_GONE,	 /* the address space is gone (exec, exit) */
};

/* Copy the stack from below the stack pointer in slot->regset upwards into SLOT, to its
   root if that is known (src/model/advice.h), else as far as the habit's reach;
   STACK_BYTES at most.

   In a signal handler on a stack of its own the stack that it interrupted is copied as
   well; the two share the reach. To look for that takes a microsecond for every 10 KiB,
   so it is done only where the stack pointer is far from the habit's home. */
enum capture_result capture_stack(const struct capture_memory *memory, size_t stack_bytes,
	struct capture_habit *habit, struct snapshot *slot);

/* The same from a stack pointer that is known otherwise. */
enum capture_result capture_stack_at(const struct capture_memory *memory, uint64_t sp,
	size_t stack_bytes, struct capture_habit *habit, struct snapshot *slot);

#endif
