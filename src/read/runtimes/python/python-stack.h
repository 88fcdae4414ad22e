/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python-stack: the Python frames of one sample, from what its recipe has copied.
 *
 * A call of the interpreter (_PyEval_EvalFrameDefault, from C) runs one Python function and
 * those that it calls without going through C. So the frames come in segments, each with a
 * mark that lies on the stack of C in the frame of that call: its _PyCFrame, from 3.12 on a
 * frame of its own ("shim"). By the marks, and not by a symbol, they are merged with the
 * native frames: from 3.14 on that code has no name.
 *
 * All is of one instant, so a stack is never torn; but the interpreter may just then be
 * entering or leaving a function. What is not certain is left out, or nothing is known:
 *
 * - A frame at or above the top of its stack is not in use yet, or any more.
 * - When a _PyCFrame is linked, its words are not set at once. So each segment must lead to
 *   its first frame, and from there to the frame of the call before.
 *
 * Pure; reads the snapshot only, which may hold anything. Any thread.
 */
#ifndef CPROFTOP_PYTHON_STACK_H
#define CPROFTOP_PYTHON_STACK_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/python/python-layout.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PYTHON_FRAMES_MAX = RECIPE_NODES,
};

enum python_end {
	PYTHON_ALL,  /* all frames are there */
	PYTHON_NONE, /* the thread runs no Python: there is no state of it, or no frame */
	PYTHON_CUT,  /* the copy ended before the frames did */
	PYTHON_UNSURE, /* they contradict each other, or the interpreter is between two */
};

struct python_frame {
	uint64_t code; /* the address of its PyCodeObject */
	uint64_t instruction;
};

/* FRAMES[first] is the innermost one. MARK 0: it was not reached, and this is the last. */
struct python_segment {
	uint64_t mark;
	uint32_t first, count;
};

struct python_stack {
	enum python_end end;
	uint32_t n_frames, n_segments;
	struct python_frame frames[PYTHON_FRAMES_MAX];
	struct python_segment segments[PYTHON_FRAMES_MAX];
};

/* Where a thread keeps the address of its PyThreadState, from its thread pointer: in a slot for
   KEY, or elsewhere. False if nobody knows. */
bool python_state_place(const struct python_layout *layout, uint32_t key, int32_t *place);

/* What is to be copied of a thread that keeps its state at PLACE; the areas are left to the
   caller. */
void python_recipe(
	const struct python_layout *layout, int32_t place, struct recipe *recipe);

void python_stack_read(const struct python_layout *layout, int32_t place,
	const struct snapshot *snapshot, struct python_stack *out);

#endif
