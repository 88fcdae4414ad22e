/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop report: what is in profiles, or in a process for some seconds, to read or for a
   program. */
#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/base/own-cpu.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"
#include "src/run/profiles/code-means.h"
#include "src/run/profiles/opened.h"
#include "src/run/signals.h"
#include "src/write/export.h"
#include "src/write/listing.h"
#include "src/write/print/print.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LIVE_SECONDS = 5,
	LINES_WAIT_S = 20,
	LOOK_EVERY_MS = 50,
};

struct report_job {
	const struct report *report;
	struct print_how how;
};

static bool print_job(const void *what, FILE *out, struct error *err)
{
	const struct report_job *job = what;
	(void)err;
	print_report(job->report, &job->how, out);
	return true;
}

/* SESSION: the report is of its samples; NULL: of files. */
static bool write_out(const struct options *options, const struct report *report,
	const struct session *session, struct error *err)
{
	const char *path = options->output ? options->output : "-";
	const char *command = session ? session_command(session) : NULL;
	if (!listing_format_by_name(options->format) && !options->annotate) {
		const struct export_facts facts = {
			.command = command,
			.pid = session && !session->several ? session_target(session)->pid
							    : 0,
			.frequency_hz = session ? options->frequency_hz : 0,
		};
		return export_to_file(export_format_by_name(options->format), report,
			&facts, path, NULL, err);
	}
	struct annotated_means means = {
		.sources = options->annotate ? options_source_reader(options) : NULL,
		.syntax = options->assembly && strcmp(options->assembly, "intel") == 0
				  ? ASSEMBLY_INTEL
				  : ASSEMBLY_ATT,
	};
	struct analyst *own = NULL; /* of files */
	if (options->assembly && !session && !(own = code_means_analyst(options, err)))
		return false;
	if (options->assembly)
		code_means_fill(&means, session ? session->analyst : own);
	const struct report_job job = {
		.report = report,
		.how = {.format = options->format,
			.what = options->peek	    ? PRINT_GRAPH
				: options->by	    ? PRINT_GROUPS
				: options->locks    ? PRINT_LOCKS
				: options->annotate ? PRINT_ANNOTATED
						    : PRINT_FUNCTIONS,
			.order = options->order,
			.most = options->top ? options->top : SIZE_MAX,
			.peek = options->peek,
			.by = options->by,
			.annotate = options->annotate,
			.means = &means,
			.command = command},
	};
	bool done = output_file_print(path, print_job, &job, NULL, err);
	source_reader_destroy(means.sources);
	analyst_destroy(own);
	return done;
}

static void copy_text(char to[REPORT_TEXT_MAX], const char *text)
{
	if (text)
		snprintf(to, REPORT_TEXT_MAX, "%s", text);
}

static struct report_request request_of(const struct options *options)
{
	struct report_request request = {
		.naming = options->naming, .moments = options->locks};
	if (options->annotate) /* a line of a function has no source of its own */
		request.naming.granularity = NAMING_FUNCTION;
	copy_text(request.filter, options->focus);
	copy_text(request.ignore, options->ignore);
	return request;
}

/* --- of files -------------------------------------------------------------------------- */

static bool print_files(const struct options *options, struct error *err)
{
	struct report_request request = request_of(options);
	request.naming.style = DEMANGLE_FULL; /* a file has names, and no symbols */
	struct left_out left_out = {.n = 0};
	struct report *report = opened_report(options->files, options->n_files,
		options->sample_type, &request, &left_out, err);
	if (report)
		message_left_out(&left_out);
	bool done = report && write_out(options, report, NULL, err);
	report_destroy(report);
	return done;
}

/* --- of a process ---------------------------------------------------------------------- */

/* Until the time is over, a signal comes, or the process has ended. */
static void sample(const struct options *options, struct session *session, int signals_fd)
{
	double seconds = options->duration_s > 0 ? options->duration_s : LIVE_SECONDS;
	uint64_t until_ns =
		clock_monotonic_ns() + (uint64_t)(seconds * (double)NS_PER_SEC);
	struct pollfd wait = {.fd = signals_fd, .events = POLLIN};
	while (clock_monotonic_ns() < until_ns && !analyst_ended(session->analyst)) {
		if (poll(&wait, 1, LOOK_EVERY_MS) <= 0)
			continue;
		int number = signals_take(signals_fd);
		if (number == SIGUSR1)
			continue;
		if (number != SIGTSTP)
			break;
		session_hold(session, true);
		signals_suspend();
		session_hold(session, false);
	}
	session_stop_sampling(session);
}

static bool print_process(const struct options *options, struct error *err)
{
	struct session session;
	session_block_signals();
	signals_block();
	int signals_fd = signals_open();
	struct session_options session_options = options_session(options);
	session_options.keep_everything = true;
	bool done = session_start(&session, &session_options, err);
	if (done) {
		sample(options, &session, signals_fd);
		struct report_request request = request_of(options);
		request.until_ns = meter_get(&session_meter(&session)->ended_ns) + 1;
		request.wall = options->wall;
		request.lines_wait_ns = LINES_WAIT_S * NS_PER_SEC;
		struct report *report = analyst_report(session.analyst, &request);
		struct summary summary = summary_of(session_meter(&session), report,
			clock_monotonic_ns(), own_cpu_ns());
		done = write_out(options, report, &session, err) &&
		       !message_gave_up(session_meter(&session), err) &&
		       summary_is_complete(&summary, err);
		report_destroy(report);
		session_finish(&session);
	}
	close(signals_fd);
	return done;
}

int command_report(const struct options *options)
{
	struct error err;
	bool done = !options->output || output_file_check(options->output, &err);
	if (options->n_pids)
		done = done && print_process(options, &err);
	else
		done = done && print_files(options, &err);
	return done ? EXIT_SUCCESS : message_failure(&err);
}
