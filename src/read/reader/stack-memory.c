/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/stack-memory.h"

#include <string.h>

enum {
	STACK_GAP = 256 * 4096, /* bytes below the first thread's stack that stay free */
};

struct stack_bounds stack_memory_at(
	struct address_space *space, const struct snapshot *record, uint64_t address)
{
	if (address && !address_space_region(space, address)) {
		address_space_miss(space, address);
		address_space_learn(space, record->time_ns);
	}
	const struct region *region =
		address ? address_space_region(space, address) : NULL;
	if (!region || region->inode != 0)
		return (struct stack_bounds){0};
	/* The first thread's stack grows downwards, and the kernel keeps the memory below
	   it free for that (mm/mmap.c). */
	uint64_t gap = strcmp(region->path, "[stack]") == 0 ? STACK_GAP : 0;
	return (struct stack_bounds){region->start - gap, region->limit};
}
