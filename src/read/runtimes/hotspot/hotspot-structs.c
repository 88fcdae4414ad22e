/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-structs.h"

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
};

bool hotspot_read(
	const struct hotspot_memory *memory, uint64_t address, void *out, size_t length)
{
	return memory->read(memory->context, address, out, length) == length;
}

void hotspot_read_text(
	const struct hotspot_memory *memory, uint64_t address, char *out, size_t size)
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
		{"u1", 1},
		{"uint8_t", 1},
		{"CompLevel", 1},
		{"CodeBlobKind", 1},
		{"u2", 2},
		{"short", 2},
		{"int16_t", 2},
		{"uint16_t", 2},
		{"int", 4},
		{"jint", 4},
		{"int32_t", 4},
		{"uint32_t", 4},
	};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strcmp(type, sizes[i].type) == 0)
			return sizes[i].bytes;
	return 8;
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

static bool read_layout(const struct hotspot_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct layout *layout)
{
	for (int i = 0; i < HOTSPOT_VARIABLES; i++)
		if (!addresses[i] || !hotspot_read(memory, addresses[i], &layout->part[i],
					     sizeof(layout->part[i])))
			return false;
	uint64_t stride = layout->part[HOTSPOT_STRIDE];
	if (!layout->part[HOTSPOT_TABLE] || stride > ENTRY_MAX_BYTES)
		return false;
	for (int i = HOTSPOT_TYPE_NAME; i < HOTSPOT_VARIABLES; i++)
		if (layout->part[i] > stride ||
			stride - layout->part[i] < sizeof(uint64_t))
			return false;
	return true;
}

static void take_entry(const struct hotspot_memory *memory, const struct layout *layout,
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

bool hotspot_find_fields(const struct hotspot_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], struct hotspot_field *fields,
	size_t n)
{
	struct layout layout;
	for (size_t i = 0; i < n; i++)
		fields[i].is_found = false;
	if (!read_layout(memory, addresses, &layout))
		return false;
	uint64_t stride = layout.part[HOTSPOT_STRIDE];
	for (uint64_t i = 0; i < ENTRIES_MAX; i++) {
		unsigned char entry[ENTRY_MAX_BYTES];
		char type[TEXT_BYTES], name[TEXT_BYTES];
		if (!hotspot_read(memory, layout.part[HOTSPOT_TABLE] + i * stride, entry,
			    stride))
			return false;
		uint64_t type_at = word_at(entry, layout.part[HOTSPOT_TYPE_NAME]);
		if (!type_at)
			return i > 0;
		hotspot_read_text(memory, type_at, type, sizeof(type));
		hotspot_read_text(memory, word_at(entry, layout.part[HOTSPOT_FIELD_NAME]),
			name, sizeof(name));
		for (size_t k = 0; k < n; k++)
			if (strcmp(fields[k].of, type) == 0 &&
				strcmp(fields[k].name, name) == 0)
				take_entry(memory, &layout, entry, &fields[k]);
	}
	return false;
}

bool hotspot_read_field(const struct hotspot_memory *memory,
	const struct hotspot_field *field, uint64_t base, uint64_t *value)
{
	*value = 0;
	return field->is_found &&
	       hotspot_read(memory, field->is_static ? field->at : base + field->at,
		       value, field->bytes);
}

bool hotspot_read_number(const struct hotspot_memory *memory,
	const struct hotspot_field *field, uint64_t base, int64_t *value)
{
	uint64_t raw;
	if (!hotspot_read_field(memory, field, base, &raw))
		return false;
	unsigned unused = 64 - 8 * field->bytes;
	*value = (int64_t)(raw << unused) >> unused;
	return true;
}
