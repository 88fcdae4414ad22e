/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renamed: translate function ids of one report to those of another.
 *
 * The screen remembers places (zooms, cursors) by function id. These ids change in two
 * cases. First, when a report uses other naming rules (src/facts/naming.h): then a
 * function corresponds to the one at the same line of the same location. If several
 * functions become one, that is exact; if one becomes several, the one with the most self
 * time is taken. Second, when a report uses another profile (src/facts/renewal.h): then
 * functions with the same name in the same module correspond; if the rules changed at the
 * same time, none do. UI thread.
 */
#ifndef CPROFTOP_UI_RENAMED_H
#define CPROFTOP_UI_RENAMED_H

#include "src/base/idmap.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct renamed {
	struct idmap ids; /* (old function, 0) -> new function */
	/* the old profile, if the new report has another; else NULL */
	const struct profile *before;
	uint32_t n_before;  /* functions that it had */
	struct idmap names; /* in that case: (name, module), hashed -> new function */
};

/* Are ids of BEFORE different from those of NOW? */
bool renamed_differ(const struct report *before, const struct report *now);

/* BEFORE was built before NOW, and must outlive this. */
void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now);
void renamed_finish(struct renamed *renamed);

/* The new id of FUNCTION. If it is not known: FUNCTION itself, or in another profile
   PROFILE_NONE. */
uint32_t renamed_function(const struct renamed *renamed, uint32_t function);

/* Translate PATH in place. Returns how many of its functions are known, counted from the
   outer end. */
size_t renamed_path(const struct renamed *renamed, uint32_t *path, size_t length);

#endif
