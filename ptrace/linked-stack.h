/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linked-stack: the limit of a thread's stack, and the stack that it has left for this
 * one, found by loads from its thread pointer (src/facts/stack-link.h).
 *
 * Takes four short reads while the thread is stopped; two if it has left no stack.
 * Allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_LINKED_STACK_H
#define CPROFTOP_PTRACE_LINKED_STACK_H

#include "ptrace/capture-memory.h"
#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

enum linked_stack_kind {
	LINKED_STACK_UNKNOWN, /* not known */
	LINKED_STACK_OWN,     /* a stack that is in use up to its limit */
	LINKED_STACK_NONE,    /* the runtime's stack; no other stack was left */
	LINKED_STACK_LEFT,    /* the runtime's stack, and another one was left for it */
};

struct linked_stack {
	enum linked_stack_kind kind;
	uint64_t limit;		    /* of OWN and LEFT: memory above it is not in use */
	struct snapshot_link saved; /* the registers saved when the stack was left */
	uint64_t saved_limit;	    /* the limit of the stack that was left */
};

/* Find the stack of a thread with the stack pointer SP. */
struct linked_stack linked_stack_find(const struct capture_memory *memory, uint64_t sp);

#endif
