/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture-memory: the memory of a stopped thread, and which parts of it can be read
 * without blocking.
 */
#ifndef CPROFTOP_PTRACE_CAPTURE_MEMORY_H
#define CPROFTOP_PTRACE_CAPTURE_MEMORY_H

#include "src/facts/stack-link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* SLOW below need not read more than this at once. */
enum {
	CAPTURE_SLOW_BYTES = 64 << 10
};

/* Memory to read from. SLOW reads like memory_read, for addresses outside BOUNDS, FAR and
   the areas of LINK, and if memory IS_CONTENDED for all; NULL: memory_read is used there, too. */
struct capture_memory {
	int memory;	   /* see src/process/memory.h */
	bool is_contended; /* threads of the target hold its mmap_lock for long */
	struct stack_bounds bounds;
	/* Part of a stack, to be copied besides (src/facts/advice.h). */
	struct stack_bounds far;
	/* How to find the stack that the thread has left, from the thread pointer. NULL,
	   0: not known. THREAD_POINTER need not be set if registers are known. */
	const struct stack_link *link;
	uint64_t thread_pointer;
	uint64_t frame_pointer; /* 0: not known */
	ssize_t (*slow)(
		void *context, int memory, void *out, size_t length, uint64_t address);
	void *context;
};

/* Is ADDRESS in memory that can be read without blocking? */
bool capture_is_anonymous(const struct capture_memory *memory, uint64_t address);

/* As memory_read. */
ssize_t capture_read(
	const struct capture_memory *memory, void *out, size_t length, uint64_t address);

#endif
