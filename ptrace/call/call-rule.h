/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-rule: which system calls are completed when a stop has cut them short, and how to
 * ask for the rest.
 *
 * A call belongs here if it never returns short by itself: it does less than was asked,
 * or fails, only if a signal is pending; and to the kernel our stop looks like a pending
 * signal. Calls that are short by nature (a read of a pipe, getdents) are not here, and
 * calls on descriptors that do not block are left alone. docs/lab/RELIABILITY.md has
 * measurements. Pure.
 */
#ifndef CPROFTOP_PTRACE_CALL_CALL_RULE_H
#define CPROFTOP_PTRACE_CALL_CALL_RULE_H

#include "ptrace/call/descriptor.h"
#include "src/arch/arch-call.h"

#include <stdbool.h>
#include <stdint.h>

/* What the arguments of a call describe. */
enum call_shape {
	CALL_SPAN,    /* a count of units, perhaps with a pointer to them */
	CALL_VECTOR,  /* an array of struct iovec and its length */
	CALL_MESSAGE, /* a struct msghdr, which leads to such an array */
	CALL_AGAIN,   /* when it fails nothing was done: make the same call again */
	/* It does its count of units, and waits: wait again, and report the first count.
	   The result is the same if the wait was cut. */
	CALL_WAIT,
};

enum {
	/* MAX_RW_COUNT, include/linux/fs.h: no call moves more at once. */
	CALL_MOST_BYTES = 0x7ffff000,
};

struct call_rule {
	long number;
	enum call_shape shape;
	/* The number of each argument, from 1 on; 0: the call has none. */
	uint8_t descriptor, pointer, count, position, flags;
	uint8_t room; /* units that there is room for; the count is the least then */
	uint8_t null; /* must be 0; else the call may be short by itself */
	uint8_t limit; /* pointer to a time limit, of which the kernel leaves what is left */
	uint8_t unit;	/* bytes at the pointer for each unit of the count */
	unsigned kinds; /* of descriptors on which it is never short by itself */
	uint32_t flags_must, flags_may; /* a call with other flags is left alone */
	uint32_t flags_rest;		/* that the rest is asked for with, too */
	long piece; /* number of the call that continues in the middle of a vector */
};

/* Argument number WHICH of CALL, counted from 1. */
static inline uint64_t call_argument(const struct arch_call *call, uint8_t which)
{
	return call->arguments[which - 1];
}

/* The rule for CALL; NULL if there is none, or its flags are not those of the rule. */
const struct call_rule *call_rule_find(const struct arch_call *call);

/* The rule for a call number: for a piece. */
const struct call_rule *call_rule_of_number(long number);

/* Was a call cut short that returned RESULT and was asked for MOST units? Of a CALL_WAIT:
   may it have been? */
bool call_was_cut(const struct call_rule *rule, int64_t result, uint64_t most);

/* The units that a CALL of shape CALL_SPAN or CALL_WAIT asks for. */
uint64_t call_asked(const struct call_rule *rule, const struct arch_call *call);

/* Change CALL, of shape CALL_SPAN, to ask for the rest after DONE units. */
void call_advance(const struct call_rule *rule, struct arch_call *call, uint64_t done);

/* The piece of a CALL of another shape: LENGTH bytes at POINTER, with the descriptor and
   the flags of the call, and its position after DONE bytes. */
struct arch_call call_piece(const struct call_rule *rule, const struct arch_call *call,
	uint64_t done, uint64_t pointer, uint64_t length);

/* If CALL would raise SIGPIPE where the original call would only have been short (sockets
   do that, pipes do not), change it into one that does not. ANY: no seccomp filter
   restricts the calls. */
void call_without_sigpipe(struct arch_call *call, enum descriptor_kind kind, bool any);

#endif
