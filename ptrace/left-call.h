/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * left-call: the system call that a stopped thread is leaving, where its registers hide it.
 *
 * On aarch64 and riscv64 the kernel decides before the stop whether it starts the call again, and
 * forgets then that there was one. Of a call that it does not start again the registers have the number still, but not
 * the first argument, in whose place the result is. The kernel keeps that, and many versions show it
 * in /proc/TID/syscall of a thread that is in a call. So the thread is said to be in one
 * (PTRACE_SETREGSET with NT_ARM_SYSTEM_CALL) until that was read. Others (Debian's 6.1.192) show the
 * result there, too; then nobody can tell the argument, and the call is not told. On riscv64 all are shown
 * as if they were in a call.
 *
 * Only where the instruction before the PC is the one of calls. A thread that returns from a signal
 * handler looks the same; then the registers that the kernel had saved for that are still below its
 * stack. If the call has failed with EINTR and a signal is waiting, or this stop is its delivery, that the
 * program will notice, the call is not told: the error is right.
 *
 * Called in a stop, by the thread that traces; allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_LEFT_CALL_H
#define CPROFTOP_PTRACE_LEFT_CALL_H

#include "src/arch/arch-call.h"

#include <sys/types.h>

/* Add the call to REGSET (arch_left_call), or that it is not told. Nothing is done where REGSET shows
   it by itself, or where this was done before. */
void left_call_find(pid_t tid, struct arch_regset *regset);

/* The kernel is to take the thread for one that is in no call (arch_forget_call). */
bool left_call_forget(pid_t tid);

#endif
