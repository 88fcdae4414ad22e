/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/made-machine.h"

#include <stdbool.h>

enum {
	ENTRIES = 0x100,
	SIZES = 0xe00,
	HEAPS = 0x1000, /* the static field: a pointer to the array */
	ARRAY = 0x1010,
	POINTERS = 0x1040,
	HEAP = 0x1100,
	MAP = 0x1200,
	MAP_BYTES = 64,
	RETURN_PC = 0x1300,
	NAMES = 0x1400,
	VERSION = 0x1500,
	TEXTS = 0x2000,
	METHOD = MADE_MACHINE_METHOD,
	RECORD = 0x3040,
	RECORD_HEADER = 56,
	BYTECODE_BYTES = 16,
	LINES_BYTES = 32,
	POOL = 0x3100,
	POOL_HEADER = 72,
	KLASS = 0x31c0,
	SYMBOLS = 0x3200, /* SYMBOL_BYTES for each */
	SYMBOL_BYTES = 0x80,
	PLACES = 0x3600,
	PLACES_BYTES = 8 * 16,
	SCOPES_BYTES = 0x40,
	METHODS = 0x3700, /* two of them */
	SEGMENT_LOG2 = 6,
	SECOND_PIECE = 0x400, /* of the code */
	HEADER_BYTES = 16,    /* of a block */
	BLOB_BYTES = 160,     /* of a piece, before its code */
};

/* The offsets at which this machine has its fields: any that fit together will do. */
struct field {
	const char *of, *name, *type;
	bool is_static;
	uint64_t at;
};

static const struct field fields[] = {
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
	{"Method", "_constMethod", "ConstMethod*", false, 8},
	{"ConstMethod", "_constants", "ConstantPool*", false, 8},
	{"ConstMethod", "_constMethod_size", "int", false, 24},
	{"ConstMethod", "_flags", "u2", false, 28},
	{"ConstMethod", "_code_size", "u2", false, 34},
	{"ConstMethod", "_name_index", "u2", false, 36},
	{"ConstMethod", "_signature_index", "u2", false, 38},
	{"ConstantPool", "_pool_holder", "InstanceKlass*", false, 24},
	{"ConstantPool", "_length", "int", false, 60},
	{"ConstantPool", "_source_file_name_index", "u2", false, 54},
	{"Klass", "_name", "Symbol*", false, 24},
	{"Symbol", "_length", "u2", false, 4},
	{"Symbol", "_body", "", false, 6},
	{"Abstract_VM_Version", "_vm_major_version", "int", true, VERSION},
	{"nmethod", "_entry_bci", "int", false, 72},
	{"nmethod", "_compile_id", "int", false, 76},
	{"nmethod", "_scopes_pcs_offset", "int", false, 80},
	{"nmethod", "_orig_pc_offset", "int", false, 84},
	{"nmethod", "_deopt_handler_offset", "int", false, 88},
	{"nmethod", "_state", "volatile signed char", false, 144},
	{"Method", "_code", "nmethod*", false, 16},
	{"Klass", "_java_mirror", "OopHandle", false, 32},
	{"PcDesc", "_pc_offset", "int", false, 0},
	{"PcDesc", "_scope_decode_offset", "int", false, 4},
};

/* Of newer machines, and of older ones. */
static const struct field new_fields[] = {
	{"nmethod", "_method", "Method*", false, 64},
	{"nmethod", "_scopes_data_offset", "int", false, 92},
	{"nmethod", "_immutable_data", "address", false, 96},
	{"nmethod", "_immutable_data_size", "int", false, 104},
	{"CodeBlob", "_mutable_data", "address", false, 112},
	{"CodeBlob", "_mutable_data_size", "int", false, 120},
	{"CodeBlob", "_relocation_size", "int", false, 124},
};
static const struct field old_fields[] = {
	{"CodeBlob", "_code_begin", "address", false, 40},
	{"CodeBlob", "_code_end", "address", false, 48},
	{"CompiledMethod", "_method", "Method*", false, 64},
	{"nmethod", "_dependencies_offset", "int", false, 128},
	{"nmethod", "_metadata_offset", "int", false, 132},
	{"CompiledMethod", "_scopes_data_begin", "address", false, 136},
};

static const struct {
	const char *of;
	uint64_t size;
} sizes[] = {
	{"ConstMethod", RECORD_HEADER}, {"ConstantPool", POOL_HEADER}, {"PcDesc", 16}};

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

static void add_fields(uint8_t *memory, size_t *texts, size_t *entries,
	const struct field *some, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct entry entry = {
			.type_name = add_text(memory, texts, some[i].of),
			.field_name = add_text(memory, texts, some[i].name),
			.type = add_text(memory, texts, some[i].type),
			.is_static = some[i].is_static,
			.offset = some[i].is_static ? 0 : some[i].at,
			.address = some[i].is_static ? (uintptr_t)memory + some[i].at : 0,
		};
		memcpy(memory + *entries, &entry, sizeof(entry));
		*entries += sizeof(entry);
	}
}

static void make_tables(uint8_t *memory, bool is_old)
{
	size_t texts = TEXTS, entries = ENTRIES;
	add_fields(memory, &texts, &entries, fields, sizeof(fields) / sizeof(*fields));
	if (is_old)
		add_fields(memory, &texts, &entries, old_fields,
			sizeof(old_fields) / sizeof(*old_fields));
	else
		add_fields(memory, &texts, &entries, new_fields,
			sizeof(new_fields) / sizeof(*new_fields));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put(memory, SIZES + i * 16, add_text(memory, &texts, sizes[i].of), 8);
		put(memory, SIZES + i * 16 + 8, sizes[i].size, 8);
	}
	const uint64_t variables[] = {(uintptr_t)memory + ENTRIES, sizeof(struct entry),
		offsetof(struct entry, type_name), offsetof(struct entry, field_name),
		offsetof(struct entry, type), offsetof(struct entry, is_static),
		offsetof(struct entry, offset), offsetof(struct entry, address),
		(uintptr_t)memory + SIZES, 16, 0, 8};
	memcpy(memory, variables, sizeof(variables));
}

