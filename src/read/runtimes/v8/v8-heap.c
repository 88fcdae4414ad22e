/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-heap.h"

#include "src/base/clean.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	MAP_TYPE = 12,	  /* in a Map: the type of its objects */
	ARRAY_LENGTH = 8, /* in an array, and where it begins */
	ARRAY_FIRST = 16,
	STRING_LENGTH = 12,
	STRING_FIRST = 16, /* characters, or what the string is made of */
	STRING_SECOND = 24,
	STRING_SHAPE = 7,
	STRING_ONE_BYTE = 8,
	SHAPE_PLAIN = 0,
	SHAPE_CONS = 1,
	SHAPE_EXTERNAL = 2,
	SHAPE_SLICED = 3,
	SHAPE_THIN = 5,
	STRING_DEPTH = 12,
	NAME_UNITS = 512,
	SOURCE_UNITS = 16 << 20,
	BYTES_MAX = 1 << 20,
};

void v8_heap_clear(struct v8_heap *heap)
{
	vec_each (&heap->functions, function)
		free(*function);
	vec_each (&heap->scripts, script) {
		free(script->ends);
		v8_source_map_finish(&script->map);
	}
	heap->functions.len = heap->scripts.len = 0;
	heap->ends_bytes = heap->maps.kept_bytes = 0;
	idmap_clear(&heap->function_ids);
	idmap_clear(&heap->script_ids);
	strpool_finish(&heap->texts);
}

void v8_heap_finish(struct v8_heap *heap)
{
	v8_heap_clear(heap);
	vec_free(&heap->functions);
	vec_free(&heap->scripts);
	idmap_finish(&heap->function_ids);
	idmap_finish(&heap->script_ids);
}

bool v8_read(const struct v8_heap *heap, uint64_t address, void *out, size_t length)
{
	return target_memory_read(&heap->memory, address, out, length);
}

bool v8_word(const struct v8_heap *heap, uint64_t address, uint64_t *word)
{
	return v8_read(heap, address, word, sizeof(*word));
}

static bool is_pointer(uint64_t word)
{
	return (word & 3) == 1;
}

int32_t v8_type(const struct v8_heap *heap, uint64_t pointer)
{
	uint64_t map;
	uint16_t type;
	if (!is_pointer(pointer) || !v8_word(heap, pointer - 1, &map) ||
		!is_pointer(map) ||
		!v8_read(heap, map - 1 + MAP_TYPE, &type, sizeof(type)))
		return -1;
	return type;
}

unsigned char *v8_bytes(const struct v8_heap *heap, uint64_t pointer, size_t *length)
{
	const int32_t *constants = heap->layout.constants;
	int32_t type = v8_type(heap, pointer);
	uint64_t word;
	*length = 0;
	if (type < 0 ||
		(type != constants[V8_TYPE_BYTES] &&
			type != constants[V8_TYPE_TRUSTED_BYTES]) ||
		!v8_word(heap, pointer - 1 + ARRAY_LENGTH, &word))
		return NULL;
	size_t count = word >> 32;
	if (count == 0 || count > BYTES_MAX)
		return NULL;
	unsigned char *bytes = mem_alloc(count);
	if (!v8_read(heap, pointer - 1 + ARRAY_FIRST, bytes, count)) {
		free(bytes);
		return NULL;
	}
	*length = count;
	return bytes;
}

/* --- strings ---------------------------------------------------------------------------- */

static bool read_string(struct v8_heap *heap, uint64_t pointer, uint32_t most, int depth,
	struct v8_units *out);

static bool take_part(struct v8_units *whole, const struct v8_units *part)
{
	if (part->count > 0 && whole->count > 0 && part->is_wide != whole->is_wide)
		return false; /* rare: names in two alphabets that were put together */
	size_t size = part->is_wide ? 2 : 1;
	whole->is_wide |= part->is_wide;
	whole->data = mem_resize(whole->data, (whole->count + part->count) * size + 1, 1);
	memcpy(whole->data + whole->count * size, part->data, part->count * size);
	whole->count += part->count;
	return true;
}

