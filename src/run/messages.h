/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages: messages on standard error that all commands share, each a line that begins
 * with "cproftop: ". Main thread.
 */
#ifndef CPROFTOP_MESSAGES_H
#define CPROFTOP_MESSAGES_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "src/facts/meter.h"
#include "src/read/debuginfod/debug-fetch.h"
#include "src/run/profiles/folder.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit statuses besides EXIT_SUCCESS and EXIT_FAILURE. Who launches a command passes on its
   status, so our own failures have others, the same as those of env(1), timeout(1) and
   nohup(1). */
enum {
	EXIT_USAGE = 2, /* the command line was not understood */
	EXIT_LAUNCHER = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* Print ERR, cleaned, because it may contain hostile paths and names. Returns
   EXIT_FAILURE, for a command to return. */
int message_failure(const struct error *err);

/* Print which files of folders were left out, and why. */
void message_left_out(const struct left_out *left_out);

/* The same for a command that was to launch another one, or not. LAUNCH_ERRNUM is why that
   could not be run; 0: something else has failed. */
int message_failed_launch(const struct error *err, bool launches, int launch_errnum);

/* Why code has no names or lines. */
struct message_names {
	pid_t pid;
	/* why /tmp/perf-PID.map was not read; NULL: nothing went wrong */
	const char *refusal;
	const char *languages;	   /* see report.h; or NULL */
	const char *too_large;	   /* whose symbols are not all read; "": all are */
	struct debug_fetch *fetch; /* NULL: no debug files are fetched */
	unsigned lines_deaths;	   /* see line_resolver_deaths */
};

/* Print a line for each problem in NAMES. */
void message_names(const struct message_names *names);

/* The same for what REPORT names. FETCH: NULL, or what debug files were fetched with. */
void message_names_of(const struct report *report, struct debug_fetch *fetch);

/* How far a recording is, over the last such line; and remove that line. For a terminal. */
void message_progress(const struct meter *meter, uint64_t now_ns);
void message_clear_progress(void);

/* Has sampling, as METER has it, ended before its time, because the process that samples
   died again and again? Then ERR says so. */
bool message_gave_up(const struct meter *meter, struct error *err);

/* "sampling, 12 samples in 0.1 s". */
void message_status(const struct meter *meter, bool is_paused, char *out, size_t size);

#endif
