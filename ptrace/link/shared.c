/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/shared.h"

#include <sys/mman.h>

void *shared_map(size_t bytes)
{
	void *memory = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void shared_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}
