/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retention: what the history keeps, and for how long.
 *
 * A live session keeps samples up to an age and a number of bytes, and the same number of
 * bytes each of stacks and of names. A recording keeps every sample and merges equal
 * ones; if it grows too large, it gives up detail. Four verbs:
 *
 *	trim      stay within the bounds, often: samples, marks and accounts that are too
 *	          old, threads that have ended, stacks that no sample has; or merge samples
 *	forget    drop everything before an instant (a recording in parts); clear drops all
 *	condense  a recording gives up rare stacks and ended threads (src/keep/condense.h)
 *	renew     go on in a new profile, with only the names that are still needed
 *
 * Reports that were made before keep the stacks and names that they need. Analyst thread
 * only.
 */
#ifndef CPROFTOP_RETENTION_H
#define CPROFTOP_RETENTION_H

#include "src/keep/history.h"

#include <stdbool.h>
#include <stdint.h>

/* Stay within the bounds. If the stacks of the samples take more than half of their
   share, the older half of the samples is dropped. */
void retention_trim(struct history *history, uint64_t now_ns);

/* Forget everything before TIME_NS. A sample of an earlier time that arrives later is
   counted as of TIME_NS. So every sample is in exactly one of two reports, the one up to
   TIME_NS and the one from TIME_NS on. */
void retention_forget(struct history *history, uint64_t time_ns);

/* Forget all samples. Names, threads and accounts stay. */
void retention_clear(struct history *history);

/* Is a recording so large that it must be condensed? A renewal must follow. */
bool retention_wants_condensing(const struct history *history);
void retention_condense(struct history *history);

/* Are there so many names that the ones still needed should move to a new profile? */
bool retention_wants_renewal(const struct history *history);

/* Move to the new profile of RENEWAL; ids of the old profile are no longer valid. If the
   names still needed take more than half of their share, the older half of the samples is
   dropped, and another renewal is wanted at once. */
void retention_renew(struct history *history, struct renewal *renewal);

#endif
