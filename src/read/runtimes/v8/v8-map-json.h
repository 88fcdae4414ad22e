/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-map-json: a source map as it is written, in JSON (ECMA-426): one map, or several of parts
 * of the code ("sections").
 *
 * It may be hostile: what it may cost is bounded (src/base/json-tree.h). In a build without jansson
 * none is read. One thread.
 */
#ifndef CPROFTOP_V8_MAP_JSON_H
#define CPROFTOP_V8_MAP_JSON_H

#include "src/base/strpool.h"
#include "src/read/runtimes/v8/v8-source-map.h"

/* Read BYTES into MAP, which is empty, and to be finished in any case. FOLDER: where the map lies. The
   texts of MAP are cleaned, and are of TEXTS. False and ERR, which does not name it, if it is none. */
bool v8_map_json_read(struct v8_source_map *map, const char *bytes, size_t size,
	const char *folder, struct strpool *texts, struct error *err);

#endif
