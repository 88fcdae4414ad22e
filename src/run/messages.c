/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/messages.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/count/languages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int message_failure(const struct error *err)
{
	char text[4 * sizeof(err->text)];
	clean_text(text, sizeof(text), err->text, strlen(err->text));
	fprintf(stderr, "cproftop: %s\n", text);
	return EXIT_FAILURE;
}

void message_left_out(const struct left_out *left_out)
{
	size_t told = left_out->n < LEFT_OUT_TOLD ? left_out->n : LEFT_OUT_TOLD;
	for (size_t i = 0; i < told; i++) {
		struct error line;
		error_set(&line, "left out: %.480s", left_out->why[i].text);
		message_failure(&line);
	}
	if (left_out->stacks.text[0])
		message_failure(&left_out->stacks);
	if (left_out->n > told)
		fprintf(stderr, "cproftop: left out: %zu more files\n",
			left_out->n - told);
}

int message_failed_launch(const struct error *err, bool launches, int launch_errnum)
{
	int status = message_failure(err);
	if (!launches)
		return status;
	return launch_errnum == 0	 ? EXIT_LAUNCHER
	       : launch_errnum == ENOENT ? EXIT_NOT_FOUND
					 : EXIT_NOT_EXECUTABLE;
}

void message_names(const struct report *report, struct debug_fetch *fetch)
{
	char text[LANGUAGES_TEXT_MAX + 128];
	unsigned deaths = report->lines_deaths;
	if (report->places[0])
		fprintf(stderr, "cproftop: %s\n", report->places);
	if (report->refusal[0])
		fprintf(stderr, "cproftop: /tmp/perf-%d.map gives no names: %s\n",
			(int)report->refusal_pid, report->refusal);
	if (languages_text(report, text, sizeof(text)))
		fprintf(stderr, "cproftop: %s\n", text);
	if (report->too_large[0])
		fprintf(stderr, "cproftop: %s\n", report->too_large);
	if (fetch && debug_fetch_result(fetch, text, sizeof(text)))
		fprintf(stderr, "cproftop: %s\n", text);
	if (deaths)
		fprintf(stderr,
			"cproftop: %u file%s no source lines: the process that reads "
			"debugging information died of %s\n",
			deaths, deaths == 1 ? " has" : "s have",
			deaths == 1 ? "it" : "them");
}

void message_progress(const struct meter *meter, uint64_t now_ns)
{
	uint64_t elapsed_ns = meter_sampled_for_ns(meter, now_ns);
	fprintf(stderr,
		"\rcproftop: %.1f s, %" PRIu64 " samples, CPU %.0f %%, stop p50 %.0f us ",
		(double)elapsed_ns / NS_PER_SEC, meter_get(&meter->samples),
		elapsed_ns ? 100.0 * (double)meter_get(&meter->cpu_kernel_ns) /
				     (double)elapsed_ns
			   : 0,
		(double)meter_stop_percentile(meter, 500) / NS_PER_US);
	fflush(stderr);
}

void message_clear_progress(void)
{
	fputs("\r\033[K", stderr);
}

void message_status(const struct meter *meter, bool is_paused, char *out, size_t size)
{
	snprintf(out, size, "%s, %" PRIu64 " samples in %.1f s",
		is_paused ? "paused" : "sampling", meter_get(&meter->samples),
		(double)(clock_monotonic_ns() - meter_get(&meter->began_ns)) /
			NS_PER_SEC);
}

bool message_gave_up(const struct meter *meter, struct error *err)
{
	if (!meter_get(&meter->gave_up))
		return false;
	error_set(err,
		"sampling ended after %.1f s: the process that samples died again and "
		"again, %" PRIu64 " times in all; does something kill it?",
		(double)(meter_get(&meter->ended_ns) - meter_get(&meter->began_ns)) /
			NS_PER_SEC,
		meter_get(&meter->deaths));
	return true;
}
