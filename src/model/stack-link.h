/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-link: how to find the stack that a thread came from, when it runs on another one.
 *
 * A runtime that schedules threads of its own (Go's goroutines) has small stacks for
 * these, and switches to a larger one for its own work. What it switched from is found by
 * loads: the thread pointer leads to a record of the stack in use, from which a few
 * pointers lead to a record of the stack that was left, and that one holds the registers
 * saved there. The analyst reads the offsets off the program's code
 * (src/unwind/unwind-switch.h); the tracer follows them while the thread is stopped, and
 * copies that stack, too (ptrace/linked-stack.h). Neither knows anything else of the
 * runtime.
 *
 * Plain data without gaps: it can lie in shared memory, and be compared byte by byte.
 */
#ifndef CPROFTOP_STACK_LINK_H
#define CPROFTOP_STACK_LINK_H

#include <stdint.h>

/* [low, high) is anonymous memory, of no file: to read it is quick, whatever the target
   does. high 0: not known. */
struct stack_bounds {
	uint64_t low, high;
};

enum {
	STACK_LINK_LOADS = 4,
	STACK_LINK_AREAS = 16,
};

struct stack_link {
	/* The first load is from the thread pointer plus offsets[0], each other one from
	   what was loaded before plus its own offset. The first gives the record of the
	   stack in use, the last that of the stack that was left; both are of one type. A
	   0 instead of a pointer: none was left. No loads: no link. */
	uint32_t loads;
	int32_t offsets[STACK_LINK_LOADS];
	/* Where a record has what was saved when its stack was left: for the one in use,
	   when the thread began to run on it, so that nothing above its SP is in use. */
	int32_t sp, pc, fp;
	int32_t bottom, top; /* and where it has the bounds of its stack */
	/* Memory of the process that is of no file. */
	uint64_t n_areas;
	struct stack_bounds areas[STACK_LINK_AREAS];
};

_Static_assert(sizeof(struct stack_link) ==
		       (6 + STACK_LINK_LOADS) * sizeof(int32_t) + sizeof(uint64_t) +
			       STACK_LINK_AREAS * sizeof(struct stack_bounds),
	"no gaps");

#endif
