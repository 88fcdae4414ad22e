/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop report: the functions of profiles, to read or for a program. */
#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/export/listing.h"
#include "src/files/opened.h"
#include "src/program/command.h"
#include "src/program/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As pprof's -top begins. */
static void write_header(const struct listing *listing, size_t shown, FILE *out)
{
	const struct report *report = listing->report;
	const struct origin *origin = report->origin;
	const struct file_metric *metric = &listing->metric;
	uint64_t all = listing->whole, counted = metric->of(&report->total);
	time_t start = (time_t)(origin->time_ns / (int64_t)NS_PER_SEC);
	struct tm utc;
	char date[32] = "";

	fprintf(out, "Values:   %s in %s; %s in all\n", metric->type,
		origin->types.data[report->shown_type].unit,
		quantity_say(metric->kind, all).text);
	if (origin->types.len > 1) {
		fputs("Types:   ", out);
		vec_each (&origin->types, type)
			fprintf(out, " %s", type->type);
		fputs(" (--type chooses)\n", out);
	}
	if (origin->time_ns > 0 && gmtime_r(&start, &utc)) {
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &utc);
		fprintf(out, "Time:     %s UTC", date);
		if (origin->duration_ns > 0)
			fprintf(out, ", for %s",
				quantity_say(VALUE_TIME, (uint64_t)origin->duration_ns)
					.text);
		fputc('\n', out);
	}
	if (counted != all)
		fprintf(out, "Counted:  %s, %.2f%% of all\n",
			quantity_say(metric->kind, counted).text,
			file_metric_percent(counted, all));
	fprintf(out, "Shown:    %zu of %zu rows\n\n", shown, listing->rows.len);
}

static void write_listing(
	const struct options *options, const struct report *report, FILE *out)
{
	struct listing listing;
	listing_init(&listing, report, options->order);
	listing.whole = listing.metric.of(&report->everything); /* as pprof has it */
	size_t most = options->top && options->top < listing.rows.len ? options->top
								      : listing.rows.len;
	if (options->format && strcmp(options->format, "csv") == 0) {
		listing_write_csv(&listing, most, out);
	} else if (options->format && strcmp(options->format, "json") == 0) {
		listing_write_json(&listing, most, out);
	} else {
		write_header(&listing, most, out);
		size_t left_out = listing_write_text(&listing, most, 0, out);
		if (left_out)
			fprintf(out, "%zu more have no %s\n", left_out,
				listing.metric.type);
	}
	listing_finish(&listing);
}

static bool write_out(
	const struct options *options, const struct report *report, struct error *err)
{
	char *content = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&content, &size);
	if (!stream)
		return error_errno(err, errno, "report");
	write_listing(options, report, stream);
	bool done = fclose(stream) == 0 || error_errno(err, errno, "report");
	done = done && output_file_write(options->output ? options->output : "-", content,
			       size, err);
	free(content);
	return done;
}

static bool print_report(
	struct recording *recording, const struct options *options, struct error *err)
{
	if (options->output && !output_file_check(options->output, err))
		return false;
	struct report_request request = {
		.naming.granularity = options->naming.granularity};
	if (!opened_read(recording, options->files, options->n_files,
		    options->sample_type, &request.sample_type, err))
		return false;
	if (options->focus)
		snprintf(request.filter, sizeof(request.filter), "%s", options->focus);
	if (options->ignore)
		snprintf(request.ignore, sizeof(request.ignore), "%s", options->ignore);
	struct report *report = recording_report(recording, &request);
	bool done = write_out(options, report, err);
	report_destroy(report);
	return done;
}

int command_report(const struct options *options)
{
	struct recording recording = {0};
	struct error err;
	output_file_ignore_signals();
	bool done = print_report(&recording, options, &err);
	recording_finish(&recording);
	return done ? EXIT_SUCCESS : message_failure(&err);
}
