/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: copy the registers and the live stack of one stopped thread, as fast as
 * possible.
 *
 * One PTRACE_GETREGSET and one read of the stack; two if the thread uses another of its
 * stacks as well. Called by the thread that traces it, while it is in a ptrace stop.
 * Allocates nothing.
 *
 * The stack of one of several threads is read by process_vm_readv, which takes the target's
 * mmap_lock once; that of an only thread through /proc/PID/mem, which takes it for each page,
 * but does not wait for a userfaultfd page (ptrace/tracer/stop.c, memory_of). Two kinds of
 * reads may still block: of memory that belongs to a file, until the file's server (FUSE) answers;
 * and of an address where nothing is mapped, because that takes the target's mmap_lock
 * for writing (expand_stack, mm/mmap.c). So a stack is read directly only inside bounds
 * known to be anonymous memory. Elsewhere the caller's function SLOW reads it.
 */
#ifndef CPROFTOP_PTRACE_CAPTURE_H
#define CPROFTOP_PTRACE_CAPTURE_H

#include "ptrace/capture-memory.h"
#include "src/arch/arch.h"
#include "src/facts/advice.h"
#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes below the stack pointer that may be in use. */
enum {
	CAPTURE_RED_ZONE = ARCH_RED_ZONE
};

/* The registers alone. False if the thread is gone. */
bool capture_registers(pid_t tid, struct arch_regset *regset);

/* Give TID, in a stop, the registers REGSET. False if it is gone. */
bool capture_set_registers(pid_t tid, struct arch_regset *regset);

/* REGSET are the registers of TID in its present stop. If the stop makes a system call of
   TID fail with EINTR, let the kernel start that call again, and return true (see
   arch_restart_interrupted_syscall); also if TID has a seccomp filter and the kernel would go on
   with restart_syscall(2). */
bool capture_restart(pid_t tid, const struct arch_regset *regset);

/* What is remembered of a thread's stack; all 0 at first. */
struct capture_habit {
	uint64_t home; /* its stack pointer at the last copy */
	uint64_t thread_pointer;
	struct stack_root root;
	size_t beyond; /* bytes to copy above the root */
	size_t reach;  /* bytes to copy while the root is not known: src/facts/advice.h */
};

enum capture_result {
	CAPTURE_DONE,
	CAPTURE_NOTHING, /* the stack could not be read in time: 0 bytes were copied */
	CAPTURE_GONE,	 /* the address space is gone (exec, exit) */
};

/* Copy the stack into SLOT, from the red zone below the stack pointer in slot->regset
   upwards: to the root if that is known (src/facts/advice.h), else habit->reach bytes; at
   most STACK_BYTES. If the thread is in a signal handler on an alternate stack, the
   interrupted stack is copied, too; both together have at most the reach. Looking for a
   signal frame takes a microsecond for every 10 KiB, so it is done only if the stack
   pointer is far from habit->home.

   If MEMORY has a part of a stack that is far away (src/facts/advice.h), that is copied
   behind the other, unless there is another reason for a second copy.

   If MEMORY has a link (src/facts/stack-link.h) that knows the bounds of the stack, these
   are used instead; and if the thread has left another stack for this one, that is
   copied, too. A link may also say that the frame pointer points to a stack; then that is
   copied behind the other, in the place of a far part. */
enum capture_result capture_stack(const struct capture_memory *memory, size_t stack_bytes,
	struct capture_habit *habit, struct snapshot *slot);

/* The same for a given stack pointer SP, and memory->thread_pointer. */
enum capture_result capture_stack_at(const struct capture_memory *memory, uint64_t sp,
	size_t stack_bytes, struct capture_habit *habit, struct snapshot *slot);

#endif
