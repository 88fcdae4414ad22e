/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/rotation.h"

#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/run/record-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAST_LINES_WAIT_S = 60,
	TOLD_LINES_WAIT_S = 1, /* most were looked up while it sampled */
	ASKED_LOOK_MS = 10,
};

bool rotation_check(
	const char *folder, const struct export_format *format, struct error *err)
{
	return record_file_check_folder("--every", folder, format, err);
}

/* --- files ------------------------------------------------------------------------- */

static void add_stacks_and_threads(struct summary *sum, const struct summary *part)
{
	sum->samples_unfiltered += part->samples_unfiltered;
	health_add(&sum->health, &part->health);
	nameless_add(&sum->nameless, &part->nameless);
	sum->threads_cpu_ns += part->threads_cpu_ns;
	sum->threads_runq_ns += part->threads_runq_ns;
	sum->threads_blocked_ns += part->threads_blocked_ns;
}

static bool write_interval(
	struct rotation *rotation, struct report *report, struct error *err)
{
	struct summary summary = record_file_summary(rotation->options, report,
		&rotation->before, &rotation->at_cut,
		rotation->self_at_cut_ns - rotation->self_before_ns);
	add_stacks_and_threads(&rotation->earlier, &summary);
	meter_copy(&rotation->at_cut, &rotation->before);
	rotation->self_before_ns = rotation->self_at_cut_ns;
	char *path = record_file_path(rotation->options->output, rotation->session,
		rotation->format, report->start_wall_ns);
	bool done = record_file_write(rotation->options, rotation->session,
		rotation->format, report, &summary, path, NULL, err);
	if (done)
		record_file_prune(rotation->options, rotation->session, rotation->format);
	rotation->written += done;
	rotation->failed += !done;
	if (done && !rotation->options->quiet)
		fprintf(stderr, "cproftop: wrote %s: %" PRIu64 " samples in %.2f s\n",
			path, summary.samples, (double)summary.duration_ns / NS_PER_SEC);
	free(path);
	report_destroy(report);
	return done;
}

static void write_and_go_on(struct rotation *rotation, struct report *report)
{
	struct error err;
	if (!write_interval(rotation, report, &err))
		fprintf(stderr,
			"cproftop: %s; these samples are lost, sampling goes on\n",
			err.text);
}

/* --- time -------------------------------------------------------------------------- */

void rotation_init(struct rotation *rotation, const struct options *options,
	struct session *session, const struct export_format *format)
{
	*rotation = (struct rotation){
		.options = options,
		.session = session,
		.format = format,
		.self_before_ns = own_cpu_ns(),
	};
	meter_copy(session_meter(session), &rotation->before);
}

static void read_meters(struct rotation *rotation)
{
	meter_copy(session_meter(rotation->session), &rotation->at_cut);
	rotation->self_at_cut_ns = own_cpu_ns();
}

static void cut(struct rotation *rotation, uint64_t lines_wait_ns)
{
	struct report_request request =
		record_file_request(rotation->options, rotation->cut_ns);
	request.lines_wait_ns = lines_wait_ns;
	request.forget = true;
	analyst_request(rotation->session->analyst, &request);
	rotation->asked = true;
	read_meters(rotation);
}

/* Intervals end at fixed times: if one ends late, for example after Ctrl-Z, it is longer
   and the next one shorter. */
static void cut_if_due(struct rotation *rotation, uint64_t now_ns)
{
	uint64_t every_ns = (uint64_t)(rotation->options->every_s * NS_PER_SEC);
	if (!rotation->next_ns)
		rotation->next_ns = now_ns + every_ns;
	if (now_ns < rotation->next_ns)
		return;
	uint64_t late = (now_ns - rotation->next_ns) / every_ns;
	rotation->cut_ns = rotation->next_ns + late * every_ns;
	rotation->next_ns = rotation->cut_ns + every_ns;
	cut(rotation, every_ns / 2);
}

int rotation_step(struct rotation *rotation, uint64_t now_ns)
{
	struct report *report =
		rotation->asked ? analyst_take(rotation->session->analyst) : NULL;
	if (report) {
		rotation->asked = false;
		write_and_go_on(rotation, report);
		now_ns = clock_monotonic_ns();
	}
	if (!rotation->asked)
		cut_if_due(rotation, now_ns);
	if (rotation->asked)
		return ASKED_LOOK_MS;
	return (int)((rotation->next_ns - now_ns) / NS_PER_MS) + 1;
}

bool rotation_finish(
	struct rotation *rotation, bool told, struct summary *summary, struct error *err)
{
	struct analyst *analyst = rotation->session->analyst;
	if (rotation->asked)
		write_and_go_on(rotation, analyst_await(analyst));
	const struct meter *meter = session_meter(rotation->session);
	rotation->cut_ns = meter_get(&meter->ended_ns) + 1;
	cut(rotation, (told ? TOLD_LINES_WAIT_S : LAST_LINES_WAIT_S) * NS_PER_SEC);
	struct report *report = analyst_await(analyst);
	*summary = summary_of(meter, report, clock_monotonic_ns(), own_cpu_ns());
	bool done = write_interval(rotation, report, err);
	summary->samples_unfiltered = rotation->earlier.samples_unfiltered;
	summary->health = rotation->earlier.health;
	summary->nameless = rotation->earlier.nameless;
	summary->threads_cpu_ns = rotation->earlier.threads_cpu_ns;
	summary->threads_runq_ns = rotation->earlier.threads_runq_ns;
	summary->threads_blocked_ns = rotation->earlier.threads_blocked_ns;
	if (done && rotation->failed)
		done = error_set(err, "%u of %u files could not be written",
			rotation->failed, rotation->failed + rotation->written);
	return done;
}
