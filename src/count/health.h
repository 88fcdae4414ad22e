/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health: in which files' code stacks broke, why, and what helps.
 *
 * A stack that did not reach its root hangs under the reason (src/facts/callchain.h); its
 * outermost frame is in the file where the unwinder could not go on. A stack that reached
 * its root by a guess hangs under "[approximate stack]" and is not counted in the rows.
 * Made from a report, so the report's filters apply. Plain data, bounded; any thread.
 */
#ifndef CPROFTOP_HEALTH_H
#define CPROFTOP_HEALTH_H

#include "src/count/report.h"
#include "src/facts/callchain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HEALTH_ROWS = 16,
	HEALTH_MODULE_MAX = 64, /* bytes of a name, with NUL; the rest is cut off */
};

struct health_row {
	/* as in struct mapping; "": the stack has no frame with a mapping */
	char module[HEALTH_MODULE_MAX];
	enum unwind_end end;
	bool is_deleted;   /* its file was removed or replaced, and may not be readable */
	bool is_generated; /* in no file, or one that is only memory: a JIT compiler's */
	char runtime[HEALTH_MODULE_MAX]; /* if so: the main executable; "": not known */
	uint64_t samples;
};

struct health {
	uint64_t ends[UNWIND_END_COUNT];     /* samples, by how their stack ended */
	struct health_row rows[HEALTH_ROWS]; /* most samples first */
	size_t n_rows;
	uint64_t others; /* broken stacks that did not fit into the rows */
	/* stacks, broken or not, with frames that were not kept
	   (src/facts/callchain.h) */
	uint64_t folded;
};

void health_of(const struct report *report, struct health *out);

/* Add what PART counted to SUM. */
void health_add(struct health *sum, const struct health *part);

uint64_t health_stacks(const struct health *health); /* all */

/* All stacks but the complete and the approximate ones. */
uint64_t health_broken(const struct health *health);

/* Why the stacks of ROW broke, and what a person can do about it; both are constant
   texts. */
const char *health_reason(const struct health_row *row);
const char *health_remedy(const struct health_row *row);

#endif
