/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop report: the functions of profiles, to read or for a program. */
#include "src/base/output-file.h"
#include "src/export/listing.h"
#include "src/files/opened.h"
#include "src/program/command.h"
#include "src/program/messages.h"

#include <stdio.h>
#include <stdlib.h>

struct report_job {
	const struct options *options;
	const struct report *report;
};

static bool print_report(const void *what, FILE *out, struct error *err)
{
	(void)err;
	const struct report_job *job = what;
	const struct options *options = job->options;
	struct listing listing;
	listing_init(&listing, job->report, options->order);
	listing.whole = listing.metric.of(&job->report->everything); /* as pprof has it */
	size_t most = options->top && options->top < listing.rows.len ? options->top
								      : listing.rows.len;
	listing_format_by_name(options->format ? options->format : "text")
		->write(&listing, most, out);
	listing_finish(&listing);
	return true;
}

static bool read_and_print(const struct options *options, struct error *err)
{
	struct report_request request = {
		.naming.granularity = options->naming.granularity};
	if (options->output && !output_file_check(options->output, err))
		return false;
	if (options->focus)
		snprintf(request.filter, sizeof(request.filter), "%s", options->focus);
	if (options->ignore)
		snprintf(request.ignore, sizeof(request.ignore), "%s", options->ignore);
	struct report *report = opened_report(
		options->files, options->n_files, options->sample_type, &request, err);
	const struct report_job job = {options, report};
	bool done = report && output_file_print(options->output ? options->output : "-",
				      print_report, &job, NULL, err);
	report_destroy(report);
	return done;
}

int command_report(const struct options *options)
{
	struct error err;
	return read_and_print(options, &err) ? EXIT_SUCCESS : message_failure(&err);
}
