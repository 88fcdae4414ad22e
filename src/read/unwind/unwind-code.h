/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-code: the frame of code that no unwind table describes, found by reading the
 * code.
 *
 * For musl, hand-written assembly, crti's _init, Go without its tables. The instructions
 * (src/read/unwind/unwind-explore.h) are followed from the PC to a return and, if a symbol
 * tells where the function begins, from there to the PC. Either gives a row as in a
 * table. An answer that was found past calls may be wrong, so a caller must check that
 * there is a call before the return address that such a row leads to
 * (unwind_code_is_return). Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_CODE_H
#define CPROFTOP_UNWIND_CODE_H

#include "src/read/unwind/unwind-row.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

/* The row for FRAME, whose code is in REGION. It has no saved PC if the code does not
   show where that is. It is the root if the PC is in the code at the entry point of an
   ELF file, which nobody calls. A second row may follow, for when the first does not lead
   to a caller: from the likely start of a function without a symbol. Returns how many. */
enum {
	UNWIND_CODE_ROWS = 2
};
unsigned unwind_code_rows(struct unwind_walk *walk, const struct region *region,
	struct frame frame, struct unwind_row rows[UNWIND_CODE_ROWS]);

/* The bounds of the function of FRAME, whose code is in REGION: by its symbol (IS_NAMED), or
   by the use of its start. */
bool unwind_code_bounds(struct unwind_walk *walk, const struct region *region,
	struct frame frame, uint64_t *first, uint64_t *limit, bool *is_named);

/* The same for PC, the instruction that runs next, but only if a path without calls leads
   from it to a return; then the row is certain. */
bool unwind_code_row_ahead(struct unwind_walk *walk, const struct region *region,
	uint64_t pc, struct unwind_row *row);

/* The row for PC in a function that begins at FIRST and ends at LIMIT, by the way from its
   first instruction to PC. */
bool unwind_code_row_behind(struct unwind_walk *walk, const struct region *region,
	uint64_t first, uint64_t limit, uint64_t pc, struct unwind_row *row);

/* Callbacks for the search for a caller. */
struct unwind_code_caller {
	void *context;
	/* unwind_code_is_return, perhaps with a cache */
	bool (*is_return)(void *context, uint64_t pc);
	/* unwind_entry_row_at_jump, perhaps with a cache; NULL if there is none */
	const struct unwind_row *(*row_at_jump)(void *context, uint64_t pc);
	/* Is the frame that PC returns to, with the stack pointer SP, the first of its
	   thread? */
	bool (*is_root)(void *context, uint64_t pc, uint64_t sp);
};

/* Step from FRAME, at WALK's registers, when its row does not help: to the first return
   address on the stack into a frame that called this one. Either the call before it leads
   to this function, whose code says that its return address lies at just that place; or
   it leads to a function that jumps to where a register says, as into generated code, and
   whose return address lies at just that place then; or it is the first return address on the stack, and belongs to a root. False if there is
   none; *END is then UNWIND_ROOT if there was no return address in the part of the stack
   that was searched: then FRAME is the root, if its code cannot return. */
bool unwind_code_search(struct unwind_walk *walk, struct frame frame,
	const struct unwind_code_caller *caller, enum unwind_end *end);

/* Is FRAME of the first function of its stack, whatever its table says (unwind_switch_begins)? */
bool unwind_code_is_first(
	struct unwind_walk *walk, const struct region *region, struct frame frame);

/* May PC be a return address: is there a call before it, or is it the return from a
   signal handler, or the end of a goroutine? */
bool unwind_code_is_return(struct unwind_walk *walk, uint64_t pc);

/* Is FRAME's PC, a return address, the first code of a stack that was made by hand
   (makecontext and its like)? No call is before it, and no way leads from it to a
   return in its function. So nobody has called it, whatever lies above. In files only:
   elsewhere a return address may have been replaced (uretprobes). */
bool unwind_code_is_made_root(struct unwind_walk *walk, unw_addr_space_t as,
	const struct region *region, struct frame frame);

/* Does the function at PC, which no unwind table describes, start just there? */
bool unwind_code_is_start(struct unwind_walk *walk, uint64_t pc);

#endif
