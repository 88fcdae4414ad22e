/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-map-json.h"

#include "src/base/clean.h"
#include "src/base/json-tree.h"

#include <stdlib.h>
#include <string.h>

enum {
	TEXTS_BYTES = 16 << 20, /* of names, and of sources with the folder of each */
	TEXT_BYTES = 24,	/* what each costs beside its characters */
};

/* What all parts of a map have in common. */
struct reading {
	struct v8_source_map *map;
	const char *folder;
	struct strpool *texts;
	size_t bytes; /* of texts so far */
};

static bool charge(struct reading *reading, size_t bytes, struct error *err)
{
	reading->bytes += bytes;
	return reading->bytes <= TEXTS_BYTES ||
	       error_set(err, "it has more than %d MiB of names", TEXTS_BYTES >> 20);
}

static const char *keep(struct reading *reading, const char *text)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, strlen(text));
	return strpool_intern(reading->texts, clean);
}

/* "" if VALUE is no text. Bundlers begin the names of modules that they have made up with a NUL. */
static const char *text_of(const json_t *value)
{
	const char *text = json_is_string(value) ? json_string_value(value) : "";
	return text[0] == '\0' && json_string_length(value) > 1 ? text + 1 : text;
}

static bool take_sources(struct reading *reading, const json_t *root, struct error *err)
{
	const json_t *sources = json_object_get(root, "sources");
	const char *below = text_of(json_object_get(root, "sourceRoot"));
	size_t beside = strlen(reading->folder) + strlen(below) + TEXT_BYTES;
	for (size_t i = 0; i < json_array_size(sources); i++) {
		const char *source = text_of(json_array_get(sources, i));
		if (!charge(reading, beside + strlen(source), err))
			return false;
		char *path = v8_source_map_path(reading->folder, below, source);
		vec_push(&reading->map->sources, keep(reading, source[0] ? path : ""));
		free(path);
	}
	return true;
}

static bool take_names(struct reading *reading, const json_t *root, struct error *err)
{
	const json_t *names = json_object_get(root, "names");
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = text_of(json_array_get(names, i));
		if (!charge(reading, strlen(name) + TEXT_BYTES, err))
			return false;
		vec_push(&reading->map->names, keep(reading, name));
	}
	return true;
}

static bool take_map(struct reading *reading, const json_t *root,
	struct v8_place_in_text first, struct error *err)
{
	struct v8_source_map *map = reading->map;
	size_t n_sources = map->sources.len, n_names = map->names.len;
	const json_t *mappings = json_member(root, "mappings", JSON_STRING, err);
	return mappings && take_sources(reading, root, err) &&
	       take_names(reading, root, err) &&
	       v8_source_map_add(map, json_string_value(mappings),
		       json_string_length(mappings), first, n_sources, n_names, err);
}

static bool take_section(
	struct reading *reading, const json_t *section, struct error *err)
{
	struct v8_place_in_text first;
	const json_t *offset = json_object_get(section, "offset");
	if (!json_index(json_object_get(offset, "line"), UINT32_MAX / 2, &first.line) ||
		!json_index(
			json_object_get(offset, "column"), UINT32_MAX / 2, &first.column))
		return error_set(err, "has a section without a place");
	return take_map(reading, json_object_get(section, "map"), first, err);
}

bool v8_map_json_read(struct v8_source_map *map, const char *bytes, size_t size,
	const char *folder, struct strpool *texts, struct error *err)
{
	struct reading reading = {map, folder, texts, 0};
	size_t needed;
	json_t *root = json_tree_parse(bytes, size, JSON_ALLOW_NUL, &needed, err);
	const json_t *sections = json_object_get(root, "sections");
	bool is_read = root != NULL;
	if (root && !sections)
		is_read = take_map(&reading, root, (struct v8_place_in_text){0, 0}, err);
	for (size_t i = 0; is_read && i < json_array_size(sections); i++)
		is_read = take_section(&reading, json_array_get(sections, i), err);
	json_decref(root);
	v8_source_map_settle(map);
	return is_read;
}
