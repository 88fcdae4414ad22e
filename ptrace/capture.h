/*
 * capture: the registers and the live stack of one stopped thread, as quickly as can be.
 *
 * One PTRACE_GETREGSET and one pread of /proc/PID/mem, rarely two. Not process_vm_readv:
 * on a userfaultfd page that blocks, and it would block with the thread stopped
 * (research/hazards.md, fact 11). Sampler thread, with the thread in a ptrace stop.
 * Allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CAPTURE_H
#define CPROFTOP_PTRACE_CAPTURE_H

#include "src/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Below the stack pointer that much may be in use (System V ABI AMD64, 3.2.2). */
enum {
	CAPTURE_RED_ZONE = 128
};

/* The registers alone. False if the thread is gone. If RESTART and the stop would make a
   system call fail with EINTR, arrange for the kernel to start it again and set
   *RESTARTED (see arch_restart_interrupted_syscall): the only thing ever written into a
   target. */
bool capture_registers(
	pid_t tid, struct arch_regset *regset, bool restart, bool *restarted);

/* Copy at most STACK_BYTES from below the stack pointer in slot->regset upwards into
   SLOT. False if nothing could be read: the address space is gone (exec, exit).

   In a signal handler on a stack of its own the stack that it interrupted is copied as
   well; the two share STACK_BYTES. To look for that takes a microsecond for every 10 KiB,
   so it is done only where the stack pointer is far from *HOME, which is where the
   thread's stack pointer was the last time (0: not known), and is kept up to date. */
bool capture_stack(int mem_fd, size_t stack_bytes, uint64_t *home, struct snapshot *slot);

/* The same from a stack pointer that is known otherwise. */
bool capture_stack_at(int mem_fd, uint64_t sp, size_t stack_bytes, uint64_t *home,
	struct snapshot *slot);

#endif
