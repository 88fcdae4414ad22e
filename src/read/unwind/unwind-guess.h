/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-guess: places on the stack to which an unknown frame pointer may point.
 *
 * Of a thread that sleeps only the PC and the stack pointer are known, and code that took
 * an unknown amount of stack (alloca, an aligned frame) does not tell how far below its
 * frame pointer that is (src/read/unwind/unwind-distance.h). But where the frame pointer
 * points to, there is a return address just above the caller's frame pointer, and the
 * call before it leads to this function, or to one that jumps to it (a tail call).
 * Remains of an earlier call on the stack may look the same, so a stack that continues
 * from such a place must be marked as approximate.
 *
 * The same for generated code that nothing describes and that has no frame pointer: it
 * was entered by a call through a pointer, or by a function that jumps to what a register
 * says, with an unknown number of words in between.
 *
 * And functions that go to the handler of an exception instead of returning (libgcc's
 * _Unwind_Resume and the like, by __builtin_eh_return), where the return address itself
 * is in doubt. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_GUESS_H
#define CPROFTOP_UNWIND_GUESS_H

#include "src/read/unwind/unwind-table.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

struct unwind_guess {
	struct unwind_walk *walk;
	struct unwind_table *table;
	uint64_t first;	    /* start of the function */
	uint64_t at, limit; /* the places still to be tried */
	bool is_begun, is_done;
	/* the place of the nearest return address, if its call is one through a pointer;
	   else 0 */
	uint64_t pointer_call;
};

/* Begin with the frame of PC, whose registers WALK has. All arguments are borrowed. */
void unwind_guess_begin(struct unwind_guess *guess, struct unwind_walk *walk,
	struct unwind_table *table, uint64_t pc);

/* The next place to try. First those below a return address whose call leads directly to
   this function, the nearest first. Then the nearest return address of all, if its call
   is one through a pointer, which may lead anywhere. False if there is none. */
bool unwind_guess_next(struct unwind_guess *guess, uint64_t *frame_pointer);

/* The next place at *SLOT or above where the return address of generated code may lie,
   whose stack pointer WALK's registers have. False if there is none. */
bool unwind_guess_entry(
	struct unwind_walk *walk, struct unwind_table *table, uint64_t *slot);

/* Is ROW of a function that goes to a handler? */
bool unwind_goes_to_handler(const struct unwind_row *row);

/* Step from FRAME, in such a function. Before it goes, it copies all that the handler's
   function has saved over what it has saved itself, its own return address too. From then
   on its table is wrong, and its callers are lost; so the call that it seems to come from
   must lead to it. */
bool unwind_handler_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end);

/* Step from FRAME by RULE, an expression of its unwind table. Hand-written assembly that
   leaves its stack for another (sbcl's call_into_lisp_) may have one that is right at the
   call only, not once the callee has its frame: it then skips a caller. So if the call
   that the step seems to come from leads to another function, and that at the frame pointer's
   return address to this one, it is a step by the frame pointer. */
bool unwind_expression_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_rule *rule, unw_addr_space_t as,
	enum unwind_end *end);

#endif
