/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * second-stack: run a recipe (src/facts/recipe.h): copy the memory in which a runtime keeps
 * its frames, at the same instant as the registers and the stack.
 *
 * For the thread that traces the stopped one, after capture_stack; or for one that sleeps,
 * whose copy is valid if it has slept on. Reads nothing but the recipe's areas and anonymous
 * memory, in at most RECIPE_BLOCKS calls and about RECIPE_NS; with interrupts, which do not count,
 * at most three times as long. Allocates nothing. What fails is a reason in the slot; the native
 * stack is never touched.
 */
#ifndef CPROFTOP_PTRACE_SECOND_STACK_H
#define CPROFTOP_PTRACE_SECOND_STACK_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/* RECIPE is valid. MEMORY: see src/process/memory.h. Memory that came into being after the
   recipe was made is read, too, if MAPS_FD can tell of it (ptrace/mapped.h). The blocks go behind what SLOT has, which
   has room for STACK_BYTES of stacks. If SLOT has no registers, THREAD_POINTER is used, which
   may be 0: not known. */
void second_stack_copy(const struct recipe *recipe, int memory, int maps_fd,
	uint64_t thread_pointer, size_t stack_bytes, struct snapshot *slot);

#endif
