/*
 * unwind-arrival: whether a step that is no knowledge can have been right, by where it
 * arrived.
 *
 * A return address lies behind a call. There are three other ways to come to one: an
 * interpreter pushes it and jumps, V8 puts the start of a function in its place, and the
 * first frame of all has none. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_ARRIVAL_H
#define CPROFTOP_UNWIND_ARRIVAL_H

#include "src/unwind/unwind-table.h"

#include <stdbool.h>

/* Is the frame pointer 0, which marks the first frame? */
bool unwind_is_marked_first(const struct unwind_walk *walk);

/* Is FRAME code of no file, made by a JIT compiler? */
bool unwind_is_anonymous(struct unwind_walk *walk, struct frame frame);

/* Did a step from FRAME that is no knowledge arrive where a call may have come from? A
   caller's return address of 0 is the end if the first frame is marked; see step. */
bool unwind_came_from_call(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame);

/* Did a step from FRAME, generated code, arrive in an interpreter's frame? An interpreter
   enters compiled code by a jump, behind a return address that it has pushed, so there is
   no call; but it has a frame pointer, which must lead to its own caller. */
bool unwind_came_from_interpreter(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame);

/* Did a step by the frame pointer arrive at the start of a function? V8
   puts such addresses in the place of return addresses, where a function shall go on in
   its interpreter (deoptimizer/deoptimizer.cc). It has a frame pointer, which must lead
   on. */
bool unwind_came_to_start(struct unwind_table *table, struct unwind_walk *walk);

#endif
