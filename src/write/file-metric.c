/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/file-metric.h"

static uint64_t wall_of(const struct weight *weight)
{
	return weight->wall_ns;
}

static uint64_t cpu_of(const struct weight *weight)
{
	return weight->cpu_ns;
}

static uint64_t samples_of(const struct weight *weight)
{
	return weight->instants;
}

/* A report has times in ns and sizes in bytes, whatever unit the file has. */
static struct file_metric of_file(const struct report *report)
{
	const struct value_type *type = &report->origin->types.data[report->shown_type];
	enum value_kind kind = report_value_kind(report);
	return (struct file_metric){
		.of = cpu_of,
		.name = type->type,
		.type = type->type,
		.unit = kind == VALUE_TIME    ? "nanoseconds"
			: kind == VALUE_BYTES ? "bytes"
					      : type->unit,
		.kind = kind,
	};
}

struct file_metric file_metric_of(const struct report *report)
{
	static const struct file_metric wall = {wall_of, "wall clock", "wall",
						"nanoseconds", VALUE_TIME},
					cpu = {cpu_of, "CPU time", "cpu", "nanoseconds",
						VALUE_TIME},
					samples = {samples_of, "samples", "samples",
						"count", VALUE_COUNT};
	if (report->origin)
		return of_file(report);
	if (report_counts_event(report))
		return (struct file_metric){.of = cpu_of,
			.name = report->event.name,
			.type = report->event.name,
			.unit = report->event.argument ? "bytes" : "count",
			.kind = report_value_kind(report)};
	if (report->total.wall_ns)
		return wall;
	return report->total.cpu_ns ? cpu : samples;
}
