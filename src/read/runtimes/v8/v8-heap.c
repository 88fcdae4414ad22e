/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-heap.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <stdio.h>
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
	STRING_TYPES = 128, /* types below are strings', */
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
	ENDS_BYTES = 64 << 20,
	BYTES_MAX = 1 << 20,
	FUNCTIONS_MAX = 1 << 16,
	SHARED_BYTES = 64, /* of a SharedFunctionInfo, what is looked at */
	SCOPE_WORDS = 5,
	LOCALS_MAX = 100000,
	LOCALS_INLINE = 75, /* from so many on their names are in a table */
};

void v8_heap_clear(struct v8_heap *heap)
{
	vec_each (&heap->functions, function)
		free(*function);
	vec_each (&heap->scripts, script)
		free(script->ends);
	heap->functions.len = heap->scripts.len = 0;
	heap->ends_bytes = 0;
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

/* The characters of a string, of one or two bytes each. */
struct units {
	unsigned char *data; /* to be freed */
	uint32_t count;
	bool is_wide;
};

static bool read_string(struct v8_heap *heap, uint64_t pointer, uint32_t most, int depth,
	struct units *out);

static bool take_part(struct units *whole, const struct units *part)
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
	int depth, struct units *out)
{
	*out = (struct units){.data = NULL};
	for (int i = 0; i < 2; i++) {
		uint64_t part_at;
		struct units part;
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
	int depth, struct units *out)
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
	bool is_wide, struct units *out)
{
	size_t bytes = (size_t)count * (is_wide ? 2 : 1);
	*out = (struct units){mem_alloc(bytes + 1), count, is_wide};
	if (bytes == 0 || v8_read(heap, address, out->data, bytes))
		return true;
	free(out->data);
	out->data = NULL;
	return false;
}

