/*
 * record-file: one file of a recording, with what it says about itself. Main thread.
 */
#ifndef CPROFTOP_RECORD_FILE_H
#define CPROFTOP_RECORD_FILE_H

#include "src/error.h"
#include "src/export.h"
#include "src/options.h"
#include "src/report.h"
#include "src/session.h"
#include "src/summary.h"

#include <stdbool.h>

/* Write REPORT to PATH, as src/output-file.h does. SUMMARY is of the same stretch. */
bool record_file_write(const struct options *options, const struct session *session,
	const struct export_format *format, const struct report *report,
	const struct summary *summary, const char *path, struct error *err);

#endif
