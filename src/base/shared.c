/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/shared.h"

#include <sys/mman.h>

enum {
	AREAS_MOST = 16,
};

static struct area {
	void *memory; /* NULL: none */
	size_t bytes;
} areas[AREAS_MOST];

void *shared_map(size_t bytes)
{
	void *memory = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < AREAS_MOST; i++) {
		if (areas[i].memory)
			continue;
		areas[i] = (struct area){memory, bytes};
		return memory;
	}
	munmap(memory, bytes);
	return NULL;
}

void shared_unmap(void *memory, size_t bytes)
{
	if (!memory)
		return;
	for (size_t i = 0; i < AREAS_MOST; i++)
		if (areas[i].memory == memory)
			areas[i].memory = NULL;
	munmap(memory, bytes);
}

void shared_leave(void)
{
	for (size_t i = 0; i < AREAS_MOST; i++)
		shared_unmap(areas[i].memory, areas[i].bytes);
}
