/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop record: sample until told to stop, then write a file (or one per interval:
   rotation.h). */

#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/base/own-cpu.h"
#include "src/control/control.h"
#include "src/export/export.h"
#include "src/program/command.h"
#include "src/program/lookback.h"
#include "src/program/messages.h"
#include "src/program/options-session.h"
#include "src/program/push-process.h"
#include "src/program/record-file.h"
#include "src/program/rotation.h"
#include "src/program/signals.h"
#include "src/report/summary.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 1000,
	PROGRESS_EVERY_MS = 250,
	LINES_WAIT_S = 60,
	SNAPSHOT_LINES_WAIT_S = 2,
	WORST_ROWS = 3, /* how many files with broken stacks are named */
};

/* Check everything that can be checked before the target is touched; returns the format,
   or NULL. */
static const struct export_format *choose_format(
	const struct options *options, struct error *err)
{
	const struct export_format *format =
		options->format ? export_format_by_name(options->format)
				: export_format_by_file(options->output);
	bool terminal = output_file_is_terminal(options->output);
	if (!format)
		format = export_format_by_name(terminal ? "text" : "pprof");
	bool good = options->n_triggers	   ? record_file_check_folder("--snapshot",
						     options->snapshot, format, err)
		    : options->every_s > 0 ? rotation_check(options->output, format, err)
					   : output_file_check(options->output, err);
	if (!good)
		return NULL;
	if (options->stats && !output_file_check(options->stats, err))
		return NULL;
	if (terminal && strcmp(format->name, "pprof") == 0) {
		error_set(err,
			"a pprof file is not for a terminal: give -o FILE or -f text");
		return NULL;
	}
	return format;
}

/* --- told from outside -------------------------------------------------------------- */

/* A recording that listens. */
struct listener {
	const struct options *options;
	struct session *session;
	const struct export_format *format;
	struct lookback *lookback; /* NULL: there are no triggers */
	struct control control;
	bool is_paused;
};

/* Write what there is so far; sampling goes on meanwhile. */
static bool write_snapshot(void *context, const char *path, struct error *err)
{
	struct listener *listener = context;
	const struct options *options = listener->options;
	struct session *session = listener->session;
	const struct export_format *format = export_format_by_file(path);
	if (options->every_s > 0)
		return error_set(
			err, "it writes a file every %g s already", options->every_s);
	if (!output_file_check(path, err))
		return false;
	if (listener->lookback)
		lookback_settle(listener->lookback);
	struct report_request request =
		record_file_request(options, clock_monotonic_ns());
	request.lines_wait_ns = SNAPSHOT_LINES_WAIT_S * NS_PER_SEC;
	struct report *report = analyst_report(session->analyst, &request);
	struct summary summary = summary_of(
		session_meter(session), report, clock_monotonic_ns(), own_cpu_ns());
	bool done = record_file_write(options, session,
		format ? format : listener->format, report, &summary, path, NULL, err);
	report_destroy(report);
	return done;
}

static void pause_sampling(void *context, bool paused)
{
	struct listener *listener = context;
	listener->is_paused = paused;
	session_pause(listener->session, paused);
}

static void set_mark(void *context, const char *text)
{
	struct listener *listener = context;
	analyst_mark(listener->session->analyst, clock_monotonic_ns(), text);
}

static void tell_status(void *context, char *text, size_t size)
{
	struct listener *listener = context;
	message_status(session_meter(listener->session), listener->is_paused, text, size);
}

static void listen_to(struct listener *listener)
{
	const struct control_orders orders = {
		.context = listener,
		.pause = pause_sampling,
		.mark = set_mark,
		.snapshot = write_snapshot,
		.status = tell_status,
	};
	control_serve(&listener->control, &orders);
}

/* False if the recording is to end. */
static bool obey_signal(struct listener *listener, int number)
{
	if (number == SIGUSR1) {
		pause_sampling(listener, !listener->is_paused);
		return true;
	}
	if (number != SIGTSTP)
		return false;
	/* While the tracer is stopped, the target would stop at its next signal, so
	   detach first. */
	session_hold(listener->session, true);
	signals_suspend();
	session_hold(listener->session, false);
	return true;
}

