/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-distance: how far above the stack pointer another register points, found in the
 * code.
 *
 * Of a thread that sleeps only the PC and the stack pointer are known, but a row of the
 * unwind table may count from the frame pointer. The function has set that register from
 * its stack pointer, and its instructions tell what it has done to either since: all
 * paths through the function are followed from its start. There is an answer only if all
 * paths agree. There is none for a function that subtracts an amount from the stack
 * pointer that is known only at run time (alloca); aligning the stack pointer before
 * setting the register does no harm. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_DISTANCE_H
#define CPROFTOP_UNWIND_DISTANCE_H

#include "src/facts/callchain.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

/* Where FRAME is, in code of a function at [FIRST, LIMIT): *DISTANCE = register REG less
   the stack pointer. False if the code does not show it. */
bool unwind_distance(struct unwind_walk *walk, struct frame frame, uint64_t first,
	uint64_t limit, unsigned reg, int32_t *distance);

#endif
