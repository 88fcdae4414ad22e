/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made-java: a virtual machine of Java in a piece of memory, made up: its tables, and a heap of code.
   As one of JDK 11 to 22 lays it out, or one since JDK 23. */
#ifndef CPROFTOP_TESTS_MADE_JAVA_H
#define CPROFTOP_TESTS_MADE_JAVA_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/hotspot/hotspot-structs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BYTES = 1 << 16,
	STRIDE = 48,
	SEGMENT_LOG2 = 7,
	SEGMENT = 1 << SEGMENT_LOG2,
};

#define BASE UINT64_C(0x7f0000000000)

/* Where things are in the memory. */
enum {
	VARIABLES = 0x100,
	TABLE = 0x200,
	SIZES = 0xf00, /* of types */
	TEXTS = 0x1000,
	STATICS = 0x3000, /* CodeCache::_heaps, ContinuationEntry::_return_pc */
	ARRAY = 0x3100,
	ARRAY_DATA = 0x3200,
	HEAP = 0x3300,
	MAP = 0x4000, /* a byte a segment */
	CODE = 0x8000,
	CODE_END = 0xf000,
};

struct machine {
	unsigned char bytes[BYTES];
	bool is_new; /* as since JDK 23 */
	unsigned n_entries, n_sizes;
	size_t text;
	uint64_t addresses[HOTSPOT_VARIABLES];
	struct target_memory memory;
	size_t reads;
};

/* Freed by free(). */
struct machine *make_machine(bool is_new);

/* Write BYTES of VALUE at AT. */
void put(struct machine *machine, size_t at, uint64_t value, size_t bytes);

/* The address of a copy of TEXT. */
uint64_t add_text(struct machine *machine, const char *text);

void add_field(struct machine *machine, const char *of, const char *name,
	const char *type, bool is_static, uint64_t at);
void add_size(struct machine *machine, const char *of, uint64_t size);

/* A piece of code in the segments from FIRST on, COUNT of them; where its instructions begin. */
uint64_t add_code(struct machine *machine, unsigned first, unsigned count,
	const char *name, int frame_words, int complete);

#endif
