/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/made-machine.h"

#include <stdbool.h>

enum {
	ENTRIES = 0x100,
	TEXTS = 0x800,
	HEAPS = 0x1000, /* the static field: a pointer to the array */
	ARRAY = 0x1010,
	POINTERS = 0x1040,
	HEAP = 0x1100,
	MAP = 0x1200,
	MAP_BYTES = 64,
	RETURN_PC = 0x1300,
	NAMES = 0x1400,
	SEGMENT_LOG2 = 6,
	SECOND_PIECE = 0x400, /* of the code */
	HEADER_BYTES = 16,    /* of a block */
};

/* The offsets at which this machine has its fields: any that fit together will do. */
static const struct {
	const char *of, *name, *type;
	bool is_static;
	uint64_t at;
} fields[] = {
	{"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", true, HEAPS},
	{"GrowableArrayBase", "_len", "int", false, 0},
	{"GrowableArray<int>", "_data", "int*", false, 8},
	{"CodeHeap", "_memory", "VirtualSpace", false, 0},
	{"CodeHeap", "_segmap", "VirtualSpace", false, 32},
	{"CodeHeap", "_log2_segment_size", "int", false, 64},
	{"VirtualSpace", "_low", "char*", false, 0},
	{"VirtualSpace", "_high", "char*", false, 8},
	{"HeapBlock::Header", "_used", "bool", false, 8},
	{"CodeBlob", "_name", "const char*", false, 8},
	{"CodeBlob", "_size", "int", false, 16},
	{"CodeBlob", "_frame_size", "int", false, 20},
	{"CodeBlob", "_frame_complete_offset", "int16_t", false, 24},
	{"CodeBlob", "_code_offset", "int", false, 28},
	{"CodeBlob", "_data_offset", "int", false, 32},
	{"ContinuationEntry", "_return_pc", "address", true, RETURN_PC},
	/* one of older machines instead */
	{"CodeBlob", "_code_begin", "address", false, 40},
	{"CodeBlob", "_code_end", "address", false, 48},
};

static const char *const piece_names[] = {"Interpreter", "vtable chunks",
	"StubRoutines (continuation stubs)", "nmethod", "StubRoutines (1)",
	"MethodHandles adapters"};

/* An entry of the table, as vmStructs.hpp has it. */
struct entry {
	uint64_t type_name, field_name, type;
	uint32_t is_static, unused;
	uint64_t offset, address;
};

static void put(uint8_t *memory, size_t at, uint64_t value, size_t bytes)
{
	memcpy(memory + at, &value, bytes);
}

static uint64_t add_text(uint8_t *memory, size_t *used, const char *text)
{
	size_t at = *used, length = strlen(text) + 1;
	memcpy(memory + at, text, length);
	*used += length;
	return (uintptr_t)memory + at;
}

static void make_table(uint8_t *memory, bool is_old)
{
	size_t texts = TEXTS, count = sizeof(fields) / sizeof(*fields) - (is_old ? 0 : 2);
	for (size_t i = 0; i < count; i++) {
		struct entry entry = {
			.type_name = add_text(memory, &texts, fields[i].of),
			.field_name = add_text(memory, &texts, fields[i].name),
			.type = add_text(memory, &texts, fields[i].type),
			.is_static = fields[i].is_static,
			.offset = fields[i].is_static ? 0 : fields[i].at,
			.address = fields[i].is_static ? (uintptr_t)memory + fields[i].at
						       : 0,
		};
		memcpy(memory + ENTRIES + i * sizeof(entry), &entry, sizeof(entry));
	}
	const uint64_t variables[] = {(uintptr_t)memory + ENTRIES, sizeof(struct entry),
		offsetof(struct entry, type_name), offsetof(struct entry, field_name),
		offsetof(struct entry, type), offsetof(struct entry, is_static),
		offsetof(struct entry, offset), offsetof(struct entry, address)};
	memcpy(memory, variables, sizeof(variables));
}

static void make_heap(uint8_t *memory, const uint8_t *code)
{
	put(memory, HEAPS, (uintptr_t)memory + ARRAY, 8);
	put(memory, ARRAY, 1, 4);
	put(memory, ARRAY + 8, (uintptr_t)memory + POINTERS, 8);
	put(memory, POINTERS, (uintptr_t)memory + HEAP, 8);
	put(memory, HEAP, (uintptr_t)code, 8);
	put(memory, HEAP + 8, (uintptr_t)code + ((size_t)MAP_BYTES << SEGMENT_LOG2), 8);
	put(memory, HEAP + 32, (uintptr_t)memory + MAP, 8);
	put(memory, HEAP + 40, (uintptr_t)memory + MAP + MAP_BYTES, 8);
	put(memory, HEAP + 64, SEGMENT_LOG2, 4);
	for (unsigned i = 0; i < MAP_BYTES; i++)
		memory[MAP + i] = (uint8_t)(i % (SECOND_PIECE >> SEGMENT_LOG2));
}

static void make_piece(struct input *input, uint8_t *memory, uint8_t *block, size_t size)
{
	uint8_t *blob = block + HEADER_BYTES;
	size_t texts = NAMES + (block[0] ? 64 : 0);
	unsigned name = (unsigned)input_number(input, 1) %
			(sizeof(piece_names) / sizeof(*piece_names));
	uint64_t begin = 64, end = size - HEADER_BYTES;
	memset(block, 0, HEADER_BYTES + begin);
	block[8] = 1;
	put(blob, 8, add_text(memory, &texts, piece_names[name]), 8);
	put(blob, 16, end, 4);
	put(blob, 20, name < 3 ? 0 : input_number(input, 1), 4);
	put(blob, 24, input_number(input, 1), 2);
	put(blob, 28, begin, 4);
	put(blob, 32, end, 4);
	put(blob, 40, (uintptr_t)blob + begin, 8);
	put(blob, 48, (uintptr_t)blob + end, 8);
}

void made_machine(struct input *input, uint8_t *memory, uint8_t *code)
{
	unsigned flags = (unsigned)input_number(input, 1);
	memset(memory, 0, MADE_MACHINE_BYTES);
	make_table(memory, flags & 1);
	make_heap(memory, code);
	code[0] = 0;
	make_piece(input, memory, code, SECOND_PIECE);
	code[SECOND_PIECE] = 1;
	make_piece(input, memory, code + SECOND_PIECE, SECOND_PIECE);
	if (flags & 2)
		put(memory, RETURN_PC,
			(uintptr_t)code + 0x80 + input_number(input, 2) % SECOND_PIECE,
			8);
	for (unsigned i = flags >> 4; i > 0; i--)
		memory[input_number(input, 2) % MADE_MACHINE_BYTES] =
			(uint8_t)input_number(input, 1);
}