/* A method, whose names and lines the bytes may say. */
static void make_method(struct input *input, uint8_t *memory, bool is_said)
{
	static const char *const symbols[] = {
		"", "a/Class$$Lambda+0x12", "method", "(IJ[Lb/C;)V", "Class.java"};
	uint64_t base = (uintptr_t)memory;
	put(memory, VERSION, is_said ? input_number(input, 1) : 25, 4);
	put(memory, METHOD + 8, base + RECORD, 8);
	put(memory, RECORD + 8, base + POOL, 8);
	put(memory, RECORD + 24, (RECORD_HEADER + BYTECODE_BYTES + LINES_BYTES) / 8, 4);
	put(memory, RECORD + 28, 1, 2);
	put(memory, RECORD + 34, BYTECODE_BYTES, 2);
	put(memory, RECORD + 36, 2, 2);
	put(memory, RECORD + 38, 3, 2);
	put(memory, POOL + 24, base + KLASS, 8);
	put(memory, POOL + 54, 4, 2);
	put(memory, POOL + 60, 5, 4);
	put(memory, KLASS + 24, base + SYMBOLS + SYMBOL_BYTES, 8);
	for (size_t i = 1; i < sizeof(symbols) / sizeof(*symbols); i++) {
		size_t at = SYMBOLS + i * SYMBOL_BYTES, length = strlen(symbols[i]);
		memcpy(memory + at + 6, symbols[i], length);
		if (is_said)
			length += input_bytes(input, memory + at + 6 + length,
				input_number(input, 1) % (SYMBOL_BYTES - 32));
		put(memory, at + 4, length, 2);
		put(memory, POOL + POOL_HEADER + i * 8, base + at, 8);
	}
	if (is_said)
		input_bytes(input, memory + RECORD + RECORD_HEADER + BYTECODE_BYTES,
			LINES_BYTES);
}

/* What is known of compiled code: the places, behind them the scopes, and methods. */
static void make_places(struct input *input, uint8_t *memory, bool is_said)
{
	uint64_t base = (uintptr_t)memory;
	put(memory, METHODS, base + METHOD, 8);
	put(memory, METHODS + 8, base + METHOD, 8);
	for (unsigned i = 0; i < PLACES_BYTES / 16; i++) {
		put(memory, PLACES + i * 16, i * 32 - 1, 4);
		put(memory, PLACES + i * 16 + 4, is_said ? input_number(input, 1) : i, 4);
	}
	if (is_said)
		input_bytes(input, memory + PLACES + PLACES_BYTES, SCOPES_BYTES);
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

/* The rest of the header of BLOB, if it is compiled code, as newer machines have it and as older
   ones: its records are in MEMORY. */
static void make_compiled(const uint8_t *memory, uint8_t *blob)
{
	uint64_t base = (uintptr_t)memory, here = (uintptr_t)blob;
	put(blob, 64, base + METHOD, 8);
	put(blob, 72, UINT32_MAX, 4);
	put(blob, 144, 1, 1);
	put(blob, 80, base + PLACES - here, 4);
	put(blob, 84, 16, 4);
	put(blob, 88, BLOB_BYTES + 0x100, 4);
	put(blob, 92, base + PLACES + PLACES_BYTES - here, 4);
	put(blob, 96, here, 8);
	put(blob, 104, base + PLACES + PLACES_BYTES + SCOPES_BYTES - here, 4);
	put(blob, 112, base + METHODS - 8, 8);
	put(blob, 120, 24, 4);
	put(blob, 124, 8, 4);
	put(blob, 128, base + PLACES + PLACES_BYTES - here, 4);
	put(blob, 132, base + METHODS - here, 4);
	put(blob, 136, base + PLACES + PLACES_BYTES, 8);
}

static void make_piece(struct input *input, uint8_t *memory, uint8_t *block, size_t size)
{
	uint8_t *blob = block + HEADER_BYTES;
	size_t texts = NAMES + (block[0] ? 64 : 0);
	unsigned name = (unsigned)input_number(input, 1) %
			(sizeof(piece_names) / sizeof(*piece_names));
	uint64_t begin = BLOB_BYTES, end = size - HEADER_BYTES;
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
	make_compiled(memory, blob);
}

void made_machine(struct input *input, uint8_t *memory, uint8_t *code)
{
	unsigned flags = (unsigned)input_number(input, 1);
	memset(memory, 0, MADE_MACHINE_BYTES);
	make_tables(memory, flags & 1);
	make_heap(memory, code);
	code[0] = 0;
	make_piece(input, memory, code, SECOND_PIECE);
	code[SECOND_PIECE] = 1;
	make_piece(input, memory, code + SECOND_PIECE, SECOND_PIECE);
	if (flags & 2)
		put(memory, RETURN_PC,
			(uintptr_t)code + 0x80 + input_number(input, 2) % SECOND_PIECE,
			8);
	make_method(input, memory, flags & 4);
	make_places(input, memory, flags & 4);
	for (unsigned i = flags >> 4; i > 0; i--)
		memory[input_number(input, 2) % MADE_MACHINE_BYTES] =
			(uint8_t)input_number(input, 1);
}
