/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming: the names of code, by rules that a person chooses.
 *
 * The profile keeps the full name of everything, with all inlined functions. A report may
 * want shorter names (no parameters, inlined functions folded into their caller) or
 * something else in their place (the line, the module, the address). So a report does not
 * read the profile's locations directly, but through a naming: two tables with a row for
 * each location of the profile. They are made when a set of rules is first asked for, and
 * grow with the profile. A person's own rules for names and frames (src/facts/rewrite.h)
 * are one more step on the way.
 *
 * A naming demangles nothing: symbols are hostile, and main has rights. What is shorter than
 * a full name the reader has told (struct function), and only text is cut here.
 *
 * Derived functions are added to the profile like any other. Two functions of a module
 * that get the same name become one function, so their weights add up. Rules that are all
 * 0 stand for the profile's own names and need no tables.
 *
 * Analyst thread only; the tables of a report may also be read by the thread that owns
 * the report (src/base/table.h).
 */
#ifndef CPROFTOP_NAMING_H
#define CPROFTOP_NAMING_H

#include "src/facts/demangle.h"
#include "src/facts/naming-processes.h"
#include "src/facts/profile.h"
#include "src/facts/rewrite.h"

#include <stdbool.h>
#include <stdint.h>

/* What is counted as one row. */
enum naming_granularity {
	NAMING_FUNCTION,
	NAMING_LINE,	/* "compute main.c:23"; a function without lines is one line */
	NAMING_MODULE,	/* "libc.so.6"; calls within a module are not shown */
	NAMING_ADDRESS, /* "compute 0x55d0c7a3f208" */
	NAMING_GRANULARITIES
};

/* Its name as a value of --granularity: "function", "line", "module", "address". */
const char *naming_granularity_name(enum naming_granularity granularity);

struct naming_rules {
	enum demangle_style style;
	enum naming_granularity granularity;
	/* show only the real function, at the line of the inlined call */
	bool fold_inlines;
	enum naming_processes processes;
	char edits[REWRITE_TEXT_MAX]; /* src/facts/rewrite.h; what is not valid is "" */
};

bool naming_rules_same(const struct naming_rules *a, const struct naming_rules *b);

struct naming;

/* PROFILE is borrowed, must outlive the naming, and gets the derived functions. */
struct naming *naming_create(struct profile *profile); /* one reference */
struct naming *naming_ref(struct naming *naming);      /* any thread; NULL is fine */
void naming_unref(struct naming *naming);	       /* any thread; NULL is fine */

/* The tables for RULES, with a row for each location that the profile has now. A NULL
   table stands for the profile's own locations. */
struct naming_tables {
	const struct table *described; /* functions with their names */
	const struct table *counted;   /* by granularity, too */
};

struct naming_tables naming_tables(
	struct naming *naming, const struct naming_rules *rules);

/* The rules of RULES' edits, compiled; NULL if there are none, or they are not valid. Lives
   as long as the naming. */
const struct rewrite *naming_rewrite(
	struct naming *naming, const struct naming_rules *rules);

/* THREAD, an id of the profile, under the name that RULES give it. */
uint32_t naming_thread(
	struct naming *naming, const struct naming_rules *rules, uint32_t thread);

/* Location ID as TABLE has it; NULL: as the profile has it. */
static inline const struct location *naming_location(
	const struct profile *profile, const struct table *table, uint32_t id)
{
	if (!table)
		return profile_location(profile, id);
	return *(const struct location *const *)table_at(table, id);
}

#endif
