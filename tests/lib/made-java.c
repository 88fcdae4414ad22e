/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-java.h"

#include "src/base/mem.h"

#include <string.h>

enum {
	SIZE_STRIDE = 16
};

static size_t read_machine(void *context, uint64_t address, void *out, size_t length)
{
	struct machine *machine = context;
	machine->reads++;
	uint64_t at = address - BASE;
	if (at >= BYTES)
		return 0;
	size_t room = BYTES - at;
	if (length > room)
		length = room;
	memcpy(out, machine->bytes + at, length);
	return length;
}

void put(struct machine *machine, size_t at, uint64_t value, size_t bytes)
{
	memcpy(machine->bytes + at, &value, bytes);
}

uint64_t add_text(struct machine *machine, const char *text)
{
	size_t at = machine->text;
	strcpy((char *)machine->bytes + at, text);
	machine->text += strlen(text) + 1;
	return BASE + at;
}

void add_field(struct machine *machine, const char *of, const char *name,
	const char *type, bool is_static, uint64_t at)
{
	size_t entry = TABLE + STRIDE * machine->n_entries++;
	put(machine, entry, add_text(machine, of), 8);
	put(machine, entry + 8, add_text(machine, name), 8);
	put(machine, entry + 16, add_text(machine, type), 8);
	put(machine, entry + 24, is_static, 4);
	put(machine, entry + (is_static ? 40 : 32), at, 8);
}

void add_size(struct machine *machine, const char *of, uint64_t size)
{
	size_t entry = SIZES + SIZE_STRIDE * machine->n_sizes++;
	put(machine, entry, add_text(machine, of), 8);
	put(machine, entry + 8, size, 8);
}

uint64_t add_code(struct machine *machine, unsigned first, unsigned count,
	const char *name, int frame_words, int complete)
{
	size_t block = CODE + first * SEGMENT;
	size_t blob = block + (machine->is_new ? 8 : 16);
	for (unsigned i = 0; i < count; i++)
		machine->bytes[MAP + first + i] = (unsigned char)(i < 250 ? i : 1);
	put(machine, block, count, machine->is_new ? 4 : 8);
	put(machine, block + (machine->is_new ? 4 : 8), 1, 1);
	size_t size = count * SEGMENT - 16;
	put(machine, blob, add_text(machine, name), 8);
	put(machine, blob + 8, size, 4);
	put(machine, blob + 12, (uint32_t)frame_words, 4);
	put(machine, blob + 16, (uint32_t)complete, machine->is_new ? 2 : 4);
	size_t begin = 64, end = size - 8;
	put(machine, blob + 24, machine->is_new ? begin : BASE + blob + begin,
		machine->is_new ? 4 : 8);
	put(machine, blob + 32, machine->is_new ? end : BASE + blob + end,
		machine->is_new ? 4 : 8);
	return BASE + blob + begin;
}

struct machine *make_machine(bool is_new)
{
	static const uint64_t values[HOTSPOT_VARIABLES] = {BASE + TABLE, STRIDE, 0, 8, 16,
		24, 32, 40, BASE + SIZES, SIZE_STRIDE, 0, 8};
	struct machine *machine = mem_zalloc(sizeof(*machine));
	machine->is_new = is_new;
	machine->text = TEXTS;
	machine->memory = (struct target_memory){read_machine, machine};
	for (int i = 0; i < HOTSPOT_VARIABLES; i++) {
		machine->addresses[i] = BASE + VARIABLES + (uint64_t)i * 8;
		put(machine, VARIABLES + (size_t)i * 8, values[i], 8);
	}
	add_size(machine, "Other", 4);
	memset(machine->bytes + MAP, 0xff, CODE - MAP);
	add_field(machine, "Other", "_field", "int", false, 4);
	add_field(machine, "CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", true,
		BASE + STATICS);
	add_field(machine, is_new ? "GrowableArrayBase" : "GenericGrowableArray", "_len",
		"int", false, 0);
	add_field(machine, "GrowableArray<int>", "_data", "int*", false, 8);
	add_field(machine, "CodeHeap", "_memory", "VirtualSpace", false, 8);
	add_field(machine, "CodeHeap", "_segmap", "VirtualSpace", false, 72);
	add_field(machine, "CodeHeap", "_log2_segment_size", "int", false, 140);
	add_field(machine, "VirtualSpace", "_low", "char*", false, 16);
	add_field(machine, "VirtualSpace", "_high", "char*", false, 24);
	add_field(machine, "HeapBlock::Header", "_used", "bool", false, is_new ? 4 : 8);
	add_field(machine, "CodeBlob", "_name", "const char*", false, 0);
	add_field(machine, "CodeBlob", "_size", "int", false, 8);
	add_field(machine, "CodeBlob", "_frame_size", "int", false, 12);
	add_field(machine, "CodeBlob", "_frame_complete_offset",
		is_new ? "int16_t" : "int", false, 16);
	const char *begin = is_new ? "_code_offset" : "_code_begin";
	const char *end = is_new ? "_data_offset" : "_code_end";
	add_field(machine, "CodeBlob", begin, is_new ? "int" : "address", false, 24);
	add_field(machine, "CodeBlob", end, is_new ? "int" : "address", false, 32);
	if (is_new)
		add_field(machine, "ContinuationEntry", "_return_pc", "address", true,
			BASE + STATICS + 8);
	put(machine, STATICS, BASE + ARRAY, 8);
	put(machine, STATICS + 8, BASE + CODE + 100, 8);
	put(machine, ARRAY, 1, 4);
	put(machine, ARRAY + 8, BASE + ARRAY_DATA, 8);
	put(machine, ARRAY_DATA, BASE + HEAP, 8);
	put(machine, HEAP + 8 + 16, BASE + CODE, 8);
	put(machine, HEAP + 8 + 24, BASE + CODE_END, 8);
	put(machine, HEAP + 72 + 16, BASE + MAP, 8);
	put(machine, HEAP + 72 + 24, BASE + MAP + (CODE_END - CODE) / SEGMENT, 8);
	put(machine, HEAP + 140, SEGMENT_LOG2, 4);
	return machine;
}
