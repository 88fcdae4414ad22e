/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-move: copy stacks from one table to another, each of them once, and replace the
 * ids of their locations if asked to. Analyst thread only.
 */
#ifndef CPROFTOP_STACK_MOVE_H
#define CPROFTOP_STACK_MOVE_H

#include "src/base/idmap.h"
#include "src/facts/renewal.h"
#include "src/keep/stacktab.h"

#include <stdint.h>

struct stack_move {
	const struct stacktab *from;
	struct stacktab *to;
	const struct idmap *renamed; /* locations, (old id, 0) -> new id; NULL: none */
	struct renewal *renewal;     /* to another profile; NULL: none */
	struct idmap copied;	     /* private; zeroed at first */
};

void stack_move_finish(struct stack_move *move);

/* Replace *STACK, of the old table, by the same stack in the new one. */
void stack_move(struct stack_move *move, uint32_t *stack);

#endif
