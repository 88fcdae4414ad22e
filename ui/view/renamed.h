/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renamed: translate function ids of one report to those of another.
 *
 * The screen remembers places by function id (zooms, cursors). Two reports of the same
 * samples that name things differently (src/model/naming.h) have different ids for the
 * same code: the function at a line of a location in one report corresponds to the one at
 * the same line of that location in the other. If several functions become one, that is
 * exact; if one becomes several, the one with the most self time is taken. Reports of two
 * profiles (src/model/renewal.h) have different ids for everything: functions with the
 * same name in the same module correspond; if the rules changed at the same time, none
 * do. UI thread.
 */
#ifndef CPROFTOP_UI_RENAMED_H
#define CPROFTOP_UI_RENAMED_H

#include "src/base/map.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct renamed {
	struct map ids; /* (old function, 0) -> new function */
	/* the old profile, if the new report has another; NULL */
	const struct profile *before;
	struct map names; /* then: (name, module), hashed -> new function */
};

/* Do ids of BEFORE have to be translated for NOW? */
bool renamed_differ(const struct report *before, const struct report *now);

/* BEFORE was built before NOW, and must outlive this. */
void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now);
void renamed_finish(struct renamed *renamed);

/* The new id of FUNCTION. If it is not known: FUNCTION itself, or in another profile
   PROFILE_NONE. */
uint32_t renamed_function(const struct renamed *renamed, uint32_t function);

/* Translate PATH in place; returns how much of it is known, counted from its outer
   end. */
size_t renamed_path(const struct renamed *renamed, uint32_t *path, size_t length);

#endif
