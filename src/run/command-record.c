/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop record: sample until told to stop, then write a file (or one per interval:
   rotation.h). */

#include "ptrace/perf/perf-open.h"
#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/base/own-cpu.h"
#include "src/base/rights/caller-state.h"
#include "src/count/summary.h"
#include "src/run/command.h"
#include "src/run/control/control.h"
#include "src/run/lookback.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"
#include "src/run/push-process.h"
#include "src/run/record-file.h"
#include "src/run/record-last.h"
#include "src/run/rotation.h"
#include "src/run/signals.h"
#include "src/write/export.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 1000,
	PROGRESS_EVERY_MS = 250,
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
	bool good = options->n_triggers ? record_file_check_folder(
						  "--on", options->output, format, err)
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
static bool write_snapshot(void *context, const char *path, int fd, struct error *err)
{
	struct listener *listener = context;
	const struct options *options = listener->options;
	struct session *session = listener->session;
	const struct export_format *format = export_format_by_file(path);
	if (options->every_s > 0)
		return error_set(
			err, "it writes a file every %g s already", options->every_s);
	char stream[32];
	snprintf(stream, sizeof(stream), "/dev/fd/%d", fd);
	if (listener->lookback)
		lookback_settle(listener->lookback);
	struct report_request request =
		record_file_request(options, clock_monotonic_ns());
	request.lines_wait_ns = SNAPSHOT_LINES_WAIT_S * NS_PER_SEC;
	struct report *report = analyst_report(session->analyst, &request);
	struct summary summary = summary_of(
		session_meter(session), report, clock_monotonic_ns(), own_cpu_ns());
	bool done = record_file_write(options, session,
		format ? format : listener->format, report, &summary, stream, NULL, err);
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

/* Wait until the duration is over, a signal asks for the end, or the target has ended. True:
   it was a signal. */
static bool wait_for_the_end(
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
	bool told = false;
	while (!told) {
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
		if (wait[0].revents)
			told = !obey_signal(listener, signals_take(signals_fd));
	}
	if (progress)
		message_clear_progress();
	return told;
}

static void tell(const struct options *options, struct session *session,
	const struct export_format *format, const struct summary *summary)
{
	char line[1024];
	summary_print_line(summary, line, sizeof(line));
	fprintf(stderr, "cproftop: %s\n", line);
	struct error err;
	if (summary->event_errnum) {
		perf_open_explain(&summary->event, summary->event_errnum, &err);
		message_failure(&err);
	}
	if (session_explain_nothing(session, session_meter(session), summary,
		    options->focus, options->threads, line, sizeof(line)))
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
	const struct record_last *last, bool told, struct error *err)
{
	const struct options *options = listener->options;
	struct session *session = listener->session;
	bool many = rotation || listener->lookback;
	struct summary summary;
	session_stop_sampling(session);
	session_end_command(session);
	bool done = rotation		 ? rotation_finish(rotation, told, &summary, err)
		    : listener->lookback ? end_lookback(listener, &summary, err)
					 : record_last_write(last, told, &summary, err);
	if ((done || many) && options->stats)
		done &= summary_write_json(&summary, options->stats, done ? err : NULL);
	if (done && !options->quiet)
		tell(options, session, listener->format, &summary);
	/* What looks back forgets. */
	return done && (listener->lookback || summary_is_complete(&summary, err));
}

/* Print why a process is not profiled. */
static void complain(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "cproftop: %s; going on without it\n", text);
}

/* --- all ------------------------------------------------------------------------------ */

/* The exit status of a recording that has ended as it should. */
static int status_of(struct session *session)
{
	return session->options.command ? session_launched_exit(session) : EXIT_SUCCESS;
}

static bool begin(struct listener *listener, const struct session_options *how,
	struct push_process *push, struct error *err)
{
	/* Without a folder for it nobody can ask; signals still work. */
	control_open(&listener->control, getenv("XDG_RUNTIME_DIR"), CONTROL_RECORDING,
		getpid(), err);
	if (push_process_start(push, listener->options, err)) {
		if (session_start(listener->session, how, err))
			return true;
		push_process_finish(push);
	}
	control_close(&listener->control);
	return false;
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
	const struct caller_state caller = caller_state_read();
	session_block_signals();
	signals_block();
	struct session session = {0};
	struct listener listener = {
		.options = options,
		.session = &session,
		.format = format,
		.control = {.fd = -1, .peer_fd = -1, .file_fd = -1},
		.is_paused = options->start_paused,
	};
	struct record_last last = {
		.options = options, .session = &session, .format = format};
	int signals_fd = last.signals_fd = signals_open();
	struct session_options session_options = options_session(options);
	session_options.pids = pids;
	session_options.n_pids = n_pids;
	/* A file of a few seconds needs samples with their times and, at once, lines. */
	session_options.keep_everything = !options->n_triggers;
	session_options.lines_at_once = options->every_s > 0 || options->n_triggers;
	session_options.accounts_soon = options->n_triggers > 0;
	session_options.complain = complain;
	struct push_process push;
	if (!record_file_keep_older(options, &err) ||
		!begin(&listener, &session_options, &push, &err))
		return message_failed_launch(&err, launches, session.launch_errnum);
	struct rotation files, *rotation = options->every_s > 0 ? &files : NULL;
	if (rotation)
		rotation_init(rotation, options, &session, format);
	struct lookback lookback;
	if (options->n_triggers)
		lookback_init(&lookback, options, &session, format, &caller);
	listener.lookback = options->n_triggers ? &lookback : NULL;
	bool told = wait_for_the_end(&listener, rotation, signals_fd);
	control_close(&listener.control);
	bool done = finish(&listener, rotation, &last, told, &err) &&
		    !message_gave_up(session_meter(&session), &err);
	int status =
		done ? status_of(&session) : message_failed_launch(&err, launches, 0);
	session_finish(&session);
	if (!push_process_finish(&push) && status == EXIT_SUCCESS)
		status = EXIT_FAILURE;
	close(signals_fd);
	return status;
}
