/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook: a shell command that is run with the name of each file that was written, beside
 * everything else (--exec). Nobody waits for it. Main thread.
 */
#ifndef CPROFTOP_HOOK_H
#define CPROFTOP_HOOK_H

#include "src/base/error.h"
#include "src/base/rights/caller-state.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <sys/types.h>

struct hook {
	const char *command;		   /* borrowed */
	const struct caller_state *caller; /* whose limits it gets; borrowed */
	VEC(pid_t) running;
};

/* Start the command, with PATH behind its own arguments. */
bool hook_run(struct hook *hook, const char *path, struct error *err);

/* Take the status of commands that have ended; of one that failed ERR says how, and the
   result is false. Call it until it is true. */
bool hook_reap(struct hook *hook, struct error *err);

/* Commands that still run go on without us. */
void hook_finish(struct hook *hook);

#endif
