/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-frame-pointer: steps that need no unwind table.
 *
 * Code that no table describes (JIT, Go, hand-written assembly) often keeps frame
 * pointers: the register points to the caller's saved one, and the return address is
 * above that. (libunwind 1.6 tries this too, but takes CFA + 16 for RBP + 16, and is lost
 * at the next frame that has none.) After a signal handler, the registers of the
 * interrupted code are where the kernel saved them. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_FRAME_POINTER_H
#define CPROFTOP_UNWIND_FRAME_POINTER_H

#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>

/* Replace WALK's registers, those of FRAME, by its caller's. Registers that the callee
   may have changed keep their values, because no better ones are known. False if there is
   no such step: *END then says whether FRAME is the root or what is missing. */
bool unwind_frame_pointer_step(
	struct unwind_walk *walk, struct frame frame, enum unwind_end *end);

/* The same for a PC that is not code, after a call through a bad pointer: the return
   address is where the call left it. */
bool unwind_bad_call_step(struct unwind_walk *walk, enum unwind_end *end);

/* The same for the return from a signal handler. All registers are known afterwards. */
bool unwind_signal_step(struct unwind_walk *walk, enum unwind_end *end);

#endif
