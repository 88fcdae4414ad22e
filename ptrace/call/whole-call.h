/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-call: complete a system call that our stop has cut short, before the program sees
 * the result.
 *
 * To the kernel, a thread that is asked to stop in the middle of a call looks as if a
 * signal were pending. The kernel starts most calls again, or continues them. Some return
 * with what they have done so far, which programs without signals do not expect. So the
 * thread is made to execute the same instruction again, with arguments for the rest. The
 * program finds the sum as the result, and all other registers as after one call.
 *
 * Meanwhile the thread runs, traced, in a system call, for as long as the rest takes: it
 * may wait there, for example for the reader of a pipe. It must not be interrupted again,
 * which would cut the rest; its stack is known anyway, because it is the same as at the
 * stop. A signal that the program handles ends the rest as it would have ended the call.
 *
 *	the sample's stop: registers and stack are copied, then
 *	                   if (whole_call_begin(...)) the thread runs; do not detach
 *	                   else detach, as ever
 *	each later stop:   if (whole_call_step(...)) it runs on
 *	                   else detach, with the signal of the status
 *
 * If the tracer dies meanwhile, the rest runs to its end, but the program would be told
 * only what the rest did, and would find changed arguments in its registers. So the
 * struct must lie in memory that another process shares, and that process corrects it
 * when the tracer is dead: whole_call_rescue. docs/lab/RELIABILITY.md says what can still go
 * wrong.
 *
 * For the thread that traces. In a stop it reads registers, the memory of the stopped
 * thread and some of its files in /proc, without asking any file system (descriptor.h,
 * signals-waiting.h). It never waits and allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_WHOLE_CALL_H
#define CPROFTOP_PTRACE_CALL_WHOLE_CALL_H

#include "ptrace/call/call-rest.h"
#include "ptrace/event.h"
#include "src/arch/arch-call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A call that the thread was made to make, and how much had been done before it. */
struct whole_call_asked {
	struct arch_call call;
	uint64_t done;
};

struct whole_call {
	struct call_rest rest;
	struct arch_regset as_it_left; /* the registers after the first call */
	bool in_kernel;	    /* between the stops at its entry and at its exit */
	bool leaving;	    /* whole_call_leave was called */
	unsigned fruitless; /* tries in a row that did nothing */
	/* a rest is under way: the result would be wrong if we died */
	_Atomic bool is_asked;
	/* The last two calls, because one may be half written when the tracer dies; the
	   thread's registers tell which of them it is in. */
	struct whole_call_asked asked[2];
	unsigned asks;
};

/* Thread TID is in the stop that was asked for (or another, as STATUS says), with
   registers REGSET, which arch_restart_interrupted_syscall has not changed yet. If the
   thread is leaving a call that the stop has cut, make it ask for the rest and return
   true: then it runs, until a stop for whole_call_step. Else return false: it is still
   stopped, unchanged. This costs almost nothing for a call that was not cut, and 10 to 30
   us for others. */
bool whole_call_begin(struct whole_call *whole, pid_t tid, struct tracee_status status,
	const struct arch_regset *regset);

/* The thread has stopped again, as STATUS says. True: it runs again. False: the call is
   complete, the registers are right, and the thread is still stopped: resume it or detach
   from it with the signal of the status. Not to be called if the thread has ended
   (TRACEE_GONE). */
bool whole_call_step(struct whole_call *whole, struct tracee_status status);

/* For a tracer that must leave: interrupt the rest, so that a stop comes in which
   whole_call_step ends it. The program is told what was done until then: a short count,
   as if nothing had been completed. */
void whole_call_leave(struct whole_call *whole);

/* For another process, when the tracer is dead and is_asked is true: that process seizes
   the thread, interrupts it as for a sample, and calls this in the stop, with the
   registers. If the thread is still in the rest, the rest is cut now, and the program is
   told the sum so far, with all other registers as they were: a short count, but a
   correct one. False if it is too late or not needed. In either case the thread is still
   stopped, for the caller to detach from. */
bool whole_call_rescue(struct whole_call *whole, const struct arch_regset *regset);

#endif
