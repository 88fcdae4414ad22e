/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late-names: put into the history what becomes known after samples were named.
 *
 * Source lines, names in debug files that are fetched, names that a JIT compiler writes
 * after its code has run: each means another location in place of one that samples have
 * (docs/ARCHITECTURE.md, "Names first, lines later"). Analyst thread only.
 */
#ifndef CPROFTOP_LATE_NAMES_H
#define CPROFTOP_LATE_NAMES_H

#include "src/analyst/intakes.h"
#include "src/history/history.h"
#include "src/names/line-resolver.h"

#include <stdbool.h>
#include <stdint.h>

/* All borrowed. */
struct late_names {
	struct history *history;
	struct intakes *intakes;
	struct line_resolver *lines; /* NULL: no lines */
	bool lines_at_once; /* look them up as samples come, not when they are wanted */
	uint64_t taken_ns;  /* when some were put into the history */
};

/* Now and then: go on with what is being looked up, and put what is known into the
   history; not each time, because that means to go through all of it. */
void late_names_follow(struct late_names *late, uint64_t now_ns);

/* Put what is known now into the history. */
void late_names_take(struct late_names *late);

/* Is nothing being looked up, or fetched? */
bool late_names_are_complete(const struct late_names *late);

/* Go on in a new profile. Ids change by that, so what is being looked up would not find
   home: only when they are complete, and taken. */
void late_names_renew(struct late_names *late);

#endif
