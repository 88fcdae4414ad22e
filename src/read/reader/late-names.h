/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late-names: tell lines and names that become known after samples were named.
 *
 * These are source lines, names in fetched debug files, and names that a JIT compiler
 * writes after its code has run. Each of them replaces a location that samples have by
 * another one (docs/ARCHITECTURE.md, "Names first, lines later"). The reader's only thread.
 */
#ifndef CPROFTOP_LATE_NAMES_H
#define CPROFTOP_LATE_NAMES_H

#include "src/read/names/line-resolver.h"
#include "src/read/reader/intakes.h"
#include "src/read/tell/teller.h"

#include <stdbool.h>
#include <stdint.h>

struct late_names {
	/* Borrowed: */
	struct teller *teller;
	struct intakes *intakes;
	struct line_resolver *lines; /* NULL: no lines */
	bool lines_at_once; /* look them up while sampling, not only for a request */
	uint64_t taken_ns;  /* when names were last told */
	size_t worn_bytes;  /* so many bytes of names are too many; 0: not known yet */
};

/* Called regularly: continue the look-ups, and now and then tell what is known. */
void late_names_follow(struct late_names *late, uint64_t now_ns);

/* Tell what is known now. */
void late_names_take(struct late_names *late);

/* Is nothing being looked up or fetched any more? */
bool late_names_are_complete(const struct late_names *late);

/* Begin a generation, if names are complete, because answers for old ids would be lost; and if
   it IS_WANTED, or there are too many names. True if it was done. */
bool late_names_renew(struct late_names *late, bool is_wanted);

#endif
