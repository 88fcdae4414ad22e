/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confined: a recording of root that reads the target's files without rights (--confine).
 */
#ifndef CPROFTOP_CONFINED_H
#define CPROFTOP_CONFINED_H

#include "src/base/error.h"
#include "src/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct confined {
	const struct options *options;
	const pid_t *pids;
	size_t n_pids;
};

/* Is --confine not given, or can it be kept? False and ERR: what it does not go with. */
bool confined_check(const struct options *options, struct error *err);

/* CONTEXT is a struct confined: `give_up` in src/session/session.h. */
bool confined_give_up(void *context, pid_t launched, struct error *err);

#endif
