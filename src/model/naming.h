/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming: what the code at a location is called, by rules that a person chooses.
 *
 * The profile keeps one name for everything: the full one, with all inlined functions. A
 * report may want less of it (no parameters, inlined functions folded into their caller)
 * or something else in its place (the line, the module, the address). So a report does
 * not read the profile's locations, but what a naming makes of them: two tables with a
 * row for each location of the profile, made when the rules are first asked for and
 * longer as the profile grows. What is derived are functions like any other, added to the
 * profile: two that look alike in one module are one, so that rows add up under what they
 * are called. A profile whose rules are all 0 is named as it is, at no cost.
 *
 * Analyst thread only; a report's tables may be read by its owner (src/base/table.h).
 */
#ifndef CPROFTOP_NAMING_H
#define CPROFTOP_NAMING_H

#include "src/model/demangle.h"
#include "src/model/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* What is counted as one. */
enum naming_granularity {
	NAMING_FUNCTION,
	NAMING_LINE,	/* "compute main.c:23"; a function without lines is one line */
	NAMING_MODULE,	/* "libc.so.6"; calls within a module are not shown */
	NAMING_ADDRESS, /* "compute 0x55d0c7a3f208" */
	NAMING_GRANULARITIES
};

/* What --granularity calls it: "function", "line", "module", "address". */
const char *naming_granularity_name(enum naming_granularity granularity);

struct naming_rules {
	enum demangle_style style;
	enum naming_granularity granularity;
	bool fold_inlines; /* only the real function, its line that of the call */
};

bool naming_rules_same(const struct naming_rules *a, const struct naming_rules *b);

struct naming;

/* PROFILE is borrowed, must outlive it, and gets the functions that are derived. */
struct naming *naming_create(struct profile *profile); /* one reference */
struct naming *naming_ref(struct naming *naming);      /* any thread; NULL is fine */
void naming_unref(struct naming *naming);	       /* the same */

/* What RULES make of each location that the profile has now. A location of NULL tables is
   the profile's own. */
struct naming_tables {
	const struct table *described; /* style and inlined functions only */
	const struct table *counted;   /* granularity, too */
};

struct naming_tables naming_tables(
	struct naming *naming, const struct naming_rules *rules);

/* Location ID as TABLE has it; NULL: as the profile has it. */
static inline const struct location *naming_location(
	const struct profile *profile, const struct table *table, uint32_t id)
{
	if (!table)
		return profile_location(profile, id);
	return *(const struct location *const *)table_at(table, id);
}

#endif
