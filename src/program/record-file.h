/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record-file: write one file of a recording, with comments on how the samples were
 * taken. Main thread.
 */
#ifndef CPROFTOP_RECORD_FILE_H
#define CPROFTOP_RECORD_FILE_H

#include "src/base/error.h"
#include "src/export/export.h"
#include "src/options/options.h"
#include "src/report/report.h"
#include "src/report/summary.h"
#include "src/session/session.h"

#include <stdbool.h>

/* Write REPORT to PATH, as src/base/output-file.h does. SUMMARY covers the same time as
   REPORT. */
bool record_file_write(const struct options *options, const struct session *session,
	const struct export_format *format, const struct report *report,
	const struct summary *summary, const char *path, struct error *err);

#endif
