/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-switch: runtimes that switch to a stack of their own, Go's and Haskell's, and Python's
 * greenlets.
 *
 * Go runs its scheduler, its garbage collector and C on a stack of the thread's own (g0),
 * and goroutines on small stacks, between which these functions switch
 * (runtime/asm_amd64.s). Some are the first function on the thread's stack and work for
 * no goroutine. Others were called by a goroutine, and have saved its stack pointer and
 * PC in its record (g.sched) before they switched. The sampler has copied that stack,
 * too, if it could find it (src/read/unwind/unwind-link.h).
 *
 * Haskell code that GHC compiled does not use the thread's stack for its callers. The
 * runtime's scheduler enters that code by a jump, and the frame pointer points to a stack
 * in the heap, whose frames tell where they are returned to (src/read/runtimes/haskell/haskell-stack.h).
 * These frames come between the leaf and the scheduler.
 *
 * Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_SWITCH_H
#define CPROFTOP_UNWIND_SWITCH_H

#include "src/base/idmap.h"
#include "src/facts/callchain.h"
#include "src/facts/stack-link.h"
#include "src/read/elf/elf-image.h"
#include "src/read/unwind/unwind-row.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

enum unwind_switch {
	UNWIND_SWITCH_NONE,
	UNWIND_SWITCH_ROOT, /* it has no caller, or one to which it never returns */
	/* it will switch back to the other stack and return there */
	UNWIND_SWITCH_RETURN,
	UNWIND_SWITCH_RESUME, /* its caller is at the saved PC */
};

/* What the function SYMBOL does; SYMBOL may be NULL. */
enum unwind_switch unwind_switch_of(const struct elf_symbol *symbol);

/* Is SYMBOL the first function of a greenlet? It never returns. What lies above its frame is of
   whoever has used that part of the stack since: greenlets share one, and copy theirs away
   (greenlet/TUserGreenlet.cpp). SYMBOL may be NULL. */
bool unwind_switch_begins(const struct elf_symbol *symbol);

/* FRAME is of a function with UNWIND_SWITCH_RETURN, on the stack that it switched to.
   Returns the PC at which the function is back on the other stack; the row for that PC
   describes its frame there. 0 if FRAME is not on the stack that it switched to, or if
   the code does not show the PC. */
uint64_t unwind_switch_back(
	struct unwind_walk *walk, const struct region *region, struct frame frame);

/* Step to the caller of such a frame, whose ROW is that of the other stack. False if the
   other stack was not copied, or there is none; *END says which. */
bool unwind_switch_step(
	struct unwind_walk *walk, const struct unwind_row *row, enum unwind_end *end);

/* What is known of a Haskell program; all 0 at first. */
struct unwind_haskell {
	uint64_t generation;   /* of the address space, when this was asked: */
	char *main_id;	       /* the build id of the main executable, */
	bool is_main;	       /* and whether it has the runtime */
	bool is_used;	       /* a stack had Haskell code */
	uint64_t first, chunk; /* the words that these frames begin with */
	struct idmap runtimes; /* image -> is it the runtime? */
	struct idmap own;      /* leaf, code of the frame -> is that frame the leaf's? */
};

/* Tell LINK how the stack of such a program is found. */
void unwind_haskell_tell(struct unwind_haskell *haskell, struct address_space *space,
	struct stack_link *link);

/* Mappings have changed: forget what was known. */
void unwind_haskell_clear(struct unwind_haskell *haskell);
void unwind_haskell_finish(struct unwind_haskell *haskell);

/* FRAME, with the registers BEFORE, was entered by a jump from where WALK is now. If this
   is Haskell code, add its callers to OUT. False if they are not there, or not to their
   first one; out->end says so. */
bool unwind_haskell_add(struct unwind_haskell *haskell, struct unwind_walk *walk,
	struct frame frame, const struct arch_registers *before, struct callchain *out);

#endif
