/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late-names: put lines and names into the history that become known after samples were
 * named.
 *
 * These are source lines, names in fetched debug files, and names that a JIT compiler
 * writes after its code has run. Each of them replaces a location that samples have by
 * another one (docs/ARCHITECTURE.md, "Names first, lines later"). Analyst thread only.
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
	bool lines_at_once; /* look them up while sampling, not only for a request */
	uint64_t taken_ns;  /* when names were last put into the history */
};

/* Called regularly: continue the look-ups, and now and then put what is known into the
   history, which goes through all of it. */
void late_names_follow(struct late_names *late, uint64_t now_ns);

/* Put what is known now into the history. */
void late_names_take(struct late_names *late);

/* Is nothing being looked up or fetched any more? */
bool late_names_are_complete(const struct late_names *late);

/* When there are many names that only forgotten samples used, move to a new profile
   without them; and when a recording has too many different stacks, merge some of them.
   Not before late_names_are_complete, because ids change then: answers for old ids would
   be lost. */
void late_names_renew_worn(struct late_names *late);
void late_names_condense_full(struct late_names *late);

#endif
