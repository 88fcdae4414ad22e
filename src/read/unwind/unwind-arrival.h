/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-arrival: check an uncertain step by the place where it arrived.
 *
 * A return address is just after a call instruction. There are three exceptions: an
 * interpreter pushes it and jumps, V8 replaces it by the start of a function, and the
 * first frame has none. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_ARRIVAL_H
#define CPROFTOP_UNWIND_ARRIVAL_H

#include "src/read/unwind/unwind-table.h"

#include <stdbool.h>

/* Is the frame pointer 0, which marks the first frame? */
bool unwind_is_marked_first(const struct unwind_walk *walk);

/* Is FRAME in code without a file, as a JIT compiler makes it? */
bool unwind_is_anonymous(struct unwind_walk *walk, struct frame frame);

/* Did the step arrive on a stack that was left for a moment, just where it was left?
   Notes that it did. */
bool unwind_came_to_left(struct unwind_table *table, struct unwind_walk *walk);

/* Did an uncertain step from FRAME arrive where a call may have come from? A caller's
   return address of 0 is the end if the first frame is marked; see step. */
bool unwind_came_from_call(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame);

/* Did a step from FRAME, which is generated code, arrive in an interpreter's frame? An
   interpreter pushes a return address and enters compiled code by a jump, so there is no
   call; but it has a frame pointer, which must lead to its own caller. */
bool unwind_came_from_interpreter(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame);

/* Did a step by the frame pointer arrive at the start of a function? V8 replaces return
   addresses by such addresses where a function is to continue in its interpreter
   (deoptimizer/deoptimizer.cc). The interpreter has a frame pointer, which must lead
   on. */
bool unwind_came_to_start(struct unwind_table *table, struct unwind_walk *walk);

/* A step by the frame pointer. In code of a file that may be any register: it must lead to a
   call, and 0 does not mean the root. In JIT code 0 means it if there is no return address
   above, because compilers that have no frame pointer put numbers there; or if frame pointers
   have led there. */
bool unwind_arrive_by_frame_pointer(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end);

/* After a step from generated code, where the registers were BEFORE: was that to where the
   frame pointer says? Counted in WALK. */
void unwind_count_link(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct arch_registers *before);

/* Is it certain that this generated code keeps frame pointers? */
bool unwind_is_linked(const struct unwind_walk *walk);

/* Is there a return address above WALK's stack pointer, as far as that was copied? */
bool unwind_has_return_above(struct unwind_table *table, struct unwind_walk *walk);

/* Is it certain that there is none? */
bool unwind_is_alone(struct unwind_table *table, struct unwind_walk *walk);

/* Step to the caller of code that does not tell where it returns to
   (unwind_code_search). */
bool unwind_search_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end);

/* Step from FRAME by ROW, which the program's own records told. If it leads nowhere, other
   code may have been put there since they were read, or since the sample was taken: then
   they are read again. What depends on more than the PC is read again in any case. */
bool unwind_told_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end);

#endif
