/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holding: what the holder of a lock did while others waited for it.
 *
 * Only what a thread did while it held the lock counts. So of its moments those do at whose
 * time a moment says that it was seen to hold the lock (src/read/reader/waits.h): of another
 * thread, that waited for it. They weigh what they weigh, times the number of those who
 * waited then; and all the time that was waited for the lock is shared among them by that, so
 * that the parts add up to it. A wait of the holder for a CPU has no such moment: it counts
 * as far as others waited meanwhile, and is at the last place where the thread was seen to
 * hold the lock. CPU time that no sample was taken of has a place, but says nothing of the lock.
 *
 * Where there is no such moment (locks of files, old recordings) all that the holder did
 * while others waited is taken instead. Whoever may read the report.
 */
#ifndef CPROFTOP_HOLDING_H
#define CPROFTOP_HOLDING_H

#include "src/count/locks/lock.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* By stack of the report: the place in locks.list of what it waits for and who held that;
   LOCK_NONE: it waits for nothing. */
enum {
	LOCK_NONE = UINT32_MAX
};

struct wait_of_stack {
	uint32_t lock;
	pid_t holder; /* 0: not known */
	bool runs;    /* it waits for nothing */
	bool waits_for_cpu;
};

/* Fill in the `stacks` of each lock, from the moments of REPORT. */
void holding_add(struct locks *locks, const struct report *report,
	const struct wait_of_stack *waits);

#endif
