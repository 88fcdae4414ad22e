/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record-last: the one file of a recording, written when it ends.
 *
 * Lines may take long to look up. If a signal ended the recording, there is a whole file
 * within two seconds, with the lines that are known by then; a later one with all lines takes
 * its place. Main thread.
 */
#ifndef CPROFTOP_RECORD_LAST_H
#define CPROFTOP_RECORD_LAST_H

#include "src/base/error.h"
#include "src/count/summary.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"
#include "src/write/export.h"

#include <stdbool.h>

struct record_last {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	int signals_fd;
};

/* Write the file. Waits for lines and debug files, at most a minute; a signal ends the wait.
   TOLD: a signal has ended the recording. *SUMMARY is that of what was written. */
bool record_last_write(const struct record_last *last, bool told, struct summary *summary,
	struct error *err);

#endif
