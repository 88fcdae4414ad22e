/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of what was read, with the values of one type (recording.h). */
#include "src/import/recording.h"

#include "src/model/snapshot.h"
#include "src/report/report-build.h"

#include <string.h>

enum {
	START_NS = 1, /* when all samples were: a file's have no times of their own */
};

/* As pprof chooses: what the file says, else the last. */
uint32_t recording_default_type(const struct recording *recording)
{
	const struct origin *origin = recording->origin;
	for (size_t i = 0; i < origin->types.len; i++)
		if (origin->default_type[0] &&
			strcmp(origin->types.data[i].type, origin->default_type) == 0)
			return (uint32_t)i;
	return origin->types.len ? (uint32_t)origin->types.len - 1 : 0;
}

/* The type that says how often what TYPE weighs was seen: it stands before it, as objects
   before bytes, and samples before CPU time. n_types if there is none. */
static size_t count_type(const struct origin *origin, size_t type)
{
	for (size_t i = type + 1; i-- > 0;)
		if (strcmp(origin->types.data[i].unit, "count") == 0)
			return i;
	return origin->types.len;
}

/* A value that a report can add up. */
static uint64_t counted(int64_t value, uint64_t scale)
{
	return value > 0 ? (uint64_t)value * scale : 0;
}

/* Fill the window with the values of TYPE. */
static void show(struct recording *recording, uint32_t type)
{
	const struct origin *origin = recording->origin;
	size_t n_types = origin->types.len, count;
	uint64_t scale;

	sample_log_clear(&recording->samples);
	recording->shown = type;
	if (type >= n_types)
		return;
	count = count_type(origin, type);
	value_kind(&origin->types.data[type], &scale);
	for (size_t i = 0; i < origin->rows.cap; i++) {
		const struct idmap_entry *entry = &origin->rows.entries[i];
		if (!entry->used)
			continue;
		const int64_t *values =
			origin->values.data + (size_t)entry->value * n_types;
		uint64_t samples = count < n_types ? counted(values[count], 1) : 1;
		sample_log_add(&recording->samples,
			&(struct sample){
				.time_ns = START_NS,
				.cpu_ns = counted(values[type], scale),
				.thread = (uint32_t)entry->a,
				.stack = (uint32_t)entry->b,
				.count = samples > UINT32_MAX ? UINT32_MAX
							      : (uint32_t)samples,
				.state = THREAD_RUNNING,
			});
	}
}

struct report *recording_report(
	struct recording *recording, const struct report_request *request)
{
	const struct origin *origin = recording->origin;
	uint64_t duration_ns =
		origin->duration_ns > 0 ? (uint64_t)origin->duration_ns : START_NS;
	uint64_t start_wall_ns = origin->time_ns > 0 ? (uint64_t)origin->time_ns : 0;
	struct report_input input = {
		.profile = recording->profile,
		.naming = recording->naming,
		.stacktab = recording->stacktab,
		.samples = &recording->samples,
		.now_ns = START_NS + duration_ns,
		.now_wall_ns = start_wall_ns + duration_ns,
		.origin = origin,
	};
	struct report_request all = *request;
	if (recording->samples.len == 0 || request->sample_type != recording->shown)
		show(recording, request->sample_type);
	input.shown_type = recording->shown;
	all.window_ns = 0;
	all.until_ns = 0;
	all.wall = false;
	struct report *report = report_build(&input, &all);
	report->request.serial = request->serial;
	return report;
}
