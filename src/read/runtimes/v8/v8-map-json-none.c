/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source maps, in a build without jansson. */
#include "src/read/runtimes/v8/v8-map-json.h"

bool v8_map_json_read(struct v8_source_map *map, const char *bytes, size_t size,
	const char *folder, struct strpool *texts, struct error *err)
{
	(void)map, (void)bytes, (void)size, (void)folder, (void)texts;
	return error_set(
		err, "this cproftop was built without jansson, which reads JSON");
}
