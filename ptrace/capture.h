/*
 * capture: the registers and the live stack of one stopped thread, as quickly as can be.
 *
 * One PTRACE_GETREGSET and one pread of /proc/PID/mem, rarely two. Why microseconds
 * matter: docs/PERFORMANCE.md, "The cliff". Not process_vm_readv:
 * on a userfaultfd page that blocks, and it would block with the thread stopped
 * (research/hazards.md, fact 11). Sampler thread, with the thread in a ptrace stop.
 * Allocates nothing.
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

/* The registers alone. False if the thread is gone. If RESTART and the stop would make a
   system call fail with EINTR, arrange for the kernel to start it again and set
   *RESTARTED (see arch_restart_interrupted_syscall): the only thing ever written into a
   target. */
bool capture_registers(
	pid_t tid, struct arch_regset *regset, bool restart, bool *restarted);

/* What is remembered of a thread's stack; all 0 at first. */
struct capture_habit {
	uint64_t home; /* where its stack pointer was the last time */
	uint64_t low;  /* where copies begin, the lowest of late */
	struct stack_root root;
	size_t reach; /* of copies to no known root: src/model/advice.h */
};

/* Read what the next copy is expected to be into SLOT, for nothing: then the way there is
   warm, and the copy takes half as long. To be called while the thread still runs, just
   before it is interrupted. */
void capture_rehearse(int mem_fd, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot);

/* Copy what is expected to be wanted into SLOT as soon as the thread stands, before its
   registers are asked for: these the kernel gives only when it has left its CPU, some
   5 us later, so that this copy costs next to nothing. Returns how many bytes of SLOT's
   stack are good, for capture_stack; 0 if the root is not known, or has changed. */
size_t capture_ahead(int mem_fd, size_t stack_bytes, const struct capture_habit *habit,
	struct snapshot *slot);

/* Copy the stack from below the stack pointer in slot->regset upwards into SLOT, to its
   root if that is known (src/model/advice.h), else as far as the habit's reach;
   STACK_BYTES at most. AHEAD is what capture_ahead said in this stop, or 0: if it holds
   all that is wanted, nothing more is read. False if nothing could be read: the address
   space is gone (exec, exit).

   In a signal handler on a stack of its own the stack that it interrupted is copied as
   well; the two share the reach. To look for that takes a microsecond for every 10 KiB,
   so it is done only where the stack pointer is far from the habit's home. */
bool capture_stack(int mem_fd, size_t stack_bytes, struct capture_habit *habit,
	size_t ahead, struct snapshot *slot);

/* The same from a stack pointer that is known otherwise. */
bool capture_stack_at(int mem_fd, uint64_t sp, size_t stack_bytes,
	struct capture_habit *habit, size_t ahead, struct snapshot *slot);

#endif
