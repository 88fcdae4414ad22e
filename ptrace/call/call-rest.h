/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-rest: was a call cut short, and what is left of it.
 *
 * Looks at the stopped thread that leaves a call: at the call's rule (call-rule.h), its
 * memory, its descriptor, its instruction. Then knows, call by call, how the rest is to
 * be asked for. Changes nothing in the thread. For the thread that traces; allocates
 * nothing and waits for nothing.
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
	const struct call_rule *rule; /* of the call, */
	struct arch_call call;	      /* its arguments, */
	uint64_t done, left;	      /* and its units */
	enum descriptor_kind kind;
	bool filtered;		   /* by seccomp: it makes no other call than its own */
	struct arch_call next;	   /* what is to be asked for now */
	struct call_vector vector; /* where its piece lies, of other than CALL_SPAN */
};

/* Thread TID, stopped with registers REGSET: does it leave a call that is never short by
   itself, and is? Of nearly all calls this is known at once. */
bool call_rest_find(struct call_rest *rest, pid_t tid, const struct arch_regset *regset);

/* DONE units of rest->next are done: choose what comes next. False if nothing does. */
bool call_rest_advance(struct call_rest *rest, uint64_t done);

/* How much rest->next asks for. */
uint64_t call_rest_asked(const struct call_rest *rest);

#endif
