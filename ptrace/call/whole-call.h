/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-call: a system call that our stop has cut short is completed before the program
 * sees it.
 *
 * A thread that was asked to stop in the midst of a call looks to the kernel as if a
 * signal were pending. Most calls are then started again by the kernel, or go on. Some
 * come back with what they have done so far, and programs that know no signals do not
 * expect that. So the thread is made to ask for the rest, by the same instruction, and
 * the program is told the sum; all registers are as if there had been one call.
 *
 * Meanwhile the thread stays traced, in a system call, for as long as the rest takes: it
 * may wait there for whoever reads what it writes. It must not be interrupted again
 * (that would cut the rest). Where it is, is known: its stack is what it was at the stop.
 * A signal that the program hears ends the rest as it would have ended the call.
 *
 *	the sample's stop: registers and stack are copied, then
 *	                   if (whole_call_begin(...)) the thread runs; do not detach
 *	                   else detach, as ever
 *	each later stop:   if (whole_call_step(...)) it runs on
 *	                   else detach, with the signal of the status
 *
 * If the tracer dies in between, the rest ends by itself, and the program is told what
 * the rest did without what was done before, and finds the arguments changed in its
 * registers. So the struct is to lie in memory that another process shares, which
 * rescues the thread as soon as the tracer is dead: whole_call_rescue. What is left is
 * in docs/RELIABILITY.md.
 *
 * For the thread that traces. In a stop it reads registers, the memory of the stopped
 * thread and some of its files in /proc that no file system is asked for (descriptor.h,
 * signals-waiting.h); it waits for nothing and allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_WHOLE_CALL_H
#define CPROFTOP_PTRACE_CALL_WHOLE_CALL_H

#include "ptrace/call/call-rest.h"
#include "ptrace/event.h"
#include "src/arch/arch-call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the thread was made to ask for, and what had been done before. */
struct whole_call_asked {
	struct arch_call call;
	uint64_t done;
};

struct whole_call {
	struct call_rest rest;
	struct arch_regset as_it_left; /* the registers after the first call */
	bool in_kernel;	       /* between the stops at its entry and at its exit */
	bool leaving;	       /* whole_call_leave was called */
	unsigned fruitless;    /* tries in a row */
	_Atomic bool is_asked; /* the program would be told the rest alone */
	/* Of the last two, one may just be written: its registers tell which it is in. */
	struct whole_call_asked asked[2];
	unsigned asks;
};

/* Thread TID stands in the stop that it was interrupted for, STATUS says which; with
   registers REGSET, not yet changed by arch_restart_interrupted_syscall. If the thread
   leaves a call that the stop has cut, make it ask for the rest, and return true: it
   runs, until a stop for whole_call_step. Else it still stands as it did. Of a call that
   was not cut this costs next to nothing, of others some 10 to 30 us. */
bool whole_call_begin(struct whole_call *whole, pid_t tid, struct tracee_status status,
	const struct arch_regset *regset);

/* It stands again, STATUS says why. True: it runs again. False: it is done with, the
   registers are in order, and it still stands: to be resumed or detached from with the
   signal of the status. Not to be called when it has ended (TRACEE_GONE). */
bool whole_call_step(struct whole_call *whole, struct tracee_status status);

/* For one who has to go: interrupt the rest, so that a stop comes in which
   whole_call_step ends it. The program is told what was done until then, as if nobody had
   cared: a short count. */
void whole_call_leave(struct whole_call *whole);

/* For another process, when the tracer is dead and IS_ASKED is true: it seizes the thread
   and interrupts it, as for a sample, and calls this in the stop, with the registers. If
   the thread still is in the rest, that is cut now, and the program is told the sum so
   far, with all registers as they were: a short count, but a true one. False if it is
   too late, or was not needed. In any case it still stands, to be detached from. */
bool whole_call_rescue(struct whole_call *whole, const struct arch_regset *regset);

#endif
