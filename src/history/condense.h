/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condense: what a recording gives up when it has grown too large.
 *
 * A recording keeps all samples, merging equal ones. What still grows are stacks that
 * occur only once, such as those of code that is compiled again and again, and threads
 * that come and go. The rarest of them are merged: the inner frames of a stack that few
 * samples reached are replaced by one, "[rare stacks]", below the innermost frame that
 * many reached; and threads that have ended and did little become one, "[ended threads]".
 * The sums of all weights stay the same. Analyst thread only.
 */
#ifndef CPROFTOP_CONDENSE_H
#define CPROFTOP_CONDENSE_H

#include "src/base/map.h"
#include "src/history/accounts.h"
#include "src/history/stacktab.h"
#include "src/history/window.h"
#include "src/model/profile.h"

#include <stddef.h>
#include <stdint.h>

#define RARE_STACKS   "[rare stacks]"
#define ENDED_THREADS "[ended threads]"

/* Keep only about KEEP nodes of the stacks that SAMPLES have, the heaviest. This adds
   nodes to the table, so copy what is still in use into another table afterwards. With
   SEVERAL processes the outermost frame is kept, because it names the process. */
void condense_stacks(struct window *samples, struct stacktab *stacktab,
	struct profile *profile, size_t keep, bool several);

/* Keep only KEEP threads, the heaviest, and those in ALIVE, a set of (id in the profile,
   0). */
void condense_threads(struct window *samples, struct accounts *accounts,
	struct profile *profile, size_t keep, const struct map *alive);

#endif
