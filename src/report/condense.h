/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condense: what a recording gives up when it has grown too large.
 *
 * A recording keeps everything, and equal samples are one. What grows all the same are
 * stacks that are met once, as of code that is compiled anew all the time, and threads
 * that come and go. The rarest of these become alike: the inner frames of a stack that
 * few samples reached become one, "[rare stacks]", below the innermost frame that many
 * did, and threads that have ended and did little become one, "[ended threads]". All
 * weights are counted as before. Analyst thread only.
 */
#ifndef CPROFTOP_CONDENSE_H
#define CPROFTOP_CONDENSE_H

#include "src/base/map.h"
#include "src/model/profile.h"
#include "src/report/accounts.h"
#include "src/report/stacktab.h"
#include "src/report/window.h"

#include <stddef.h>
#include <stdint.h>

#define RARE_STACKS   "[rare stacks]"
#define ENDED_THREADS "[ended threads]"

/* Give up all but about KEEP nodes of the stacks that SAMPLES have, the heaviest. The
   table grows by it: what is live is to be copied into another one. The outermost frame
   stays with SEVERAL, for it is the process. */
void condense_stacks(struct window *samples, struct stacktab *stacktab,
	struct profile *profile, size_t keep, bool several);

/* Give up all but KEEP threads, the heaviest, and those that are in ALIVE: (id in the
   profile, 0). */
void condense_threads(struct window *samples, struct accounts *accounts,
	struct profile *profile, size_t keep, const struct map *alive);

#endif