static bool read_cons(struct v8_heap *heap, const unsigned char *object, uint32_t most,
	int depth, struct v8_units *out)
{
	*out = (struct v8_units){.data = NULL};
	for (int i = 0; i < 2; i++) {
		uint64_t part_at;
		struct v8_units part;
		memcpy(&part_at, object + STRING_FIRST + i * WORD, sizeof(part_at));
		bool is_taken = read_string(heap, part_at, most, depth + 1, &part) &&
				take_part(out, &part);
		free(part.data);
		if (!is_taken) {
			free(out->data);
			out->data = NULL;
			return false;
		}
	}
	return out->count <= most;
}

static bool read_slice(struct v8_heap *heap, const unsigned char *object, uint32_t count,
	int depth, struct v8_units *out)
{
	uint64_t parent, offset;
	memcpy(&parent, object + STRING_FIRST, sizeof(parent));
	memcpy(&offset, object + STRING_SECOND, sizeof(offset));
	offset >>= 32;
	if (!read_string(heap, parent, SOURCE_UNITS, depth + 1, out))
		return false;
	size_t size = out->is_wide ? 2 : 1;
	if (offset > out->count || count > out->count - offset) {
		free(out->data);
		out->data = NULL;
		return false;
	}
	memmove(out->data, out->data + offset * size, count * size);
	out->count = count;
	return true;
}

static bool read_plain(struct v8_heap *heap, uint64_t address, uint32_t count,
	bool is_wide, struct v8_units *out)
{
	size_t bytes = (size_t)count * (is_wide ? 2 : 1);
	*out = (struct v8_units){mem_alloc(bytes + 1), count, is_wide};
	if (bytes == 0 || v8_read(heap, address, out->data, bytes))
		return true;
	free(out->data);
	out->data = NULL;
	return false;
}

/* On failure OUT has no data. */
static bool read_string(struct v8_heap *heap, uint64_t pointer, uint32_t most, int depth,
	struct v8_units *out)
{
	unsigned char object[STRING_SECOND + WORD];
	int32_t type = v8_type(heap, pointer);
	uint32_t count;
	uint64_t first, second;
	*out = (struct v8_units){.data = NULL};
	if (type < 0 || type >= V8_STRING_TYPES || depth > STRING_DEPTH ||
		!v8_read(heap, pointer - 1, object, sizeof(object)))
		return false;
	memcpy(&count, object + STRING_LENGTH, sizeof(count));
	memcpy(&first, object + STRING_FIRST, sizeof(first));
	memcpy(&second, object + STRING_SECOND, sizeof(second));
	if (count > most)
		return false;
	bool is_wide = !(type & STRING_ONE_BYTE);
	switch (type & STRING_SHAPE) {
	case SHAPE_PLAIN:
		return read_plain(heap, pointer - 1 + STRING_FIRST, count, is_wide, out);
	case SHAPE_EXTERNAL:
		return read_plain(heap, second, count, is_wide, out);
	case SHAPE_CONS:
		return read_cons(heap, object, most, depth, out);
	case SHAPE_SLICED:
		return read_slice(heap, object, count, depth, out);
	case SHAPE_THIN:
		return read_string(heap, first, most, depth + 1, out);
	default:
		return false;
	}
}

bool v8_source(struct v8_heap *heap, uint64_t pointer, struct v8_units *out)
{
	return read_string(heap, pointer, SOURCE_UNITS, 0, out);
}

const char *v8_name(struct v8_heap *heap, uint64_t pointer)
{
	struct v8_units units;
	char text[3 * NAME_UNITS], clean[CLEAN_MAX];
	size_t length = 0;
	if (!read_string(heap, pointer, NAME_UNITS, 0, &units))
		return NULL;
	for (uint32_t i = 0; i < units.count; i++)
		length += clean_encode(v8_unit_at(&units, i), text + length);
	free(units.data);
	clean_text(clean, sizeof(clean), text, length);
	return strpool_intern(&heap->texts, clean);
}
