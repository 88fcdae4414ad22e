/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter: a program of others that makes something of bytes of ours: what it is given comes
 * from the target, and so it is started without our rights.
 *
 * It is found in PATH and reads its input from standard input. It has no privileges
 * (src/base/rights/confine.h), cannot write files, sees no messages of ours, and is killed when
 * its time is over. Main thread; waits for its end.
 */
#ifndef CPROFTOP_FILTER_H
#define CPROFTOP_FILTER_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct filter {
	const char *const *arguments; /* ends with NULL; the first is the program */
	const char *missing;	      /* what to say if there is no such program */
	unsigned seconds;	      /* so long it may take */
	size_t most_bytes;	      /* so much it may print */
};

/* Write to OUT what it prints of the SIZE bytes. False and ERR if it is not there, fails,
   or takes or prints too much; OUT may have a part of it then. */
bool filter_run(const struct filter *filter, const void *bytes, size_t size, FILE *out,
	struct error *err);

#endif
