/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/capture-memory.h"

#include "src/process/memory.h"

#include <stdbool.h>

static bool holds(const struct stack_bounds *area, uint64_t address)
{
	return address >= area->low && address < area->high;
}

/* The memory of no file that ADDRESS is in; the largest, if it is known twice. */
static const struct stack_bounds *find_area(
	const struct capture_memory *memory, uint64_t address)
{
	const struct stack_link *link = memory->link;
	const struct stack_bounds *found = NULL;
	if (holds(&memory->bounds, address))
		found = &memory->bounds;
	else if (holds(&memory->far, address))
		found = &memory->far;
	for (uint64_t i = 0; link && i < link->n_areas && i < STACK_LINK_AREAS; i++)
		if (holds(&link->areas[i], address) &&
			(!found || link->areas[i].high > found->high))
			found = &link->areas[i];
	return found;
}

bool capture_is_anonymous(const struct capture_memory *memory, uint64_t address)
{
	return find_area(memory, address) != NULL;
}

/* Again and again, as long as it reads as much as it can. */
static ssize_t read_slowly(const struct capture_memory *memory, unsigned char *out,
	size_t length, uint64_t address)
{
	size_t done = 0;
	ssize_t got;
	do {
		got = memory->slow(memory->context, memory->memory, out + done,
			length - done, address + done);
		done += got > 0 ? (size_t)got : 0;
	} while (got == CAPTURE_SLOW_BYTES && done < length);
	return done > 0 ? (ssize_t)done : got;
}

ssize_t capture_read(
	const struct capture_memory *memory, void *out, size_t length, uint64_t address)
{
	const struct stack_bounds *area = find_area(memory, address);
	if (area && length > area->high - address)
		length = area->high - address;
	if ((!area || memory->is_contended) && memory->slow)
		return read_slowly(memory, out, length, address);
	return memory_read(memory->memory, out, length, address);
}
