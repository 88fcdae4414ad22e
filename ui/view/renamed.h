/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renamed: where the functions of one report are in another, under other ids.
 *
 * Two reports of the same samples that name things differently (src/model/naming.h) have
 * other function ids for the same code. What stands at a line of a location in the one
 * stands there in the other, too. Where several become one that is exact; where one
 * becomes several it is the one with the most time of its own. Reports of two profiles
 * (src/model/renewal.h) have other ids for everything; what is called the same in the
 * same module is the same, and if the rules changed with it, nothing is known. So places
 * that are remembered by function ids can move along. UI thread.
 */
#ifndef CPROFTOP_UI_RENAMED_H
#define CPROFTOP_UI_RENAMED_H

#include "src/base/map.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct renamed {
	struct map ids; /* (function of the one, 0) -> function of the other */
	const struct profile *before; /* of the one, if it is not the other's; NULL */
	struct map names; /* then: (name, module), hashed -> function of the other */
};

/* Must anything move between the two? */
bool renamed_differ(const struct report *before, const struct report *now);

/* BEFORE was built before NOW, and must outlive this. */
void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now);
void renamed_finish(struct renamed *renamed);

/* What FUNCTION is now. If it is not known: itself, or in another profile
   PROFILE_NONE. */
uint32_t renamed_function(const struct renamed *renamed, uint32_t function);

/* The same for all of PATH, in place: how much of it is known, from its outer end. */
size_t renamed_path(const struct renamed *renamed, uint32_t *path, size_t length);

#endif
