/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-structs.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES_MAX = 8192, /* JDK 8 to 25 have 500 to 1400 */
	ENTRY_MAX_BYTES = 256,
	TEXT_BYTES = 64, /* longer than any name that is needed */
	OFFSET_MAX = 1 << 16,
};

const char *const hotspot_variables[HOTSPOT_VARIABLES] = {
	[HOTSPOT_TABLE] = "gHotSpotVMStructs",
	[HOTSPOT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[HOTSPOT_TYPE_NAME] = "gHotSpotVMStructEntryTypeNameOffset",
	[HOTSPOT_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[HOTSPOT_TYPE] = "gHotSpotVMStructEntryTypeStringOffset",
	[HOTSPOT_IS_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[HOTSPOT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[HOTSPOT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[HOTSPOT_SIZES] = "gHotSpotVMTypes",
	[HOTSPOT_SIZES_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[HOTSPOT_SIZES_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[HOTSPOT_SIZES_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
};

void hotspot_read_text(
	const struct target_memory *memory, uint64_t address, char *out, size_t size)
{
	size_t got = memory->read(memory->context, address, out, size);
	out[got < size ? got : size - 1] = '\0';
}

/* The size of a value of the C++ TYPE. Other types are pointers. */
static unsigned size_of_type(const char *type)
{
	static const struct {
		const char *type;
		unsigned bytes;
	} sizes[] = {
		{"bool", 1},
		{"volatile signed char", 1},
		{"volatile unsigned char", 1},
		{"u1", 1},
		{"uint8_t", 1},
		{"CompLevel", 1},
		{"CodeBlobKind", 1},
		{"u2", 2},
		{"short", 2},
		{"unsigned short", 2},
		{"int16_t", 2},
		{"uint16_t", 2},
		{"int", 4},
		{"unsigned int", 4},
		{"u4", 4},
		{"jint", 4},
		{"int32_t", 4},
		{"uint32_t", 4},
	};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strcmp(type, sizes[i].type) == 0)
			return sizes[i].bytes;
	return 8;
}

/* --- the tables ----------------------------------------------------------------------- */

/* The tables and their texts are read in blocks: a text at a time they took thousands of reads. */
enum {
	BLOCK_LOG2 = 12,
	BLOCK_BYTES = 1 << BLOCK_LOG2,
	BLOCKS = 64,
};

struct block {
	uint64_t number; /* its address / its size */
	size_t length;	 /* 0: not read */
	unsigned char bytes[BLOCK_BYTES];
};

struct blocks {
	const struct target_memory *memory;
	struct block blocks[BLOCKS];
};

static size_t read_blocks(void *context, uint64_t address, void *out, size_t length)
{
	struct blocks *blocks = context;
	size_t done = 0;
	while (done < length) {
		uint64_t number = (address + done) >> BLOCK_LOG2;
		size_t at = (address + done) % BLOCK_BYTES;
		struct block *block = &blocks->blocks[number % BLOCKS];
		if (block->length == 0 || block->number != number) {
			block->number = number;
			block->length = blocks->memory->read(blocks->memory->context,
				number << BLOCK_LOG2, block->bytes, BLOCK_BYTES);
		}
		if (at >= block->length)
			break;
		size_t count = block->length - at;
		if (count > length - done)
			count = length - done;
		memcpy((char *)out + done, block->bytes + at, count);
		done += count;
	}
	return done;
}

/* Offsets of the parts of an entry. */
struct layout {
	uint64_t part[HOTSPOT_VARIABLES];
};

static uint64_t word_at(const unsigned char *entry, uint64_t offset)
{
	uint64_t word;
	memcpy(&word, entry + offset, sizeof(word));
	return word;
}

/* Is there a table, with entries of STRIDE bytes in which all parts from FIRST to LAST lie? */
static bool is_table(const struct layout *layout, int table, int stride, int last)
{
	uint64_t bytes = layout->part[stride];
	if (!layout->part[table] || bytes > ENTRY_MAX_BYTES)
		return false;
	for (int i = stride + 1; i <= last; i++)
		if (layout->part[i] > bytes || bytes - layout->part[i] < sizeof(uint64_t))
			return false;
	return true;
}

static bool read_layout(const struct target_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct layout *layout)
{
	for (int i = 0; i < HOTSPOT_VARIABLES; i++)
		if (!addresses[i] || !target_memory_read(memory, addresses[i],
					     &layout->part[i], sizeof(layout->part[i])))
			return false;
	return is_table(layout, HOTSPOT_TABLE, HOTSPOT_STRIDE, HOTSPOT_ADDRESS) &&
	       is_table(layout, HOTSPOT_SIZES, HOTSPOT_SIZES_STRIDE, HOTSPOT_SIZES_SIZE);
}

static void take_field(const struct target_memory *memory, const struct layout *layout,
	const unsigned char *entry, struct hotspot_field *field)
{
	char type[TEXT_BYTES];
	uint32_t is_static;
	memcpy(&is_static, entry + layout->part[HOTSPOT_IS_STATIC], sizeof(is_static));
	hotspot_read_text(
		memory, word_at(entry, layout->part[HOTSPOT_TYPE]), type, sizeof(type));
	field->is_static = is_static != 0;
	field->at = word_at(
		entry, layout->part[field->is_static ? HOTSPOT_ADDRESS : HOTSPOT_OFFSET]);
	field->bytes = size_of_type(type);
	field->is_found = field->is_static || field->at < OFFSET_MAX;
}

/* Those of N FIELDS that ENTRY is about. */
static void take_entry(const struct target_memory *memory, const struct layout *layout,
	const unsigned char *entry, struct hotspot_field *fields, size_t n)
{
	char type[TEXT_BYTES], name[TEXT_BYTES];
	hotspot_read_text(memory, word_at(entry, layout->part[HOTSPOT_TYPE_NAME]), type,
		sizeof(type));
	hotspot_read_text(memory, word_at(entry, layout->part[HOTSPOT_FIELD_NAME]), name,
		sizeof(name));
	for (size_t k = 0; k < n; k++)
		if (fields[k].name && strcmp(fields[k].of, type) == 0 &&
			strcmp(fields[k].name, name) == 0)
			take_field(memory, layout, entry, &fields[k]);
}

static void take_size(const struct target_memory *memory, const struct layout *layout,
	const unsigned char *entry, struct hotspot_field *fields, size_t n)
{
	char type[TEXT_BYTES];
	uint64_t size = word_at(entry, layout->part[HOTSPOT_SIZES_SIZE]);
	hotspot_read_text(memory, word_at(entry, layout->part[HOTSPOT_SIZES_NAME]), type,
		sizeof(type));
	for (size_t k = 0; k < n; k++)
		if (!fields[k].name && strcmp(fields[k].of, type) == 0) {
			fields[k].at = size;
			fields[k].is_found = size > 0 && size < OFFSET_MAX;
		}
}

/* Let TAKE see each entry of the table at AT, whose entries have STRIDE bytes and a name at
   offset NAME; an entry without one is the last. False: it has no end. */
static bool each_entry(const struct target_memory *memory, const struct layout *layout,
	int table, int name,
	void (*take)(const struct target_memory *, const struct layout *,
		const unsigned char *, struct hotspot_field *, size_t),
	struct hotspot_field *fields, size_t n)
{
	uint64_t at = layout->part[table], stride = layout->part[table + 1];
	for (uint64_t i = 0; i < ENTRIES_MAX; i++) {
		unsigned char entry[ENTRY_MAX_BYTES];
		if (!target_memory_read(memory, at + i * stride, entry, stride))
			return false;
		if (!word_at(entry, layout->part[name]))
			return i > 0;
		take(memory, layout, entry, fields, n);
	}
	return false;
}

bool hotspot_find_fields(const struct target_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct hotspot_field *fields,
	size_t n)
{
	struct layout layout;
	for (size_t i = 0; i < n; i++)
		fields[i].is_found = fields[i].is_static = false;
	if (!read_layout(memory, addresses, &layout))
		return false;
	struct blocks *blocks = mem_zalloc(sizeof(*blocks));
	struct target_memory in_blocks = {read_blocks, blocks};
	blocks->memory = memory;
	bool is_whole = each_entry(&in_blocks, &layout, HOTSPOT_TABLE, HOTSPOT_TYPE_NAME,
				take_entry, fields, n) &&
			each_entry(&in_blocks, &layout, HOTSPOT_SIZES, HOTSPOT_SIZES_NAME,
				take_size, fields, n);
	free(blocks);
	return is_whole;
}

/* --- values --------------------------------------------------------------------------- */

bool hotspot_read_field(const struct target_memory *memory,
	const struct hotspot_field *field, uint64_t base, uint64_t *value)
{
	*value = 0;
	return field->is_found &&
	       target_memory_read(memory, field->is_static ? field->at : base + field->at,
		       value, field->bytes);
}

bool hotspot_read_number(const struct target_memory *memory,
	const struct hotspot_field *field, uint64_t base, int64_t *value)
{
	uint64_t raw;
	if (!hotspot_read_field(memory, field, base, &raw))
		return false;
	unsigned unused = 64 - 8 * field->bytes;
	*value = (int64_t)(raw << unused) >> unused;
	return true;
}

bool hotspot_field_of(const struct hotspot_field *field, const void *bytes, size_t size,
	uint64_t *value)
{
	*value = 0;
	if (!field->is_found || field->is_static || field->at + field->bytes > size)
		return false;
	memcpy(value, (const char *)bytes + field->at, field->bytes);
	return true;
}

size_t hotspot_extent(const struct hotspot_field *fields, size_t n)
{
	size_t extent = 0;
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_found && !fields[i].is_static &&
			fields[i].at + fields[i].bytes > extent)
			extent = fields[i].at + fields[i].bytes;
	return extent;
}
