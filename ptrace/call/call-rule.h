/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-rule: which system calls are made whole when a stop has cut them, and how the rest
 * of one is asked for.
 *
 * A call belongs here if it never returns short by itself: it comes back with less than
 * was asked, or with an error, only because a signal was pending, and for a moment a stop
 * of ours looks like one to the kernel. What is short by nature is not here (the read of
 * a pipe, getdents), nor what is on a descriptor that does not block. docs/RELIABILITY.md
 * has what was measured. Pure.
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
	CALL_AGAIN,   /* nothing is done when it fails: the same once more */
};

enum {
	/* MAX_RW_COUNT, include/linux/fs.h: no call moves more at once. */
	CALL_MOST_BYTES = 0x7ffff000,
};

struct call_rule {
	long number;
	enum call_shape shape;
	/* Which argument is what, the first one being 1; 0: there is none such. */
	uint8_t descriptor, pointer, count, position, flags;
	uint8_t null;	/* has to be 0, or the call may be short by itself */
	uint8_t unit;	/* of what is counted, in bytes at the pointer */
	unsigned kinds; /* of descriptor, on which it is never short */
	uint32_t flags_must, flags_may; /* with others it is left alone */
	long piece; /* the call that goes on in the midst of a vector, by its number */
};

/* Argument WHICH of CALL, as a rule counts them. */
static inline uint64_t call_argument(const struct arch_call *call, uint8_t which)
{
	return call->arguments[which - 1];
}

/* The rule for CALL; NULL if there is none, or its flags are not those of the rule. */
const struct call_rule *call_rule_find(const struct arch_call *call);

/* The rule by number alone: of a piece. */
const struct call_rule *call_rule_of_number(long number);

/* Was CALL, which did RESULT of at most MOST, cut short? */
bool call_was_cut(const struct call_rule *rule, int64_t result, uint64_t most);

/* How much a CALL of shape CALL_SPAN asked for. */
uint64_t call_asked(const struct call_rule *rule, const struct arch_call *call);

/* Change CALL, of shape CALL_SPAN, to ask for what is left after DONE units. */
void call_advance(const struct call_rule *rule, struct arch_call *call, uint64_t done);

/* The piece of a CALL of another shape: LENGTH bytes at POINTER, with the descriptor and
   the flags of the call, and its position after DONE bytes. */
struct arch_call call_piece(const struct call_rule *rule, const struct arch_call *call,
	uint64_t done, uint64_t pointer, uint64_t length);

/* If CALL would raise SIGPIPE where the whole call would just have been short (sockets
   do that, pipes do not), make it one that does not. ANY: the program may make any call,
   no filter of its own is in the way. */
void call_without_sigpipe(struct arch_call *call, enum descriptor_kind kind, bool any);

#endif
