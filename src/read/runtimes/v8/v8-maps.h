/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-maps: the source maps of the scripts of a process: where they are, and how much of them is
 * read.
 *
 * A script names its map in its last line: a file, mostly beside it, or the map itself. The
 * reader's thread.
 */
#ifndef CPROFTOP_V8_MAPS_H
#define CPROFTOP_V8_MAPS_H

#include "src/base/strpool.h"
#include "src/process/proc-dir.h"
#include "src/read/runtimes/v8/v8-source-map.h"

#include <stdint.h>

enum {
	V8_MAPS_KEPT_MAX = 192 << 20, /* bytes of all maps that are kept, with texts */
	V8_MAPS_READ_MAX = 128 << 20, /* of all that were read: some seconds of work */
};

struct v8_maps {
	const struct proc_dir *dir; /* borrowed; NULL: no map is wanted */
	size_t kept_bytes, read_bytes;
	struct error refusal; /* why the first map that is not used is not; "": all are */
};

/* Read into MAP, which is empty, the map at URL of the script at the path SCRIPT, which has N_LINES
   lines. Its texts are of TEXTS. Without any segment if it cannot be read. */
void v8_maps_read(struct v8_maps *maps, struct v8_source_map *map, struct strpool *texts,
	const char *script, uint32_t n_lines, const char *url);

#endif