/* On failure OUT has no data. */
static bool read_string(struct v8_heap *heap, uint64_t pointer, uint32_t most, int depth,
	struct units *out)
{
	unsigned char object[STRING_SECOND + WORD];
	int32_t type = v8_type(heap, pointer);
	uint32_t count;
	uint64_t first, second;
	*out = (struct units){.data = NULL};
	if (type < 0 || type >= STRING_TYPES || depth > STRING_DEPTH ||
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

static uint32_t unit_at(const struct units *units, uint32_t i)
{
	return units->is_wide ? units->data[2 * i] | (uint32_t)units->data[2 * i + 1] << 8
			      : units->data[i];
}

/* The name at POINTER, cleaned; NULL if it is no string, or too long. */
static const char *read_name(struct v8_heap *heap, uint64_t pointer)
{
	struct units units;
	char text[3 * NAME_UNITS], clean[CLEAN_MAX];
	size_t length = 0;
	if (!read_string(heap, pointer, NAME_UNITS, 0, &units))
		return NULL;
	for (uint32_t i = 0; i < units.count; i++)
		length += clean_encode(unit_at(&units, i), text + length);
	free(units.data);
	clean_text(clean, sizeof(clean), text, length);
	return strpool_intern(&heap->texts, clean);
}

/* --- scripts ---------------------------------------------------------------------------- */

static void find_ends(struct v8_heap *heap, struct v8_script *script, uint64_t source)
{
	struct units units;
	VEC(uint32_t) ends = {0};
	if (heap->ends_bytes > ENDS_BYTES ||
		!read_string(heap, source, SOURCE_UNITS, 0, &units))
		return;
	for (uint32_t i = 0; i < units.count; i++)
		if (unit_at(&units, i) == '\n')
			vec_push(&ends, i);
	free(units.data);
	vec_push(&ends, units.count);
	heap->ends_bytes += ends.len * sizeof(*ends.data);
	script->ends = ends.data;
	script->n_ends = (uint32_t)ends.len;
}

/* The script at POINTER; UINT32_MAX if it is none. */
static uint32_t find_script(struct v8_heap *heap, uint64_t pointer)
{
	const int32_t *constants = heap->layout.constants;
	uint64_t name, source;
	if (v8_type(heap, pointer) != constants[V8_TYPE_SCRIPT] ||
		!v8_word(
			heap, pointer - 1 + (uint64_t)constants[V8_SCRIPT_NAME], &name) ||
		!v8_word(heap, pointer - 1 + (uint64_t)constants[V8_SCRIPT_SOURCE],
			&source))
		return UINT32_MAX;
	const uint32_t *known = idmap_get(&heap->script_ids, pointer, 0);
	if (known && heap->scripts.data[*known].name_at == name &&
		heap->scripts.data[*known].source_at == source)
		return *known;
	struct v8_script script = {.name_at = name, .source_at = source};
	script.name = read_name(heap, name);
	if (!script.name)
		script.name = "";
	find_ends(heap, &script, source);
	idmap_put(&heap->script_ids, pointer, 0, (uint32_t)heap->scripts.len);
	vec_push(&heap->scripts, script);
	return (uint32_t)heap->scripts.len - 1;
}

uint32_t v8_line(
	const struct v8_heap *heap, const struct v8_function *function, uint32_t position)
{
	if (function->script == UINT32_MAX)
		return 0;
	const struct v8_script *script = &heap->scripts.data[function->script];
	uint32_t low = 0, high = script->n_ends;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (script->ends[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < script->n_ends ? low + 1 : 0;
}

/* --- functions -------------------------------------------------------------------------- */

enum scope_flag {
	SCOPE_SAVES_CLASS = 10, /* bits of a ScopeInfo's flags: there is one more word, */
	SCOPE_FUNCTION = 12, /* two bits: two more, the first is the function's name, */
	SCOPE_INFERRED = 14, /* one more: what it may be called */
};

static bool is_small(uint64_t word)
{
	return (word & UINT32_MAX) == 0;
}

/* The words behind the names and infos of COUNT locals. */
static void take_scope_words(struct v8_heap *heap, struct v8_function *function,
	uint32_t flags, const uint64_t words[SCOPE_WORDS])
{
	const uint64_t *word = words + (flags >> SCOPE_SAVES_CLASS & 1);
	if (flags >> SCOPE_FUNCTION & 3) {
		function->name = read_name(heap, *word);
		word += 2;
	}
	if (flags >> SCOPE_INFERRED & 1) {
		if (!function->name || !function->name[0])
			function->name = read_name(heap, *word);
		word++;
	}
	if (!heap->layout.has_scope_positions && word + 1 < words + SCOPE_WORDS + 1 &&
		is_small(word[0]) && is_small(word[1])) {
		function->start = (uint32_t)(word[0] >> 32);
		function->limit = (uint32_t)(word[1] >> 32);
	}
}

static bool read_scope(
	struct v8_heap *heap, struct v8_function *function, uint64_t pointer)
{
	const int32_t *constants = heap->layout.constants;
	uint64_t head[6], words[SCOPE_WORDS + 2] = {0};
	uint64_t at = pointer - 1 + WORD;
	if (!v8_read(heap, at, head, sizeof(head)) || constants[V8_SCOPE_LOCALS] > 5)
		return false;
	uint32_t flags = (uint32_t)(is_small(head[0]) ? head[0] >> 32 : head[0]);
	uint64_t locals = head[constants[V8_SCOPE_LOCALS]] >> 32;
	if (locals > LOCALS_MAX)
		return false;
	if (heap->layout.has_scope_positions) {
		function->start = (uint32_t)(head[3] >> 32);
		function->limit = (uint32_t)(head[4] >> 32);
	}
	at += (uint64_t)constants[V8_SCOPE_FIRST] * WORD;
	at += (locals < LOCALS_INLINE ? 2 * locals : 1 + locals) * WORD;
	if (!v8_read(heap, at, words, SCOPE_WORDS * WORD))
		return false;
	take_scope_words(heap, function, flags, words);
	return true;
}

static const char *file_of(const char *name)
{
	static const char scheme[] = "file://";
	return strncmp(name, scheme, sizeof(scheme) - 1) == 0 ? name + sizeof(scheme) - 1
							      : name;
}

/* Half of a program may be functions without a name. */
static const char *name_by_place(struct v8_heap *heap, const struct v8_function *function)
{
	const char *slash = strrchr(function->file, '/');
	const char *file = slash ? slash + 1 : function->file;
	char name[CLEAN_MAX], line[16] = "";
	if (!file[0])
		return "(anonymous)";
	if (function->first_line > 0)
		snprintf(line, sizeof(line), ":%u", function->first_line);
	snprintf(name, sizeof(name), "(anonymous %s%s)", file, line);
	return strpool_intern(&heap->texts, name);
}

static struct v8_function *read_function(
	struct v8_heap *heap, uint64_t name, uint64_t script)
{
	const int32_t *constants = heap->layout.constants;
	struct v8_function *function = mem_zalloc(sizeof(*function));
	int32_t type = v8_type(heap, name);
	function->name_at = name;
	function->script_at = script;
	if (type == constants[V8_TYPE_SCOPE])
		read_scope(heap, function, name);
	else if (type >= 0 && type < STRING_TYPES)
		function->name = read_name(heap, name);
	function->script = find_script(heap, script);
	function->file = function->script == UINT32_MAX
				 ? ""
				 : file_of(heap->scripts.data[function->script].name);
	if (function->limit > 0)
		function->first_line = v8_line(heap, function, function->start);
	if (!function->name || !function->name[0])
		function->name = name_by_place(heap, function);
	function->number = heap->numbers++;
	return function;
}

const struct v8_function *v8_function(
	struct v8_heap *heap, uint64_t pointer, uint64_t time_ns)
{
	const int32_t *constants = heap->layout.constants;
	const uint32_t *known = idmap_get(&heap->function_ids, pointer, 0);
	struct v8_function *function = known ? heap->functions.data[*known] : NULL;
	if (function && function->verified_ns >= time_ns)
		return function;
	uint64_t name, script, now_ns = clock_monotonic_ns();
	if (v8_type(heap, pointer) != constants[V8_TYPE_SHARED] ||
		!v8_word(
			heap, pointer - 1 + (uint64_t)constants[V8_SHARED_NAME], &name) ||
		!v8_word(heap, pointer - 1 + (uint64_t)constants[V8_SHARED_SCRIPT],
			&script))
		return NULL;
	if (!function || function->name_at != name || function->script_at != script) {
		function = read_function(heap, name, script);
		idmap_put(&heap->function_ids, pointer, 0, (uint32_t)heap->functions.len);
		vec_push(&heap->functions, function);
	}
	function->verified_ns = now_ns;
	return function;
}
