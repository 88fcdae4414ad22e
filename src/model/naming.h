/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming: what the code at a location is called, by rules that a person chooses.
 *
 * The profile keeps the full name of everything, with all inlined functions. A report may
 * want shorter names (no parameters, inlined functions folded into their caller) or
 * something else instead (the line, the module, the address). So a report does not read
 * the profile's locations directly but through a naming: two tables with a row for each
 * location of the profile, made when a set of rules is first asked for and extended as
 * the profile grows.
 *
 * Derived functions are added to the profile like any other. Two that look alike in one
 * module are one function, so their rows add up. Rules that are all 0 give the profile's
 * own names and cost nothing.
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
	/* show only the real function, at the line of the inlined call */
	bool fold_inlines;
};

bool naming_rules_same(const struct naming_rules *a, const struct naming_rules *b);

struct naming;

/* PROFILE is borrowed, must outlive the naming, and gets the derived functions. */
struct naming *naming_create(struct profile *profile); /* one reference */
struct naming *naming_ref(struct naming *naming);      /* any thread; NULL is fine */
void naming_unref(struct naming *naming);	       /* the same */

/* The tables for RULES, with a row for each location that the profile has now. A NULL
   table stands for the profile's own locations. */
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
