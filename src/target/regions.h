/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions: the lines of one reading of /proc/PID/maps, sorted.
 *
 * A value that owns its text and its paths; zeroed is none. What was found out about a
 * region is handed on to the next reading if its code is the same there. Analyst thread
 * only.
 */
#ifndef CPROFTOP_REGIONS_H
#define CPROFTOP_REGIONS_H

#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/target/code-watch.h"
#include "src/target/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regions {
	char *text; /* of maps; raw paths point into it */
	size_t text_length;
	struct strpool paths; /* cleaned */
	VEC(struct region) list;
};

/* Take TEXT apart; it is copied. */
struct regions regions_parse(const char *text, size_t length);
void regions_finish(struct regions *regions);

/* What NOW has in common with BEFORE keeps what was found out about it; WATCH is told of
   code that has come or is lost. True if all code is the same. */
bool regions_inherit(
	struct regions *now, const struct regions *before, struct code_watch *watch);

/* The one that holds ADDRESS, or NULL. */
struct region *regions_find(const struct regions *regions, uint64_t address);

/* Where the vDSO is in maps text, 0 if it is not there. It is put at random by exec. */
uint64_t regions_vdso(const char *text, size_t length);

#endif
