/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python-stack: the Python frames of one sample, from what its recipe has copied.
 *
 * A call of the interpreter (_PyEval_EvalFrameDefault, from C) runs one Python function and
 * those that it calls without going through C. So the frames come in segments, each with a
 * mark that lies on the stack of C in the frame of that call: its _PyCFrame, from 3.12 on a
 * frame of its own ("shim"). By the marks, and not by a symbol, they are merged with the
 * native frames: from 3.14 on that code has no name. Before 3.11 each call runs one function,
 * and leaves no mark.
 *
 * All is of one instant, so a stack is never torn; but the interpreter may just then be
 * entering or leaving a function. What is not certain is left out, or nothing is known:
 *
 * - A frame at or above the top of its stack is not in use yet, or any more.
 * - When a _PyCFrame is linked, its words are not set at once. So each segment must lead to
 *   its first frame, and from there to the frame of the call before.
 *
 * A frame's function is the address of its PyCodeObject, its place that of the instruction.
 *
 * Pure; reads the snapshot only, which may hold anything. Any thread.
 */
#ifndef CPROFTOP_PYTHON_STACK_H
#define CPROFTOP_PYTHON_STACK_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/python/python-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a thread keeps the address of its PyThreadState: in a slot for KEY of glibc's record of
   the thread, or from its thread pointer. False if nobody knows. */
bool python_state_place(const struct python_layout *layout, uint32_t key, int32_t *place);

/* What is to be copied of a thread that keeps its state at PLACE; the areas are left to the
   caller. */
void python_recipe(
	const struct python_layout *layout, int32_t place, struct recipe *recipe);

void python_stack_read(const struct python_layout *layout, int32_t place,
	const struct snapshot *snapshot, struct script_stack *out);

#endif
