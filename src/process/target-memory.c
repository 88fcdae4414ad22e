/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/target-memory.h"

bool target_memory_read(
	const struct target_memory *memory, uint64_t address, void *out, size_t length)
{
	return address != 0 &&
	       memory->read(memory->context, address, out, length) == length;
}

uint64_t target_memory_word(const struct target_memory *memory, uint64_t address)
{
	uint64_t word;
	return target_memory_read(memory, address, &word, sizeof(word)) ? word : 0;
}