/* Wait until the duration is over, a signal asks for the end, or the target has ended. */
static void wait_for_the_end(
	struct listener *listener, struct rotation *rotation, int signals_fd)
{
	const struct options *options = listener->options;
	struct session *session = listener->session;
	struct lookback *lookback = listener->lookback;
	bool progress = !options->quiet && isatty(STDERR_FILENO);
	uint64_t start_ns = clock_monotonic_ns(), shown_ns = 0;
	uint64_t duration_ns = options->duration_s > 0
				       ? (uint64_t)(options->duration_s * NS_PER_SEC)
				       : UINT64_MAX;
	struct pollfd wait[] = {
		{.fd = signals_fd, .events = POLLIN},
		{.fd = rotation || lookback ? analyst_ready_fd(session->analyst) : -1,
			.events = POLLIN},
		{.fd = -1, .events = POLLIN},
		{.fd = analyst_end_fd(session->analyst), .events = POLLIN},
	};
	int longest_ms = progress ? PROGRESS_EVERY_MS : LOOK_EVERY_MS;
	for (;;) {
		uint64_t now_ns = clock_monotonic_ns(), elapsed_ns = now_ns - start_ns;
		if (elapsed_ns >= duration_ns || analyst_ended(session->analyst))
			break;
		if (progress && now_ns - shown_ns >= PROGRESS_EVERY_MS * NS_PER_MS) {
			message_progress(session_meter(session), now_ns);
			shown_ns = now_ns;
		}
		uint64_t left_ms = (duration_ns - elapsed_ns) / NS_PER_MS + 1;
		int patience_ms =
			left_ms < (uint64_t)longest_ms ? (int)left_ms : longest_ms;
		int due_ms = rotation	? rotation_step(rotation, now_ns)
			     : lookback ? lookback_step(lookback, now_ns)
					: patience_ms;
		wait[2].fd = control_fd(&listener->control);
		if (poll(wait, 4, due_ms < patience_ms ? due_ms : patience_ms) <= 0)
			continue;
		if (wait[2].revents)
			listen_to(listener);
		if (wait[0].revents && !obey_signal(listener, signals_take(signals_fd)))
			break;
	}
	if (progress)
		message_clear_progress();
}

static void tell(const struct options *options, struct session *session,
	const struct export_format *format, const struct summary *summary)
{
	char line[1024];
	summary_print_line(summary, line, sizeof(line));
	fprintf(stderr, "cproftop: %s\n", line);
	if (session_explain_nothing(session, session_meter(session), summary,
		    options->within, options->threads, line, sizeof(line)))
		fprintf(stderr, "cproftop: nothing was sampled: %s\n", line);
	for (size_t row = 0; row < WORST_ROWS; row++)
		if (summary_print_health(summary, row, line, sizeof(line)))
			fprintf(stderr, "cproftop: stacks broke in %s\n", line);
	for (size_t row = 0; row < WORST_ROWS; row++)
		if (summary_print_nameless(summary, row, line, sizeof(line)))
			fprintf(stderr, "cproftop: no names in %s\n", line);
	if (output_file_is_stream(options->output) || options->every_s > 0 ||
		options->n_triggers)
		return;
	fprintf(stderr, "cproftop: wrote %s", options->output);
	const char *place = format->open_with ? strstr(format->open_with, "%s") : NULL;
	if (place)
		fprintf(stderr, "; open it with: %.*s%s%s",
			(int)(place - format->open_with), format->open_with,
			options->output, place + 2);
	fputc('\n', stderr);
}

static void show_lines_progress(const struct options *options)
{
	char text[REPORT_FETCHING_MAX];
	if (options->fetch && debug_fetch_progress(options->fetch, text, sizeof(text)))
		fprintf(stderr, "\r\033[Kcproftop: fetching debug files: %s ", text);
	else
		fputs("\r\033[Kcproftop: looking up lines ", stderr);
	fflush(stderr);
}

/* The report of the whole recording. Waits for lines and debug files; another signal ends
   the wait. */
