/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linked-stack: how far the stack of a thread goes, and which one it has left for that, by
 * loads from its thread pointer (src/model/stack-link.h).
 *
 * Four reads of some bytes, while the thread is stopped; two if it has left none.
 * Allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_LINKED_STACK_H
#define CPROFTOP_PTRACE_LINKED_STACK_H

#include "ptrace/capture-memory.h"
#include "src/model/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

enum linked_stack_kind {
	LINKED_STACK_UNKNOWN, /* nothing is known of it */
	LINKED_STACK_OWN,     /* it is in use up to its limit */
	LINKED_STACK_NONE,    /* it belongs to the runtime, which works for nobody */
	LINKED_STACK_LEFT,    /* the same, and another one was left for it */
};

struct linked_stack {
	enum linked_stack_kind kind;
	uint64_t limit;		    /* of OWN and LEFT: what is above is not in use */
	struct snapshot_link saved; /* of the one that was left, */
	uint64_t saved_limit;	    /* and what is above is not that stack */
};

/* The stack that a thread with this stack pointer is on. */
struct linked_stack linked_stack_find(const struct capture_memory *memory, uint64_t sp);

#endif
