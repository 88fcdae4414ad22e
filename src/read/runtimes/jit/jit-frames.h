/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-frames: the entries of an .eh_frame or .debug_frame of an object file, written as
 * entries of a linked .eh_frame.
 *
 * Pointers become absolute addresses, and each FDE has a CIE of its own. Private to this
 * room.
 */
#ifndef CPROFTOP_JIT_FRAMES_H
#define CPROFTOP_JIT_FRAMES_H

#include "src/base/vec.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section of an object file. */
struct jit_section {
	const unsigned char *bytes;
	size_t size;
	uint64_t address;
	const unsigned char *relocations; /* Elf64_Rela, by offset; may be unaligned */
	size_t n_relocations;
	bool is_debug; /* .debug_frame */
	/* The address that the symbol INDEX stands for. */
	bool (*symbol)(const void *context, uint32_t index, uint64_t *address);
	const void *context;
};

struct jit_frames {
	VEC(unsigned char) bytes;
	size_t most; /* bytes; beyond that nothing is appended */
};

/* Append the entries for code in [START, LIMIT). Those that cannot be read, or for which
   there is no room, are left out. */
void jit_frames_add(struct jit_frames *frames, const struct jit_section *section,
	uint64_t start, uint64_t limit);

#endif
