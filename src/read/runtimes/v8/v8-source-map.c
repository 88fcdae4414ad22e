/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-source-map.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* A segment is one number, four, or five: its column; source, line and column there; name. */
	COLUMN = 0,
	SOURCE = 1,
	LINE = 2,
	WITH_SOURCE = 4,
	NAME = 4,
	FIELDS = 5,
	DIGIT_BITS = 5, /* of a number; the sixth bit: more follow */
	NUMBER_BITS = 35,
};

/* --- the mappings ----------------------------------------------------------------------- */

static int digit_of(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return letter - 'A';
	if (letter >= 'a' && letter <= 'z')
		return letter - 'a' + 26;
	if (letter >= '0' && letter <= '9')
		return letter - '0' + 52;
	return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* Add to *SUM the number at *AT, whose lowest bit is its sign. */
static bool take_number(const char **at, const char *end, int64_t *sum)
{
	uint64_t number = 0;
	for (unsigned shift = 0; *at < end && shift < NUMBER_BITS; shift += DIGIT_BITS) {
		int digit = digit_of(**at);
		if (digit < 0)
			return false;
		++*at;
		number |= (uint64_t)(digit & 31) << shift;
		if (digit & 32)
			continue;
		int64_t size = (int64_t)(number >> 1);
		*sum += number & 1 ? -size : size;
		return *sum >= 0 && *sum < UINT32_MAX;
	}
	return false;
}

/* Each number is told as the difference to the last one of its kind. */
static bool take_segment(
	const char **at, const char *end, int64_t fields[FIELDS], int *count)
{
	*count = 0;
	while (*at < end && **at != ',' && **at != ';')
		if (*count == FIELDS || !take_number(at, end, &fields[(*count)++]))
			return false;
	return *count == 1 || *count == WITH_SOURCE || *count == FIELDS;
}

static uint32_t index_of(int64_t number, size_t first, size_t len)
{
	return (uint64_t)number < len - first ? (uint32_t)(first + (uint64_t)number)
					      : UINT32_MAX;
}

bool v8_source_map_add(struct v8_source_map *map, const char *mappings, size_t length,
	struct v8_place_in_text first, size_t first_source, size_t first_name,
	struct error *err)
{
	const char *at = mappings, *end = mappings + length;
	int64_t fields[FIELDS] = {first.column};
	uint32_t line = first.line;
	while (at < end) {
		int count;
		if (*at == ',' || *at == ';') {
			line += *at == ';';
			fields[COLUMN] = *at == ';' ? 0 : fields[COLUMN];
			at++;
			continue;
		}
		if (!take_segment(&at, end, fields, &count))
			return error_set(err, "its mappings are damaged");
		if (map->segments.len == V8_SEGMENTS_MAX)
			return error_set(
				err, "it has more than %d mappings", V8_SEGMENTS_MAX);
		bool has_source = count >= WITH_SOURCE;
		struct v8_segment segment = {{line, (uint32_t)fields[COLUMN]},
			has_source
				? index_of(fields[SOURCE], first_source, map->sources.len)
				: UINT32_MAX,
			count == FIELDS
				? index_of(fields[NAME], first_name, map->names.len)
				: UINT32_MAX,
			(uint32_t)fields[LINE] + 1};
		vec_push(&map->segments, segment);
	}
	return true;
}

static int compare(struct v8_place_in_text a, struct v8_place_in_text b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.column < b.column ? -1 : a.column > b.column;
}

static int compare_segments(const void *a, const void *b)
{
	return compare(
		((const struct v8_segment *)a)->at, ((const struct v8_segment *)b)->at);
}

void v8_source_map_settle(struct v8_source_map *map)
{
	const struct v8_segment *list = map->segments.data;
	size_t i = 1;
	while (i < map->segments.len && compare(list[i - 1].at, list[i].at) <= 0)
		i++;
	if (i < map->segments.len) /* the standard does not ask for it */
		qsort(map->segments.data, map->segments.len, sizeof(*list),
			compare_segments);
}

const struct v8_segment *v8_source_map_find(
	const struct v8_source_map *map, struct v8_place_in_text at)
{
	size_t low = 0, high = map->segments.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare(map->segments.data[middle].at, at) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	const struct v8_segment *found = low > 0 ? &map->segments.data[low - 1] : NULL;
	return found && found->at.line == at.line ? found : NULL;
}

/* --- paths ------------------------------------------------------------------------------ */

/* What is behind the scheme and the host of the URL TEXT; NULL: it is none. */
static const char *behind_host(const char *text)
{
	size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz-+.");
	if (scheme == 0 || strncmp(text + scheme, "://", 3) != 0)
		return NULL;
	text += scheme + 3;
	return text + strcspn(text, "/");
}

/* PATH without "." and, where it can be, without "..". */
static char *shorten(const char *path)
{
	char *out = mem_alloc(strlen(path) + 2), *end = out;
	const char *floor = out; /* what is before it stays: "/", "../../" */
	bool has_root = *path == '/';
	if (has_root)
		floor = end = stpcpy(out, "/");
	for (size_t length; *path; path += length) {
		path += strspn(path, "/");
		length = strcspn(path, "/");
		bool is_up = length == 2 && path[0] == '.' && path[1] == '.';
		if (length == 0 || (length == 1 && *path == '.'))
			continue;
		if (is_up && end > floor) {
			do
				end--;
			while (end > floor && end[-1] != '/');
			continue;
		}
		if (is_up && has_root)
			continue; /* above the root is the root */
		memcpy(end, path, length);
		end += length;
		*end++ = '/';
		if (is_up)
			floor = end;
	}
	if (end > out + 1)
		end--;
	*end = '\0';
	return out;
}

char *v8_source_map_path(const char *folder, const char *root, const char *source)
{
	bool is_whole = source[0] == '/' || behind_host(source);
	char *text = mem_printf(
		"%s%s%s", is_whole ? "" : root, is_whole || !root[0] ? "" : "/", source);
	const char *path = behind_host(text);
	if (path && strncmp(text, "file:", 5) != 0)
		path += strspn(path, "/");
	else if (!path)
		path = text;
	bool counts = path == text && text[0] != '/' && folder[0];
	char *joined =
		mem_printf("%s%s%s", counts ? folder : "", counts ? "/" : "", path);
	char *out = shorten(joined);
	free(joined);
	free(text);
	return out;
}

/* ---------------------------------------------------------------------------------------- */

size_t v8_source_map_bytes(const struct v8_source_map *map)
{
	return map->segments.cap * sizeof(*map->segments.data) +
	       (map->sources.cap + map->names.cap) * sizeof(char *);
}

void v8_source_map_finish(struct v8_source_map *map)
{
	vec_free(&map->segments);
	vec_free(&map->sources);
	vec_free(&map->names);
}
