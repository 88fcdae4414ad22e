/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record-file: one file of a recording: its name among others, what it says of how the
 * samples were taken, and writing it. Main thread.
 */
#ifndef CPROFTOP_RECORD_FILE_H
#define CPROFTOP_RECORD_FILE_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "src/count/summary.h"
#include "src/facts/meter.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"
#include "src/write/export.h"

#include <stdbool.h>

/* Check that files can be created in FOLDER, which OPTION named. */
bool record_file_check_folder(const char *option, const char *folder,
	const struct export_format *format, struct error *err);

/* Nobody has named the file without -o, so nobody has said that an older one may be lost: it
   becomes NAME.old, as perf does, and a line says so. */
bool record_file_keep_older(const struct options *options, struct error *err);

/* A path in FOLDER that names the process and START_NS, UTC since 1970, and that no file
   has: FOLDER/NAME-PID-20261121T144200Z.pb.gz. The caller frees it. */
char *record_file_path(const char *folder, const struct session *session,
	const struct export_format *format, uint64_t start_ns);

/* Remove the oldest files of this program in the folder -o, as --keep says. */
void record_file_prune(const struct options *options, const struct session *session,
	const struct export_format *format);

/* What a part of a recording cost and achieved. The report's figures are exactly of its
   range; those of the meter, read BEFORE and AFTER, are of about that time, and so are the
   OWN_NS of CPU time that cproftop used. */
struct summary record_file_summary(const struct options *options,
	const struct report *report, const struct meter *before,
	const struct meter *after, uint64_t own_ns);

/* What a file of a recording counts, up to UNTIL_NS: everything that OPTIONS ask for
   (--focus, -t). */
struct report_request record_file_request(
	const struct options *options, uint64_t until_ns);

/* Write REPORT to PATH, as src/base/output-file.h does. SUMMARY covers the same time as
   REPORT. *BYTES, if not NULL, gets the size. */
bool record_file_write(const struct options *options, const struct session *session,
	const struct export_format *format, const struct report *report,
	const struct summary *summary, const char *path, uint64_t *bytes,
	struct error *err);

#endif
