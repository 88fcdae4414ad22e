/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-maps.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/text/base64.h"
#include "src/read/runtimes/v8/v8-map-file.h"
#include "src/read/runtimes/v8/v8-map-json.h"

#include <stdlib.h>
#include <string.h>

/* "" of a path that is not whole. */
static char *folder_of(const char *path)
{
	size_t length = path[0] == '/' ? (size_t)(strrchr(path, '/') - path) : 0;
	return mem_printf("%.*s", (int)(length ? length : path[0] == '/'), path);
}

/* The map that URL is ("data:application/json;charset=utf-8;base64,..."). */
static char *read_inline(const char *url, size_t *size, struct error *err)
{
	static const char mark[] = ";base64,";
	const char *text = strstr(url, mark);
	size_t length = text ? strlen(text += sizeof(mark) - 1) : 0;
	char *bytes = mem_alloc(length / 4 * 3 + 1);
	if (length > 0 && base64_get(text, length, (uint8_t *)bytes, size))
		return bytes;
	free(bytes);
	error_set(err, "the map in it is not in base64");
	return NULL;
}

static bool read_map(struct v8_maps *maps, struct v8_source_map *map,
	struct strpool *texts, const char *script, const char *url, struct error *err)
{
	char *folder = folder_of(script), *path = NULL, *bytes;
	size_t size = 0;
	if (strncmp(url, "data:", 5) == 0) {
		bytes = read_inline(url, &size, err);
		if (!bytes)
			error_prefix(err, "%s", script);
	} else {
		path = v8_source_map_path(folder, "", url);
		bytes = v8_map_file_read(maps->dir, path, &size, err);
		free(folder);
		folder = folder_of(path);
	}
	bool is_read = bytes != NULL;
	maps->read_bytes += size;
	if (is_read && !v8_map_json_read(map, bytes, size, folder, texts, err))
		is_read = error_prefix(err, "%s", path ? path : script);
	free(bytes);
	free(folder);
	free(path);
	return is_read;
}

void v8_maps_read(struct v8_maps *maps, struct v8_source_map *map, struct strpool *texts,
	const char *script, uint32_t n_lines, const char *url)
{
	struct error err = {""};
	size_t texts_bytes = strpool_bytes(texts);
	bool is_read =
		maps->kept_bytes < V8_MAPS_KEPT_MAX && maps->read_bytes < V8_MAPS_READ_MAX
			? read_map(maps, map, texts, script, url, &err)
			: error_set(&err, "%s: there is no room for more", script);
	const struct v8_segment *last =
		map->segments.len > 0 ? &map->segments.data[map->segments.len - 1] : NULL;
	if (is_read && last && last->at.line >= n_lines)
		is_read = error_set(
			&err, "%s: its map is of another, which has more lines", script);
	if (!is_read)
		v8_source_map_finish(map);
	maps->kept_bytes += v8_source_map_bytes(map) + strpool_bytes(texts) - texts_bytes;
	if (is_read || maps->refusal.text[0])
		return;
	error_prefix(&err, "no source map");
	clean_text(maps->refusal.text, sizeof(maps->refusal.text), err.text,
		strlen(err.text));
}
