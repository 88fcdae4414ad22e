/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-libunwind: the whole walk by libunwind's own unw_step, for --unwinder libunwind.
 *
 * A second opinion: libunwind reads the same copy of the stack and the same files, through
 * the accessors of src/read/unwind/unwind-walk.h, but chooses and applies the rule of each
 * frame itself, with its own cache and its own guesses. It does not say whether it reached
 * the root; a stack that ended at a frame that has unwind information is believed to.
 *
 * On a processor of which only registers are known (ARCH_KNOWS_CODE) it is the only way. There the guesses
 * are not asked for: where there is no table, only the PLT, the vdso and a thread that sleeps are left.
 * Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_LIBUNWIND_H
#define CPROFTOP_UNWIND_LIBUNWIND_H

#include "src/read/unwind/unwind-caller.h"
#include "src/read/unwind/unwind-walk.h"

/* The accessors over a walk, with libunwind's cache; that must be flushed when mappings
   change. NULL if memory is gone. */
unw_addr_space_t unwind_libunwind_accessors(void);

/* Add the frames of WALK, which is at the leaf, to OUT, which was begun, and say how they
   end. TABLE and CALLERS for a thread that sleeps. */
void unwind_libunwind(unw_addr_space_t as, struct unwind_table *table,
	struct unwind_callers_known *callers, struct unwind_walk *walk,
	struct callchain *out);

#endif
