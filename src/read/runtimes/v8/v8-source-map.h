/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-source-map: where the author wrote what a bundler or a transpiler has made of it.
 *
 * The positions of a source map (ECMA-426): each says of a place in the generated code in which
 * source and line it was written; it holds up to the next one, or to the end of the line. All
 * of it may be hostile. Pure; one thread.
 */
#ifndef CPROFTOP_V8_SOURCE_MAP_H
#define CPROFTOP_V8_SOURCE_MAP_H

#include "src/base/error.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	V8_SEGMENTS_MAX = 4 << 20, /* some 20 MB of generated code */
};

/* In the generated code, from 0; columns are in UTF-16 units, as V8 counts, too. */
struct v8_place_in_text {
	uint32_t line, column;
};

struct v8_segment {
	struct v8_place_in_text at;
	uint32_t source, name; /* indices; UINT32_MAX: it has none */
	uint32_t line;	       /* in the source, from 1 */
};

/* A zeroed struct is empty and valid. The texts are borrowed. */
struct v8_source_map {
	VEC(struct v8_segment) segments;
	VEC(const char *) sources, names;
};

/* Take MAPPINGS, of LENGTH bytes, of code that begins at FIRST. What they count from are the sources from
   FIRST_SOURCE on, and the names from FIRST_NAME on; all of them are in MAP. */
bool v8_source_map_add(struct v8_source_map *map, const char *mappings, size_t length,
	struct v8_place_in_text first, size_t first_source, size_t first_name,
	struct error *err);

/* To be called before the first question. */
void v8_source_map_settle(struct v8_source_map *map);

/* What holds at AT, of which its AT may be before that; NULL: nothing does. */
const struct v8_segment *v8_source_map_find(
	const struct v8_source_map *map, struct v8_place_in_text at);

/* The path of SOURCE, which a map in FOLDER names, below ROOT, which may be "" (sourceRoot). What is of no
   file system (webpack://app/./src/a.ts) is a path from where the process is. To be freed. */
char *v8_source_map_path(const char *folder, const char *root, const char *source);

/* Memory in bytes, without texts. */
size_t v8_source_map_bytes(const struct v8_source_map *map);

void v8_source_map_finish(struct v8_source_map *map);

#endif
