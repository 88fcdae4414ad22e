/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages: what every command may have to say on standard error, each on a line of its
 * own that begins with "cproftop: ". Main thread.
 */
#ifndef CPROFTOP_MESSAGES_H
#define CPROFTOP_MESSAGES_H

#include "src/base/error.h"
#include "src/names/debug-fetch.h"

#include <sys/types.h>

/* ERR, which may contain paths and names from anywhere: cleaned, so that they cannot drive
   a terminal. Returns EXIT_FAILURE, for a command to return. */
int message_failure(const struct error *err);

/* What could not be named, and why. */
struct message_names {
	pid_t pid;
	const char *refusal;	   /* why /tmp/perf-PID.map was not read; NULL: it was */
	struct debug_fetch *fetch; /* NULL: no debug files are fetched */
	unsigned lines_deaths;	   /* see line_resolver_deaths */
};

/* A line for each of NAMES that applies; none if all went well. */
void message_names(const struct message_names *names);

#endif
