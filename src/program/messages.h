/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages: messages on standard error that all commands share, each a line that begins
 * with "cproftop: ". Main thread.
 */
#ifndef CPROFTOP_MESSAGES_H
#define CPROFTOP_MESSAGES_H

#include "src/base/error.h"
#include "src/model/meter.h"
#include "src/names/debug-fetch.h"

#include <sys/types.h>

/* Print ERR, cleaned, because it may contain hostile paths and names. Returns
   EXIT_FAILURE, for a command to return. */
int message_failure(const struct error *err);

/* Why code has no names or lines. */
struct message_names {
	pid_t pid;
	/* why /tmp/perf-PID.map was not read; NULL: nothing went wrong */
	const char *refusal;
	struct debug_fetch *fetch; /* NULL: no debug files are fetched */
	unsigned lines_deaths;	   /* see line_resolver_deaths */
};

/* Print a line for each problem in NAMES. */
void message_names(const struct message_names *names);

/* Has sampling, as METER has it, ended before its time, because the process that samples
   died again and again? Then ERR says so. */
bool message_gave_up(const struct meter *meter, struct error *err);

#endif
