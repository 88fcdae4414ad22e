/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intakes: all processes that one analyst takes records from.
 *
 * Their records are taken in the order of time across all rings, because they go into one
 * history. A process that has ended is removed when its lines are known, or after a
 * while. Analyst thread only.
 */
#ifndef CPROFTOP_INTAKES_H
#define CPROFTOP_INTAKES_H

#include "src/analyst/intake.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed is empty. */
struct intakes {
	VEC(struct intake *) list;
	uint64_t surveyed_ns;		/* the accounts of all are complete up to here */
	bool any;			/* there has been one */
	struct line_resolver *resolver; /* borrowed; NULL: no lines */
};

void intakes_finish(struct intakes *intakes);

bool intakes_add(
	struct intakes *intakes, const struct intake_options *options, struct error *err);

/* Take all records that wait. */
void intakes_drain(struct intakes *intakes);

/* There was one, and no record will come any more. */
bool intakes_ended(const struct intakes *intakes);

void intakes_refresh(struct intakes *intakes, uint64_t now_ns);

/* The state of thread TID of process PID; PID 0: of the only process. */
char intakes_thread_state(const struct intakes *intakes, pid_t pid, pid_t tid);

/* Why the JIT code of process *PID has no names; NULL if nothing is wrong. */
const char *intakes_refusal(const struct intakes *intakes, pid_t *pid);

/* As the functions of the symbolizer and the resolver. */
void intakes_ask_lines(struct intakes *intakes);
bool intakes_have_lines(const struct intakes *intakes);
unsigned intakes_lines_deaths(const struct intakes *intakes);
void intakes_take_lines(struct intakes *intakes, struct map *renamed);

/* Move all, and HISTORY, to a new profile. Only when no line is being looked up. */
void intakes_renew(struct intakes *intakes, struct history *history);

/* With several processes: ask for the lines of those that have ended, and remove them
   when their lines are known; the renamed locations go into RENAMED. True if any was
   removed. */
bool intakes_retire(struct intakes *intakes, uint64_t now_ns, struct map *renamed);

#endif
