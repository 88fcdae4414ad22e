/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-rest: find out whether a system call was cut short, and what is left of it.
 *
 * Looks at a thread that is stopped at the exit of a call: at the rule for the call
 * (call-rule.h), the thread's memory, the descriptor and the instruction. Then it
 * chooses, one after the other, the calls that ask for the rest. Changes nothing in the
 * thread. For the thread that traces; allocates nothing and never waits.
 */
#ifndef CPROFTOP_PTRACE_CALL_CALL_REST_H
#define CPROFTOP_PTRACE_CALL_CALL_REST_H

#include "ptrace/call/call-rule.h"
#include "ptrace/call/call-vector.h"
#include "src/arch/arch-call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_rest {
	pid_t tid;
	const struct call_rule *rule; /* for the call */
	struct arch_call call;	      /* its number and arguments */
	uint64_t done, left;	      /* in units of its count */
	enum descriptor_kind kind;
	/* has a seccomp filter: only the same system call may be used */
	bool filtered;
	struct arch_call next;	   /* the call to be made next */
	struct call_vector vector; /* the place of its piece; not for CALL_SPAN */
};

/* Thread TID is stopped with registers REGSET. True if it is leaving a call that was cut
   short and must be completed. For nearly all calls the answer is immediate. */
bool call_rest_find(struct call_rest *rest, pid_t tid, const struct arch_regset *regset);

/* rest->next has done DONE units: choose the next call. False if nothing is left. */
bool call_rest_advance(struct call_rest *rest, uint64_t done);

/* For a CALL_WAIT that came back once more: is there still something to wait for? */
bool call_rest_waits(const struct call_rest *rest);

/* Has CALL no time limit, or is some of it left? What is left is read from MEMORY. */
bool call_rest_has_time(
	const struct call_rule *rule, const struct arch_call *call, int memory);

/* The units that rest->next asks for. */
uint64_t call_rest_asked(const struct call_rest *rest);

#endif
