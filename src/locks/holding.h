/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holding: what the holder of a lock did while others waited for it.
 *
 * A moment of a report stands for the time that passed since the thread's moment before: it
 * weighs so much. So where a moment of a waiter overlaps one of the thread that held the lock
 * then, the holder's stack is where it was while it kept the other waiting. Whoever may read
 * the report.
 */
#ifndef CPROFTOP_HOLDING_H
#define CPROFTOP_HOLDING_H

#include "src/locks/lock.h"
#include "src/report/report.h"

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
};

/* Fill in the `stacks` of each lock, from the moments of REPORT. */
void holding_add(struct locks *locks, const struct report *report,
	const struct wait_of_stack *waits);

#endif
