/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condense: which detail a recording gives up when it has grown too large.
 *
 * A recording keeps all samples and merges equal ones. It still grows with stacks that
 * occur only once (for example of code that is compiled again and again) and with threads
 * that come and go. The rarest of these are merged. In a stack, the inner frames that few
 * samples reached are replaced by one frame, "[rare stacks]", below the innermost frame
 * that many samples reached. The innermost frame of all stays below that if many samples are
 * in it, however they came there: so the time of functions itself remains true where a
 * recursion makes each stack another. Threads that have ended and did little become one thread,
 * "[ended threads]". The sums of all weights stay the same. Analyst thread only.
 */
#ifndef CPROFTOP_CONDENSE_H
#define CPROFTOP_CONDENSE_H

#include "src/base/idmap.h"
#include "src/facts/profile.h"
#include "src/keep/accounts.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"

#include <stddef.h>
#include <stdint.h>

#define RARE_STACKS   "[rare stacks]"
#define ENDED_THREADS "[ended threads]"

/* Keep about KEEP nodes of the stacks of SAMPLES, those with the greatest weight. This
   adds nodes to the table, so the caller then copies the stacks still in use into a new
   table. With SEVERAL processes the outermost frame is kept, because it names the
   process. */
void condense_stacks(struct sample_log *samples, struct stacktab *stacktab,
	struct profile *profile, size_t keep, bool several);

/* Keep the KEEP threads with the greatest weight, and those in ALIVE, a set of (id in the
   profile, 0). */
void condense_threads(struct sample_log *samples, struct accounts *accounts,
	struct profile *profile, size_t keep, const struct idmap *alive);

#endif
