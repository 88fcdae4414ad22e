/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source map: of all bytes, and of the same as nothing but mappings. What it says of a place is in its
 * tables, and safe to show. */

#include "tests/fuzz/fuzz.h"

#include "src/base/clean.h"
#include "src/read/runtimes/v8/v8-map-json.h"

#include <stdbool.h>
#include <string.h>

static void check(struct v8_source_map *map)
{
	for (uint32_t line = 0; line < 4; line++)
		for (uint32_t column = 0; column < 99; column += 7) {
			struct v8_place_in_text at = {line, column};
			const struct v8_segment *segment = v8_source_map_find(map, at);
			if (!segment)
				continue;
			FUZZ_CHECK(
				segment->at.line == line && segment->at.column <= column);
			FUZZ_CHECK(segment->source == UINT32_MAX ||
				   segment->source < map->sources.len);
			FUZZ_CHECK(segment->name == UINT32_MAX ||
				   segment->name < map->names.len);
		}
	vec_each (&map->sources, source)
		FUZZ_CHECK(clean_is(*source, strlen(*source)));
	vec_each (&map->names, name)
		FUZZ_CHECK(clean_is(*name, strlen(*name)));
	v8_source_map_finish(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const words[] = {"a", "b"};
	struct v8_source_map map = {0};
	struct strpool texts = {0};
	const char *text = (const char *)bytes;
	bool is_read = v8_map_json_read(&map, text, size, "/app", &texts, NULL);
	FUZZ_CHECK(!is_read || map.segments.len <= size);
	check(&map);
	for (size_t i = 0; i < 2; i++) {
		vec_push(&map.sources, words[i]);
		vec_push(&map.names, words[i]);
	}
	v8_source_map_add(&map, text, size, (struct v8_place_in_text){1, 5}, 0, 1, NULL);
	v8_source_map_settle(&map);
	check(&map);
	strpool_finish(&texts);
	return 0;
}
