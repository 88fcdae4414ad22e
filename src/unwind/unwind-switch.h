/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-switch: functions of Go's runtime that go on on another stack.
 *
 * Go runs its scheduler, its garbage collector and C on a stack of the thread's own (g0),
 * and goroutines on small stacks, between which these functions switch
 * (runtime/asm_amd64.s). Some are the first of what runs on the stack of the thread: it
 * works for no goroutine there. Others have been called by a goroutine, whose stack
 * pointer and PC they have saved in its record (g.sched) before they switched. The sampler
 * has copied that stack, too, if it could find it (src/unwind/unwind-link.h).
 *
 * Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_SWITCH_H
#define CPROFTOP_UNWIND_SWITCH_H

#include "src/elf/elf-image.h"
#include "src/unwind/unwind-row.h"
#include "src/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

enum unwind_switch {
	UNWIND_SWITCH_NONE,
	UNWIND_SWITCH_ROOT, /* it was called by nobody, or by one that is left for good */
	UNWIND_SWITCH_RETURN, /* it will go back to the other stack, and return there */
	UNWIND_SWITCH_RESUME, /* it was called from the PC that was saved */
};

/* What the function SYMBOL, which may be NULL, does. */
enum unwind_switch unwind_switch_of(const struct elf_symbol *symbol);

/* Where FRAME of a function that is UNWIND_SWITCH_RETURN, and stands on the stack that it
   switched to, has gone back; what its row is there is its row on the other stack. 0 if
   it does not stand there, or its code does not tell. */
uint64_t unwind_switch_back(
	struct unwind_walk *walk, const struct region *region, struct frame frame);

/* Step to the caller of a frame with this ROW, which stands there. False if the other
   stack was not copied, or there is none; *END says so. */
bool unwind_switch_step(
	struct unwind_walk *walk, const struct unwind_row *row, enum unwind_end *end);

#endif
