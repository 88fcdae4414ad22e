/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target-memory: the memory of a process that runs, for whoever reads structures in it and need
 * not know how it is reached. What is read may change meanwhile, and whoever made it may be
 * hostile. Pure but for READ.
 */
#ifndef CPROFTOP_TARGET_MEMORY_H
#define CPROFTOP_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_memory {
	/* Copy what is at ADDRESS; how many bytes that are, LENGTH at most. */
	size_t (*read)(void *context, uint64_t address, void *out, size_t length);
	void *context;
};

/* All LENGTH bytes, or false. There is nothing at address 0. */
bool target_memory_read(
	const struct target_memory *memory, uint64_t address, void *out, size_t length);

/* The word at ADDRESS, 0 if it cannot be read. */
uint64_t target_memory_word(const struct target_memory *memory, uint64_t address);

#endif
