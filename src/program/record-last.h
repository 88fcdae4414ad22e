/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record-last: the one file of a recording, written when it ends.
 *
 * Lines may take long to look up. If a signal ended the recording, there is a whole file
 * within two seconds, with the lines that are known by then; a later one with all lines takes
 * its place. If the analyst does not answer, the watchdog (src/watch/watchdog.h) has
 * record_last_rescue write what there is, in a fork. Main thread, but for that.
 */
#ifndef CPROFTOP_RECORD_LAST_H
#define CPROFTOP_RECORD_LAST_H

#include "src/base/error.h"
#include "src/export/export.h"
#include "src/options/options.h"
#include "src/report/summary.h"
#include "src/session/session.h"
#include "src/watch/watchdog.h"

#include <stdbool.h>

struct record_last {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	int signals_fd;
	struct watchdog *watchdog; /* NULL: none */
	const char *rights;	   /* see struct summary */
};

/* Write the file. Waits for lines and debug files, at most a minute; a signal ends the wait.
   TOLD: a signal has ended the recording. *SUMMARY is that of what was written. */
bool record_last_write(const struct record_last *last, bool told, struct summary *summary,
	struct error *err);

/* CONTEXT is a struct record_last: see `rescue` in src/watch/watchdog.h. With --every it
   writes the file of the present part; with --on nothing, and fails. */
bool record_last_rescue(void *context);

#endif
