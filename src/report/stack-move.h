/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-move: stacks of one table, made again in another.
 *
 * With other ids for their locations, if asked to. Each is made once. Analyst thread
 * only.
 */
#ifndef CPROFTOP_STACK_MOVE_H
#define CPROFTOP_STACK_MOVE_H

#include "src/base/map.h"
#include "src/model/renewal.h"
#include "src/report/stacktab.h"

#include <stdint.h>

struct stack_move {
	const struct stacktab *from;
	struct stacktab *to;
	const struct map *renamed; /* locations, (old id, 0) -> new id; NULL: none */
	struct renewal *renewal;   /* to another profile; NULL */
	struct map copied;	   /* private; zeroed at first */
};

void stack_move_finish(struct stack_move *move);

/* *STACK of the one table becomes the same of the other. */
void stack_move(struct stack_move *move, uint32_t *stack);

#endif
