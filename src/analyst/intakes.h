/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intakes: all processes that one analyst takes records from.
 *
 * Their records are taken in the order of time across all rings, because they go into one
 * history. A process that has ended is removed when its lines are known, or after 10 s.
 * Analyst thread only.
 */
#ifndef CPROFTOP_INTAKES_H
#define CPROFTOP_INTAKES_H

#include "src/analyst/intake.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A zeroed struct is empty and valid. */
struct intakes {
	VEC(struct intake *) list;
	/* the accounts of all processes are complete up to this time */
	uint64_t surveyed_ns;
	bool any;			/* at least one was added */
	struct line_resolver *resolver; /* borrowed; NULL: no lines */
};

void intakes_finish(struct intakes *intakes);

bool intakes_add(
	struct intakes *intakes, const struct intake_options *options, struct error *err);

/* Take all records that wait. */
void intakes_drain(struct intakes *intakes);

/* At least one was added, and no more records will come from any. */
bool intakes_ended(const struct intakes *intakes);

void intakes_refresh(struct intakes *intakes, uint64_t now_ns);

/* The state of thread TID of process PID, as intake_thread_state; PID 0: the only
   process. */
char intakes_thread_state(const struct intakes *intakes, pid_t pid, pid_t tid);

/* Why the JIT code of process *PID has no names; NULL if nothing is wrong. */
const char *intakes_refusal(const struct intakes *intakes, pid_t *pid);

/* For all processes: see the symbolizer's functions, and line_resolver_deaths. */
void intakes_ask_lines(struct intakes *intakes);
bool intakes_have_lines(const struct intakes *intakes);
unsigned intakes_lines_deaths(const struct intakes *intakes);
void intakes_take_lines(struct intakes *intakes, struct map *renamed);

/* Move all of them and HISTORY to a new profile. Only call it when no lines are being
   looked up. */
void intakes_renew(struct intakes *intakes, struct history *history);

/* With several processes: ask for the lines of those that have ended, and remove them
   when the lines are known or after 10 s. The renamed locations are put into RENAMED.
   True if any process was removed. */
bool intakes_retire(struct intakes *intakes, uint64_t now_ns, struct map *renamed);

#endif
