/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-calls: one system call, done by the doorman if a rule grants it.
 */
#ifndef CPROFTOP_DOORMAN_CALLS_H
#define CPROFTOP_DOORMAN_CALLS_H

#include "src/doorman/asked.h"
#include "src/doorman/doorman-open.h"

#include <stdbool.h>

/* Is the second argument of CALL (its number, see syscall(2)) a path? */
bool doorman_call_has_path(int call);

/* Do CALL and answer it; false: no rule grants it, and it is not answered. */
bool doorman_call(struct doorman *doorman, int call, struct asked *asked);

/* The same for what a main that stays the user who called it may do, and whoever it starts. */
bool doorman_call_of_anybody(
	struct doorman *doorman, int call, const struct asked *asked);

/* When nobody is served any more: remove a temporary file that was left. */
void doorman_calls_finish(struct doorman *doorman);

#endif