static struct report *last_report(const struct options *options, struct session *session,
	struct report_request *request, int signals_fd)
{
	bool progress = !options->quiet && isatty(STDERR_FILENO), shown = false;
	struct pollfd wait[] = {
		{.fd = analyst_ready_fd(session->analyst), .events = POLLIN},
		{.fd = signals_fd, .events = POLLIN},
	};
	struct report *report;
	analyst_request(session->analyst, request);
	while (!(report = analyst_take(session->analyst))) {
		int ready = poll(wait, 2, PROGRESS_EVERY_MS);
		if (ready > 0 && wait[1].revents) {
			signals_take(signals_fd);
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

static void tell_of_names(const struct options *options, const struct report *report)
{
	if (!options->quiet)
		message_names(&(struct message_names){
			.pid = report->refusal_pid,
			.refusal = report->refusal,
			.fetch = options->fetch,
			.lines_deaths = report->lines_deaths,
		});
}

static bool write_all(const struct options *options, struct session *session,
	const struct export_format *format, struct summary *summary, int signals_fd,
	struct error *err)
{
	struct report_request request = record_file_request(
		options, meter_get(&session_meter(session)->ended_ns) + 1);
	request.lines_wait_ns = LINES_WAIT_S * NS_PER_SEC;
	struct report *report = last_report(options, session, &request, signals_fd);
	*summary = summary_of(
		session_meter(session), report, clock_monotonic_ns(), own_cpu_ns());
	bool done = record_file_write(
		options, session, format, report, summary, options->output, NULL, err);
	tell_of_names(options, report);
	report_destroy(report);
	return done;
}

/* All files that are to be written have been. SUMMARY has the stacks that are remembered,
   and all the rest of the whole recording. */
static bool end_lookback(
	const struct listener *listener, struct summary *summary, struct error *err)
{
	struct session *session = listener->session;
	bool done = lookback_finish(listener->lookback, err);
	const struct meter *meter = session_meter(session);
	struct report_request request =
		record_file_request(listener->options, meter_get(&meter->ended_ns) + 1);
	struct report *report = analyst_report(session->analyst, &request);
	*summary = summary_of(meter, report, clock_monotonic_ns(), own_cpu_ns());
	report_destroy(report);
	return done;
}

static bool finish(const struct listener *listener, struct rotation *rotation,
	int signals_fd, struct error *err)
{
	const struct options *options = listener->options;
	struct session *session = listener->session;
	bool many = rotation || listener->lookback;
	struct summary summary;
	session_stop_sampling(session);
	bool done = rotation		 ? rotation_finish(rotation, &summary, err)
		    : listener->lookback ? end_lookback(listener, &summary, err)
					 : write_all(options, session, listener->format,
						   &summary, signals_fd, err);
	if ((done || many) && options->stats)
		done &= summary_write_json(&summary, options->stats, done ? err : NULL);
	if (done && !options->quiet)
		tell(options, session, listener->format, &summary);
	return done;
}

/* Print why a process is not profiled. */
static void complain(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "cproftop: %s; going on without it\n", text);
}

/* The exit status of a recording that has ended as it should. */
static int status_of(struct session *session)
{
	return session->options.command ? session_launched_exit(session) : EXIT_SUCCESS;
}

int command_record(const struct options *options)
{
	struct error err;
	pid_t pids[OPTIONS_PIDS_MAX];
	size_t n_pids;
	bool launches = options->launch != NULL;
	const struct export_format *format = choose_format(options, &err);
	if (!format || !options_targets(options, pids, &n_pids, &err))
		return message_failed_launch(&err, launches, 0);

	output_file_set_mode(options->file_mode);
	session_block_signals();
	int signals_fd = signals_open();
	struct session_options session_options = options_session(options);
	session_options.pids = pids;
	session_options.n_pids = n_pids;
	/* A file of a few seconds needs samples with their times and, at once, lines. */
	session_options.keep_everything = !options->n_triggers;
	session_options.lines_at_once = options->every_s > 0 || options->n_triggers;
	session_options.accounts_soon = options->n_triggers > 0;
	session_options.complain = complain;
	struct session session;
	struct push_process push;
	if (!push_process_start(&push, options, &err))
		return message_failed_launch(&err, launches, 0);
	if (!session_start(&session, &session_options, &err)) {
		push_process_finish(&push);
		return message_failed_launch(&err, launches, session.launch_errnum);
	}
	struct rotation files, *rotation = options->every_s > 0 ? &files : NULL;
	if (rotation)
		rotation_init(rotation, options, &session, format);
	struct lookback lookback;
	if (options->n_triggers)
		lookback_init(&lookback, options, &session, format);
	struct listener listener = {
		.options = options,
		.session = &session,
		.format = format,
		.lookback = options->n_triggers ? &lookback : NULL,
		.is_paused = options->start_paused,
	};
	/* Without a folder for it nobody can ask; signals still work. */
	control_open(&listener.control, getenv("XDG_RUNTIME_DIR"), CONTROL_RECORDING,
		getpid(), &err);
	wait_for_the_end(&listener, rotation, signals_fd);
	control_close(&listener.control);
	bool done = finish(&listener, rotation, signals_fd, &err) &&
		    !message_gave_up(session_meter(&session), &err);
	int status =
		done ? status_of(&session) : message_failed_launch(&err, launches, 0);
	session_finish(&session);
	if (!push_process_finish(&push) && status == EXIT_SUCCESS)
		status = EXIT_FAILURE;
	close(signals_fd);
	return status;
}
