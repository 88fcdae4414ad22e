/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/lookback.h"

#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/run/record-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_EVERY_MS = 100,
	ASKED_LOOK_MS = 10,
	/* Lines are looked up while sampling; what is missing then is late anyway. */
	LINES_WAIT_MS = 500,
};

/* --- the meter, some time ago ---------------------------------------------------------- */

static void read_meter(
	struct lookback *lookback, struct lookback_reading *reading, uint64_t now_ns)
{
	reading->time_ns = now_ns;
	reading->own_ns = own_cpu_ns();
	meter_copy(session_meter(lookback->session), &reading->meter);
}

static void read_meter_if_due(struct lookback *lookback, uint64_t now_ns)
{
	uint64_t n = lookback->n_readings;
	if (n && now_ns - lookback->readings[(n - 1) % LOOKBACK_S].time_ns < NS_PER_SEC)
		return;
	read_meter(lookback, &lookback->readings[n % LOOKBACK_S], now_ns);
	lookback->n_readings++;
}

static const struct lookback_reading *oldest_reading(const struct lookback *lookback)
{
	uint64_t n = lookback->n_readings;
	return &lookback->readings[n > LOOKBACK_S ? n % LOOKBACK_S : 0];
}

/* --- files ----------------------------------------------------------------------------- */

static void tell_value(const struct lookback *lookback)
{
	const struct trigger *trigger = &lookback->options->triggers[lookback->turn];
	fprintf(stderr, "cproftop: %s: ", trigger->text);
	if (trigger->is_time)
		fprintf(stderr, "%.3g s; ", lookback->value);
	else
		fprintf(stderr, "%.1f %%; ", 100 * lookback->value);
}

static void write_file(struct lookback *lookback, struct report *report)
{
	const struct options *options = lookback->options;
	const struct lookback_reading *before = oldest_reading(lookback);
	uint64_t bytes;
	struct error err;
	struct summary summary = record_file_summary(options, report, &before->meter,
		&lookback->now.meter, lookback->now.own_ns - before->own_ns);
	char *path = record_file_path(options->output, lookback->session,
		lookback->format, report->start_wall_ns);
	bool done = record_file_write(options, lookback->session, lookback->format,
		report, &summary, path, &bytes, &err);
	if (done) {
		lookback->files++;
		lookback->bytes += bytes;
		if (!options->quiet) {
			tell_value(lookback);
			fprintf(stderr, "wrote %s: %" PRIu64 " samples in %.2f s\n", path,
				summary.samples,
				(double)summary.duration_ns / NS_PER_SEC);
		}
		done = !options->exec || hook_run(&lookback->hook, path, &err);
	} else {
		lookback->failed++;
	}
	if (!done)
		fprintf(stderr, "cproftop: %s; sampling goes on\n", err.text);
	free(path);
	report_destroy(report);
}

static void ask_for_file(struct lookback *lookback, uint64_t now_ns)
{
	struct report_request request = record_file_request(lookback->options, now_ns);
	request.window_ns = LOOKBACK_S * NS_PER_SEC;
	request.lines_wait_ns = LINES_WAIT_MS * NS_PER_MS;
	analyst_request(lookback->session->analyst, &request);
	lookback->asked = LOOKBACK_WRITING;
	read_meter(lookback, &lookback->now, now_ns);
}

/* --- triggers -------------------------------------------------------------------------- */

static bool has_room(struct lookback *lookback)
{
	const struct options *options = lookback->options;
	if (trigger_quota_allows(&options->quota, lookback->files, lookback->bytes))
		return true;
	if (!lookback->is_full && !options->quiet)
		fprintf(stderr,
			"cproftop: %s: no more files are written (--at-most): %" PRIu64
			" with %" PRIu64 " bytes are there\n",
			options->triggers[lookback->turn].text, lookback->files,
			lookback->bytes);
	lookback->is_full = true;
	return false;
}

/* The trigger whose turn it is has its report. */
static void judge(struct lookback *lookback, struct report *report)
{
	const struct trigger *trigger = &lookback->options->triggers[lookback->turn];
	uint64_t at_ns = report->end_ns;
	lookback->value = trigger_value(trigger, report);
	report_destroy(report);
	if (!trigger_fires(
		    trigger, &lookback->states[lookback->turn], lookback->value, at_ns) ||
		!has_room(lookback))
		return;
	analyst_mark(lookback->session->analyst, at_ns, trigger->text);
	ask_for_file(lookback, clock_monotonic_ns());
}

static void look(struct lookback *lookback, uint64_t now_ns)
{
	const struct options *options = lookback->options;
	struct report_request request =
		trigger_request(&options->triggers[lookback->turn], now_ns);
	request.naming = options->naming;
	analyst_request(lookback->session->analyst, &request);
	lookback->asked = LOOKBACK_LOOKING;
	lookback->next_ns = now_ns + LOOK_EVERY_MS * NS_PER_MS / options->n_triggers;
}

static void take(struct lookback *lookback, struct report *report)
{
	bool was_looking = lookback->asked == LOOKBACK_LOOKING;
	lookback->asked = LOOKBACK_IDLE;
	if (was_looking)
		judge(lookback, report);
	else
		write_file(lookback, report);
	if (lookback->asked == LOOKBACK_IDLE)
		lookback->turn = (lookback->turn + 1) % lookback->options->n_triggers;
}

static void reap(struct lookback *lookback)
{
	struct error err;
	while (!hook_reap(&lookback->hook, &err))
		fprintf(stderr, "cproftop: %s\n", err.text);
}

/* --- all ------------------------------------------------------------------------------- */

void lookback_init(struct lookback *lookback, const struct options *options,
	struct session *session, const struct export_format *format,
	const struct caller_state *caller)
{
	memset(lookback, 0, sizeof(*lookback));
	lookback->options = options;
	lookback->session = session;
	lookback->format = format;
	lookback->hook.command = options->exec;
	lookback->hook.caller = caller;
}

int lookback_step(struct lookback *lookback, uint64_t now_ns)
{
	struct report *report = lookback->asked == LOOKBACK_IDLE
					? NULL
					: analyst_take(lookback->session->analyst);
	read_meter_if_due(lookback, now_ns);
	reap(lookback);
	if (report)
		take(lookback, report);
	if (lookback->asked == LOOKBACK_IDLE && now_ns >= lookback->next_ns)
		look(lookback, now_ns);
	if (lookback->asked != LOOKBACK_IDLE)
		return ASKED_LOOK_MS;
	return (int)((lookback->next_ns - now_ns) / NS_PER_MS) + 1;
}

void lookback_settle(struct lookback *lookback)
{
	struct analyst *analyst = lookback->session->analyst;
	while (lookback->asked != LOOKBACK_IDLE)
		take(lookback, analyst_await(analyst));
}

bool lookback_finish(struct lookback *lookback, struct error *err)
{
	lookback_settle(lookback);
	reap(lookback);
	hook_finish(&lookback->hook);
	return !lookback->failed ||
	       error_set(err, "%" PRIu64 " of %" PRIu64 " files could not be written",
		       lookback->failed, lookback->failed + lookback->files);
}
