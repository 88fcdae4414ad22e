/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop convert: profiles in, one profile out, maybe in another format. */
#include "src/base/output-file.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/profiles/opened.h"
#include "src/write/export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool convert(const struct options *options, struct error *err)
{
	size_t n_in = options->n_files - 1;
	const char *out = options->files[n_in];
	const struct export_format *format =
		options->format ? export_format_by_name(options->format)
				: export_format_by_file(out);
	for (size_t i = 0; i < n_in; i++)
		if (folder_has(options->files[i], out))
			return error_set(err,
				"%s would be in a folder that is read, and count twice "
				"the next time",
				out);
	if (!output_file_check(out, err))
		return false;
	if (strcmp(out, "-") == 0 && strcmp(format->name, "pprof") == 0 &&
		isatty(STDOUT_FILENO))
		return error_set(
			err, "a pprof file is not for a terminal: give OUT a name");
	struct report_request request = {.moments = !options->no_times};
	memcpy(request.naming.edits, options->naming.edits, sizeof(request.naming.edits));
	const struct export_facts facts = {
		.weigh_cpu = options->weigh_cpu, .weigh_wall = options->weigh_wall};
	struct left_out left_out = {.n = 0};
	struct report *report = opened_report(
		options->files, n_in, options->sample_type, &request, &left_out, err);
	if (report)
		message_left_out(&left_out);
	bool done = report && export_to_file(format, report, &facts, out, NULL, err);
	report_destroy(report);
	return done;
}

int command_convert(const struct options *options)
{
	struct error err;
	return convert(options, &err) ? EXIT_SUCCESS : message_failure(&err);
}
