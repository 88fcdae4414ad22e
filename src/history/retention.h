/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retention: what the history keeps, and for how long.
 *
 * A live session keeps samples up to an age and a number of bytes, and as many bytes again
 * of stacks and of names. A recording keeps every sample and merges equal ones; if that
 * grows too large, it gives up detail. Four verbs:
 *
 *	trim      stay within the bounds, often: samples, marks and accounts that are too
 *	          old, threads that have ended, stacks that no sample has; or merge samples
 *	forget    drop everything before an instant (a recording in parts); clear drops all
 *	condense  a recording gives up rare stacks and ended threads (src/history/condense.h)
 *	renew     go on in a new profile, with only the names that are still needed
 *
 * Reports that were made before keep the stacks and names that they need. Analyst thread
 * only.
 */
#ifndef CPROFTOP_RETENTION_H
#define CPROFTOP_RETENTION_H

#include "src/history/history.h"

#include <stdbool.h>
#include <stdint.h>

/* Stay within the bounds. If stacks or names of the samples alone take more than half of
   their share, the older half of the samples goes. */
void retention_trim(struct history *history, uint64_t now_ns);

/* Forget what was before TIME_NS. A sample that comes later and belongs before it counts
   as of TIME_NS, so that the report of all until TIME_NS and the report of all since have
   each sample once. */
void retention_forget(struct history *history, uint64_t time_ns);

/* Forget all samples. Names, threads and accounts stay. */
void retention_clear(struct history *history);

/* Is a recording so large that it has to be condensed? A renewal has to follow. */
bool retention_wants_condensing(const struct history *history);
void retention_condense(struct history *history);

/* Are there so many names that those still needed should move to a new profile? */
bool retention_wants_renewal(const struct history *history);

/* Move to the new profile of RENEWAL. The old ids mean nothing any more. If what is still
   needed takes more than half of what is allowed, the older half of the samples goes, and
   another renewal is wanted at once. */
void retention_renew(struct history *history, struct renewal *renewal);

#endif
