/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions: the lines of one reading of /proc/PID/maps, sorted by address.
 *
 * Owns its text and its paths; a zeroed one is empty. What was found out about a region
 * is handed on to the next reading if its code is the same there. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_REGIONS_H
#define CPROFTOP_REGIONS_H

#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/facts/stack-link.h"
#include "src/process/code-watch.h"
#include "src/process/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regions {
	char *text; /* of maps; raw paths point into it */
	size_t text_length;
	struct strpool paths; /* cleaned */
	VEC(struct region) list;
	bool is_amended; /* the list is newer than the text: regions_put */
};

/* How the code of one reading differs from that of the one before. */
struct regions_change {
	bool files; /* code of files has come or gone */
	bool loss; /* at an address where there was code there is other code now, or none */
};

/* Parse TEXT, which is copied. */
struct regions regions_parse(const char *text, size_t length);
void regions_finish(struct regions *regions);

/* Copy what was found out about the regions of BEFORE to those of NOW that have the same
   code; tell WATCH of code that has come or gone. */
struct regions_change regions_inherit(
	struct regions *now, const struct regions *before, struct code_watch *watch);

/* NOW, which has no path, is what lies there: it takes the place of what was known. True if code is
   lost by that (struct regions_change). */
bool regions_put(struct regions *regions, struct region now);

/* The region that holds ADDRESS, or NULL. */
struct region *regions_find(const struct regions *regions, uint64_t address);

/* The memory of no file, in OUT; neighbours are one. Returns how many areas there are, MOST
   at most. */
uint32_t regions_anonymous(
	const struct regions *regions, struct stack_bounds *out, uint32_t most);

/* The last part of PATH, as tables show it: "libc.so.6", "[vdso]", "memfd:jit". To be
   freed. */
char *region_module(const char *path);

/* The address of the vDSO in the maps TEXT, 0 if it has none. exec puts it at a random
   place. */
uint64_t regions_vdso(const char *text, size_t length);

/* Is this code of a file called NAME, without its folder; or, if NAME is NULL, code that is in
   the profile? */
bool region_is_wanted(const struct region *region, const char *name);

#endif
