/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-function.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	ENDS_BYTES = 64 << 20,
	SCOPE_WORDS = 5,
	LOCALS_MAX = 100000,
	LOCALS_INLINE = 75, /* from so many on their names are in a table */
	LAST_LINES = 8,	    /* of a source, that may name its map */
};

/* --- scripts ---------------------------------------------------------------------------- */

static const char *file_of(const char *name)
{
	static const char scheme[] = "file://";
	return strncmp(name, scheme, sizeof(scheme) - 1) == 0 ? name + sizeof(scheme) - 1
							      : name;
}

/* As they are, to be freed. */
static char *encode(const struct v8_units *units, uint32_t from, uint32_t to)
{
	char *text = mem_alloc((size_t)(to - from) * 3 + 1), *end = text;
	for (uint32_t i = from; i < to; i++)
		end += clean_encode(v8_unit_at(units, i), end);
	*end = '\0';
	return text;
}

/* The source map, if one of the comments that the source ends with names it. */
static void find_map(
	struct v8_heap *heap, struct v8_script *script, const struct v8_units *units)
{
	static const char mark[] = "//# sourceMappingURL=";
	const size_t begin = sizeof(mark) - 1;
	bool goes_on = true;
	for (uint32_t n = script->n_ends;
		goes_on && n > 0 && script->n_ends - n < LAST_LINES; n--) {
		uint32_t from = n > 1 ? script->ends[n - 2] + 1 : 0;
		uint32_t to = script->ends[n - 1];
		while (to > from && v8_unit_at(units, to - 1) <= ' ')
			to--;
		if (from == to)
			continue;
		if (to - from < 2 || v8_unit_at(units, from) != '/' ||
			v8_unit_at(units, from + 1) != '/')
			return;
		char *line = encode(units, from, to);
		goes_on = strncmp(line, mark, begin) != 0;
		if (!goes_on)
			v8_maps_read(&heap->maps, &script->map, &heap->texts,
				file_of(script->name), script->n_ends, line + begin);
		free(line);
	}
}

static void find_ends(struct v8_heap *heap, struct v8_script *script, uint64_t source)
{
	struct v8_units units;
	VEC(uint32_t) ends = {0};
	if (heap->ends_bytes > ENDS_BYTES || !v8_source(heap, source, &units))
		return;
	for (uint32_t i = 0; i < units.count; i++)
		if (v8_unit_at(&units, i) == '\n')
			vec_push(&ends, i);
	vec_push(&ends, units.count);
	heap->ends_bytes += ends.len * sizeof(*ends.data);
	script->ends = ends.data;
	script->n_ends = (uint32_t)ends.len;
	if (heap->maps.dir)
		find_map(heap, script, &units);
	free(units.data);
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
	script.name = v8_name(heap, name);
	if (!script.name)
		script.name = "";
	find_ends(heap, &script, source);
	idmap_put(&heap->script_ids, pointer, 0, (uint32_t)heap->scripts.len);
	vec_push(&heap->scripts, script);
	return (uint32_t)heap->scripts.len - 1;
}

/* Where POSITION is in the text of SCRIPT; false: nowhere. */
static bool find_place(
	const struct v8_script *script, uint32_t position, struct v8_place_in_text *place)
{
	uint32_t low = 0, high = script->n_ends;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (script->ends[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == script->n_ends)
		return false;
	*place = (struct v8_place_in_text){
		low, position - (low > 0 ? script->ends[low - 1] + 1 : 0)};
	return true;
}

/* "": of none. */
static const char *source_of(
	const struct v8_source_map *map, const struct v8_segment *segment)
{
	return segment && segment->source < map->sources.len
		       ? map->sources.data[segment->source]
		       : "";
}

uint32_t v8_line(
	const struct v8_heap *heap, const struct v8_function *function, uint32_t position)
{
	struct v8_place_in_text at;
	if (function->script == UINT32_MAX)
		return 0;
	const struct v8_script *script = &heap->scripts.data[function->script];
	if (!find_place(script, position, &at))
		return 0;
	if (!function->is_mapped)
		return at.line + 1;
	const struct v8_segment *segment = v8_source_map_find(&script->map, at);
	return source_of(&script->map, segment) == function->file ? segment->line : 0;
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
		function->name = v8_name(heap, *word);
		word += 2;
	}
	if (flags >> SCOPE_INFERRED & 1) {
		if (!function->name || !function->name[0])
			function->name = v8_name(heap, *word);
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

/* What a minifier has made of a name stands right before the parameters, or with this between: "a(b)",
   "a = (b) => c", "d.a=function(b)". */
static const char *author_name(const struct v8_source_map *map,
	const struct v8_function *function, struct v8_place_in_text at)
{
	static const char *const between[] = {"", "=", " = ", "=function", " = function"};
	const char *dot = strrchr(function->name, '.');
	size_t length = strlen(dot ? dot + 1 : function->name);
	for (size_t i = 0; i < sizeof(between) / sizeof(*between); i++) {
		size_t before = length + strlen(between[i]);
		struct v8_place_in_text name = {at.line, at.column - (uint32_t)before};
		const struct v8_segment *segment =
			before <= at.column ? v8_source_map_find(map, name) : NULL;
		if (length > 0 && segment && segment->at.column == name.column &&
			segment->name < map->names.len)
			return map->names.data[segment->name];
	}
	return function->name;
}

/* Code outside of functions is of all sources: of none, unless there is only one. */
static void map_function(struct v8_function *function, const struct v8_script *script)
{
	const struct v8_source_map *map = &script->map;
	struct v8_place_in_text at;
	const struct v8_segment *segment = NULL;
	bool is_whole = function->start == 0;
	if (!is_whole && find_place(script, function->start, &at))
		segment = v8_source_map_find(map, at);
	const char *file = is_whole && map->sources.len == 1 ? map->sources.data[0]
							     : source_of(map, segment);
	if (!file[0])
		return;
	function->is_mapped = true;
	function->file = file;
	function->first_line = is_whole ? 1 : segment->line;
	if (!is_whole && function->name)
		function->name = author_name(map, function, at);
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
	else if (type >= 0 && type < V8_STRING_TYPES)
		function->name = v8_name(heap, name);
	function->script = find_script(heap, script);
	function->file = function->script == UINT32_MAX
				 ? ""
				 : file_of(heap->scripts.data[function->script].name);
	if (function->limit > 0)
		function->first_line = v8_line(heap, function, function->start);
	if (function->limit > 0 && function->script != UINT32_MAX)
		map_function(function, &heap->scripts.data[function->script]);
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
