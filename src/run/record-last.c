/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/record-last.h"

#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/base/own-cpu.h"
#include "src/run/messages.h"
#include "src/run/record-file.h"
#include "src/run/signals.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PROGRESS_EVERY_MS = 250,
	LINES_WAIT_S = 60,
	FIRST_LINES_WAIT_MS = 1000, /* for a first file, when a signal has come */
};

static void show_lines_progress(const struct options *options)
{
	char text[REPORT_FETCHING_MAX];
	if (options->fetch && debug_fetch_progress(options->fetch, text, sizeof(text)))
		fprintf(stderr, "\r\033[Kcproftop: fetching debug files: %s ", text);
	else
		fputs("\r\033[Kcproftop: looking up lines ", stderr);
	fflush(stderr);
}

/* The report of the whole recording. Waits for lines and debug files; a signal ends the
   wait. */
static struct report *get_report(
	const struct record_last *last, struct report_request *request)
{
	const struct options *options = last->options;
	struct session *session = last->session;
	bool progress = !options->quiet && isatty(STDERR_FILENO), shown = false;
	struct pollfd wait[] = {
		{.fd = analyst_ready_fd(session->analyst), .events = POLLIN},
		{.fd = last->signals_fd, .events = POLLIN},
	};
	struct report *report;
	analyst_request(session->analyst, request);
	while (!(report = analyst_take(session->analyst))) {
		int ready = poll(wait, 2, PROGRESS_EVERY_MS);
		if (ready > 0 && wait[1].revents) {
			signals_take(last->signals_fd);
			request->lines_wait_ns = 0;
			analyst_request(session->analyst, request);
		} else if (ready == 0 && progress) {
			show_lines_progress(options);
			shown = true;
		}
	}
	if (shown)
		message_clear_progress();
	return report;
}

static bool write_report(const struct record_last *last, const struct report *report,
	struct summary *summary, struct error *err)
{
	*summary = summary_of(
		session_meter(last->session), report, clock_monotonic_ns(), own_cpu_ns());
	return record_file_write(last->options, last->session, last->format, report,
		summary, last->options->output, NULL, err);
}

static void tell_of_names(const struct options *options, const struct report *report)
{
	if (!options->quiet)
		message_names(report, options->fetch);
}

bool record_last_write(const struct record_last *last, bool told, struct summary *summary,
	struct error *err)
{
	struct report_request request = record_file_request(
		last->options, meter_get(&session_meter(last->session)->ended_ns) + 1);
	uint64_t first_wait_ns = FIRST_LINES_WAIT_MS * NS_PER_MS;
	uint64_t begin_ns = clock_monotonic_ns();
	bool twice = told && !output_file_is_stream(last->options->output);
	request.lines_wait_ns = twice ? first_wait_ns : LINES_WAIT_S * NS_PER_SEC;
	struct report *report = get_report(last, &request);
	/* A request that was cut short by another signal is the last one. */
	bool has_all = !twice || !request.lines_wait_ns ||
		       clock_monotonic_ns() - begin_ns < first_wait_ns;
	bool done = write_report(last, report, summary, err);
	if (done && !has_all) {
		report_destroy(report);
		request.lines_wait_ns = LINES_WAIT_S * NS_PER_SEC;
		report = get_report(last, &request);
		done = write_report(last, report, summary, err);
	}
	tell_of_names(last->options, report);
	report_destroy(report);
	return done;
}
