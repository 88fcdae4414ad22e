/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-link: how to find the stack that a thread has left, when it runs on another one.
 *
 * A runtime that schedules threads of its own (Go's goroutines) has small stacks for
 * these, and switches to a larger one for its own work. The stack that it has left is
 * found by loads: the thread pointer leads to a record of the stack in use, and from
 * there a few pointers lead to the record of the stack that was left, which has the
 * registers saved there. The analyst reads the offsets off the program's code
 * (src/read/unwind/unwind-switch.h); the tracer follows them while the thread is stopped, and
 * copies that stack, too (ptrace/linked-stack.h). Neither needs to know anything else
 * about the runtime.
 *
 * Plain data without gaps: it can lie in shared memory, and be compared byte by byte.
 */
#ifndef CPROFTOP_STACK_LINK_H
#define CPROFTOP_STACK_LINK_H

#include <stdint.h>

/* [low, high) is anonymous memory, not backed by a file, so that reading it never waits
   for a file system. high 0: not known. */
struct stack_bounds {
	uint64_t low, high;
};

enum {
	STACK_LINK_LOADS = 4,
	STACK_LINK_AREAS = 16,
	STACK_LINK_PLACES = 4,
};

struct stack_link {
	/* The first load is from the thread pointer plus offsets[0]; each further one is
	   from the last loaded value plus its own offset. The first load gives the record
	   of the stack in use, the last one that of the stack that was left; both have
	   the same type. A pointer that is 0: no stack was left. LOADS is 0: no link. */
	uint32_t loads;
	int32_t offsets[STACK_LINK_LOADS];
	/* Offsets in a record of the registers saved when its stack was left. In the
	   record of the stack in use they are from when the thread began to run on it, so
	   nothing above that SP is in use. */
	int32_t sp, pc, fp;
	int32_t bottom, top; /* offsets of the bounds of its stack */
	/* A thread may also leave a stack for a moment without changing the record in use.
	   Then these are saved in what the second load gives. away_sp 0: not known. */
	int32_t away_sp, away_pc;
	/* A runtime may also keep a stack of its own in the heap while it goes on using the
	   thread's: then the frame pointer is that stack's pointer, and so many bytes from
	   there on are copied as well. 0: it does not. FIRST is the word that its first
	   frame begins with. If there is a frame that begins with the word CHUNK before
	   that, the next word is the address of another piece of memory where the stack
	   goes on, from what the word at CHUNK_SP in it says. 0: not known yet. */
	uint64_t frame_pointer_bytes, first, chunk, chunk_sp;
	/* Anonymous memory of the process. */
	uint64_t n_areas;
	struct stack_bounds areas[STACK_LINK_AREAS];
	/* Where libraries come and go: which file is mapped there is asked with each sample
	   (struct snapshot_mapped). */
	uint64_t n_places, places[STACK_LINK_PLACES];
};

_Static_assert(sizeof(struct stack_link) ==
		       (8 + STACK_LINK_LOADS) * sizeof(int32_t) +
			       (6 + STACK_LINK_PLACES) * sizeof(uint64_t) +
			       STACK_LINK_AREAS * sizeof(struct stack_bounds),
	"no gaps");

#endif
