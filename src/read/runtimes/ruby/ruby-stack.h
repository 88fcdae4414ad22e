/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby-stack: the Ruby frames of one sample, from what its recipe has copied.
 *
 * A thread has control frames, one behind the other, the innermost first: of methods, blocks and
 * other code of the program, and of methods that C implements. A call of the interpreter
 * (vm_exec, from C) runs the frames up to one that is marked as its last: a segment. Such a call
 * has an rb_vm_tag in its frame on the stack of C, which is the segment's mark. Other code makes
 * tags, too; those of the interpreter are known by the function that they lead back to.
 *
 * All is of one instant, so a stack is never torn; but the interpreter may just then be
 * entering or leaving a function:
 *
 * - A call has its first control frame before it has its tag, and its tag longer than its
 *   frames. So tags belong to segments from the outermost on, and of the innermost
 *   ones either may be missing. A frame whose call has not begun is left out.
 * - A control frame may be the innermost before it has been written. So its words must agree
 *   with its environment, and its instruction with its code (ruby-code.h).
 *
 * Pure; reads the snapshot only, which may hold anything. Any thread.
 */
#ifndef CPROFTOP_RUBY_STACK_H
#define CPROFTOP_RUBY_STACK_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/ruby/ruby-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdint.h>

/* One process. */
struct ruby_place {
	/* The number of its part of thread-local storage, and where the address of the execution
	   context is in it; or, if MODULE is 0, where that is from the thread pointer. */
	uint32_t module;
	int32_t context;
	uint64_t loop, loop_limit; /* the code of the interpreter's loop, vm_exec */
	/* rb_vm_tag: the address at which the function that has made it goes on after an exception,
	   and the tag before. GUARD: as glibc's setjmp hides that address; 0: it does not. */
	uint16_t tag_resume, tag_previous;
	uint64_t guard;
	uint64_t objspace; /* 0: not known */
	int32_t ractor;	   /* from there */
};

/* What a struct script_frame says here. FUNCTION: the instruction sequence, with the address of the
   next instruction in PLACE; 0: a method that C implements, or RUBY_COLLECTOR. MORE: what its
   environment has as its method; of a block, that of the method in which it is written, or
   RUBY_ENV and the address of an environment that leads there; 0: there is none. */
enum {
	RUBY_ENV = 1,
	RUBY_COLLECTOR = 2, /* as MORE: collecting garbage */
	/* The flags of a heap: what is done in this moment, and what is going on meanwhile. */
	RUBY_COLLECTING = 1 << 5, /* during_gc */
	RUBY_PHASE = 3,		  /* gc_mode */
	RUBY_MARKING = 1,
};

/* What is to be copied. */
void ruby_recipe(const struct ruby_layout *layout, const struct ruby_place *place,
	struct recipe *recipe);

/* Tags as __builtin_setjmp makes them, GUARD 0; or as glibc's setjmp does: its pointer guard. */
void ruby_place_tags(struct ruby_place *place, uint64_t guard);

/* Where a tag that has WORD for it resumes. */
uint64_t ruby_tag_resume(const struct ruby_place *place, uint64_t word);

void ruby_stack_read(const struct ruby_layout *layout, const struct ruby_place *place,
	const struct snapshot *snapshot, struct script_stack *out);

#endif
