/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-places: where a source file may be that debugging information names.
 *
 * The path is that of the machine where the program was compiled. In this order:
 *
 *	1. for each substitution A=B (--source-map) whose A the path begins with, the same
 *	   path with B in its place
 *	2. in each folder (--source-dir): the whole path below it, then the path without its
 *	   first component, without its first two, and so on, as gdb and pprof search
 *	3. the path as it is, or if it is relative, below the current folder
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_SOURCE_PLACES_H
#define CPROFTOP_SOURCE_PLACES_H

#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>

struct source_rules {
	const char *dirs;	 /* "DIR:DIR"; NULL: none. Borrowed */
	const char *const *maps; /* each "A=B", not empty on the left; borrowed */
	size_t n_maps;
};

struct source_place {
	/* What lies below it is opened with our own rights, because a person named it; NULL:
	   nobody did. Then REST is the whole path. */
	char *base;
	char *rest; /* below the base, without a '/' in front */
};

struct source_places {
	VEC(struct source_place) list;
};

/* Is TEXT "A=B"? */
bool source_map_is_valid(const char *text);

void source_places_find(
	struct source_places *places, const struct source_rules *rules, const char *path);
void source_places_finish(struct source_places *places);

/* "/src/a.c", to be freed. */
char *source_place_path(const struct source_place *place);

#endif
