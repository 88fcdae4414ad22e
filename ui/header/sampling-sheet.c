/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/sampling-sheet.h"

#include "ui/draw/format.h"

#include <stdarg.h>
#include <stdio.h>

static void add(struct sheet *sheet, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct sheet *sheet, const char *key, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sheet_add(sheet, false, key, text);
}

static void add_rate(
	struct sheet *sheet, const struct gauges *gauges, const struct report *report)
{
	static const char *const holders[METER_HELD_COUNT] = {
		[METER_FREE] = "",
		[METER_HELD_OVERHEAD] = ", less for --max-overhead",
		[METER_HELD_CPU] = ", less for --max-cpu",
	};

	sheet_add(sheet, true, "", "Now: the last two seconds");
	if (gauges->sampling_ended)
		add(sheet, "rate", "sampling has ended");
	else if (gauges->asked_hz == 0)
		add(sheet, "rate", "paused: . samples again");
	else
		add(sheet, "rate", "%s%s",
			format_rate(gauges->rate_hz, gauges->asked_hz).text,
			holders[gauges->held_by]);
	if (report && report_counts_event(report))
		add(sheet, event_counted_name(&report->event),
			"%s a second, by the kernel's count",
			format_count((uint64_t)gauges->events_hz).text);
	else
		add(sheet, "CPU",
			"%s charged to the target by the kernel, %s met by samples",
			format_share(gauges->kernel_cpu_share).text,
			format_share(gauges->sampled_cpu_share).text);
	if (gauges->engine == ENGINE_PERF)
		add(sheet, "engine",
			"perf: the kernel takes the samples, without a stop");
	else
		add(sheet, "stopped",
			"%s: for this share of its running time the target was stopped",
			format_share(gauges->paused_share).text);
	if (gauges->unwind_by == UNWIND_BY_LIBUNWIND)
		add(sheet, "unwinder", "libunwind walks the copied stacks");
	add(sheet, "cproftop", "%s of a CPU, itself",
		format_share(gauges->own_cpu_share).text);
}

static void add_totals(
	struct sheet *sheet, const struct gauges *gauges, const struct report *report)
{
	uint64_t displaced = gauges->samples_late + gauges->samples_elsewhere;

	sheet_add(sheet, true, "", "Since sampling began");
	add(sheet, "samples", "%s in %s", format_count(gauges->samples).text,
		format_duration(gauges->elapsed_ns).text);
	if (gauges->engine != ENGINE_PERF)
		add(sheet, "stops", "%s p50, %s p99, %s the longest",
			format_duration(gauges->stop_p50_ns).text,
			format_duration(gauges->stop_p99_ns).text,
			format_duration(gauges->stop_max_ns).text);
	add(sheet, "lost", "%s samples: taken, but dropped because we were too slow",
		format_count(gauges->lost).text);
	add(sheet, "late",
		"%s of %s instants were given up, because we got no CPU in time",
		format_count(gauges->instants_late).text,
		format_count(gauges->instants_late + gauges->periods).text);
	add(sheet, "elsewhere",
		"%s samples may not show where their thread was at the instant",
		format_count(displaced).text);
	add(sheet, "tracers", "%s died and were replaced",
		format_count(gauges->tracer_deaths).text);
	add(sheet, "readers", "%s died or hung, and were replaced",
		format_count(report ? report->reader_deaths : 0).text);
}

void sheet_sampling(struct sheet *sheet, const struct gauges *gauges,
	const struct source_facts *facts, const struct report *report)
{
	sheet_start(sheet, "Sampling");
	if (facts->origin) {
		sheet_add(sheet, false, "", "Nothing is sampled: this is a file.");
	} else {
		add_rate(sheet, gauges, report);
		add_totals(sheet, gauges, report);
	}
	if (report) {
		sheet_add(sheet, true, "", "What is kept");
		add(sheet, "kept", "%s, %s of samples",
			format_duration(report->history_ns).text,
			format_bytes(report->history_bytes).text);
	}
	sheet_add(sheet, true, "", "Signs on the timeline");
	sheet_add(sheet, false, "!", "samples were lost");
	sheet_add(sheet, false, "~", "more than a tenth of the instants came late");
}
