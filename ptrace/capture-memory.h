/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture-memory: the memory of a stopped thread, and which of it is quick to read.
 */
#ifndef CPROFTOP_PTRACE_CAPTURE_MEMORY_H
#define CPROFTOP_PTRACE_CAPTURE_MEMORY_H

#include "src/model/stack-link.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Memory to read from. SLOW reads as pread does, where neither BOUNDS nor the areas of
   LINK say that the fast way is safe; NULL: pread anyway. */
struct capture_memory {
	int mem_fd;
	struct stack_bounds bounds;
	/* How to find a stack that was left, from the thread pointer. NULL, 0: not known.
	   Whoever has registers does not need to set the latter. */
	const struct stack_link *link;
	uint64_t thread_pointer;
	ssize_t (*slow)(
		void *context, int mem_fd, void *out, size_t length, uint64_t address);
	void *context;
};

/* As pread does, but perhaps less. */
ssize_t capture_read(
	const struct capture_memory *memory, void *out, size_t length, uint64_t address);

#endif
