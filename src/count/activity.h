/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * activity: where the time of the target's threads goes, in a few words.
 *
 * How long they ran, waited for a CPU and slept is the kernel's account. What they slept for
 * was looked at when each report was made, so that is an estimate, of the last reports. Threads
 * that do next to nothing but sleep wait for work, and would hide what the others do: they are
 * only counted, unless there are no others. Whoever may read the report.
 */
#ifndef CPROFTOP_ACTIVITY_H
#define CPROFTOP_ACTIVITY_H

#include "src/count/report.h"

#include <stddef.h>

/* Zeroed it has seen nothing. */
struct activity {
	double looks[TASK_WAITS]; /* what threads slept for; of earlier reports less */
};

/* Add what REPORT, a new one, has seen. */
void activity_look(struct activity *activity, const struct report *report);

/* "39% running, 10% wants a CPU, 45% network, 2 idle"; "" if it is not known. */
void activity_describe(const struct activity *activity, const struct report *report,
	char *text, size_t size);

#endif
