/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of what was read, with the values of one type (recording.h). */
#include "src/count/import/recording.h"

#include "src/base/mem.h"
#include "src/count/report-build.h"
#include "src/facts/snapshot.h"

#include <stdlib.h>
#include <string.h>

/* As pprof chooses: what the file says, else the last. */
uint32_t recording_default_type(const struct recording *recording)
{
	const struct origin *origin = recording->origin;
	uint32_t found;
	if (origin->default_type[0] &&
		origin_find_type(origin, origin->default_type, &found))
		return found;
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

/* What weighs VALUES, of a row, as a sample of the type that is shown. */
static struct sample sample_of(
	const struct origin *origin, uint32_t type, const int64_t *values)
{
	uint64_t scale, samples = 1;
	size_t count = count_type(origin, type);
	value_kind(&origin->types.data[type], &scale);
	if (count < origin->types.len)
		samples = counted(values[count], 1);
	return (struct sample){
		.time_ns = ORIGIN_START_NS,
		.cpu_ns = counted(values[type], scale),
		.count = samples > UINT32_MAX ? UINT32_MAX : (uint32_t)samples,
		.state = THREAD_RUNNING,
	};
}

/* Of our samples that stand for others, too (src/keep/sample-log.h), the values say for how
   many, and the times how many were taken. */
static void count_taken(
	const struct origin *origin, uint32_t type, uint32_t taken, struct sample *sample)
{
	size_t count = count_type(origin, type);
	if (count == origin->types.len ||
		strcmp(origin->types.data[count].type, "samples") != 0 || taken == 0 ||
		sample->count <= taken)
		return;
	uint32_t odds = (sample->count + taken / 2) / taken;
	sample->odds = (uint8_t)(odds < UINT8_MAX ? odds : UINT8_MAX);
	sample->count = taken;
}

/* Without times all samples are at the begin. */
static void show_rows(struct recording *recording, uint32_t type)
{
	const struct origin *origin = recording->origin;
	for (size_t i = 0; i < origin->rows.cap; i++) {
		const struct idmap_entry *entry = &origin->rows.entries[i];
		if (!entry->used)
			continue;
		struct sample sample = sample_of(origin, type,
			origin->values.data + (size_t)entry->value * origin->types.len);
		sample.thread = (uint32_t)entry->a;
		sample.stack = (uint32_t)entry->b;
		sample_log_add(&recording->samples, &sample);
	}
}

static void show_moments(struct recording *recording, uint32_t type)
{
	const struct origin *origin = recording->origin;
	struct {
		uint32_t thread, stack;
	} *rows = mem_zalloc((origin->rows.len + 1) * sizeof(*rows));
	for (size_t i = 0; i < origin->rows.cap; i++) {
		const struct idmap_entry *entry = &origin->rows.entries[i];
		if (!entry->used)
			continue;
		rows[entry->value].thread = (uint32_t)entry->a;
		rows[entry->value].stack = (uint32_t)entry->b;
	}
	vec_each (&origin->moments, moment) {
		struct sample sample = sample_of(origin, type,
			origin->moment_values.data +
				(size_t)moment->place * origin->types.len);
		count_taken(origin, type, moment->count, &sample);
		sample.time_ns = moment->time_ns;
		sample.wall_ns = moment->weight_ns;
		sample.thread = rows[moment->row].thread;
		sample.stack = rows[moment->row].stack;
		sample_log_add(&recording->samples, &sample);
	}
	free(rows);
}

/* Fill the log with the values of TYPE. */
static void show(struct recording *recording, uint32_t type)
{
	sample_log_clear(&recording->samples);
	recording->shown = type;
	if (type >= recording->origin->types.len)
		return;
	if (recording->origin->moments.len)
		show_moments(recording, type);
	else
		show_rows(recording, type);
}

uint64_t recording_length_ns(struct recording *recording)
{
	recording_settle_times(recording);
	const struct origin *origin = recording->origin;
	uint64_t length_ns = origin->duration_ns > 0 ? (uint64_t)origin->duration_ns : 1;
	if (!origin->moments.len)
		return length_ns;
	/* Several files together may last longer than they do one by one. */
	uint64_t last_ns = origin->moments.data[origin->moments.len - 1].time_ns;
	return last_ns >= length_ns ? last_ns : length_ns;
}

static int compare_marks(const void *a, const void *b)
{
	const struct time_mark *x = a, *y = b;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Marks are among the comments of a file (src/facts/text/time-mark.h). The caller frees them. */
static struct time_mark *marks_of(const struct origin *origin, size_t *n_marks)
{
	struct time_mark *marks = mem_alloc((origin->comments.len + 1) * sizeof(*marks)),
			 mark = {0};
	uint64_t begin_ns = origin->time_ns > 0 ? (uint64_t)origin->time_ns : 0, wall_ns;
	size_t n = 0;
	vec_each (&origin->comments, comment) {
		if (!time_mark_parse(*comment, &mark, &wall_ns) || wall_ns < begin_ns)
			continue;
		mark.time_ns = ORIGIN_START_NS + (wall_ns - begin_ns);
		marks[n++] = mark;
	}
	qsort(marks, n, sizeof(*marks), compare_marks); /* several files in any order */
	*n_marks = n;
	return marks;
}

struct report *recording_report(
	struct recording *recording, const struct report_request *request)
{
	const struct origin *origin = recording->origin;
	uint64_t length_ns = recording_length_ns(recording);
	uint64_t start_wall_ns = origin->time_ns > 0 ? (uint64_t)origin->time_ns : 0;
	struct report_input input = {
		.profile = recording->profile,
		.naming = recording->naming,
		.stacktab = recording->stacktab,
		.samples = &recording->samples,
		.since_ns = ORIGIN_START_NS,
		.now_ns = ORIGIN_START_NS + length_ns,
		.now_wall_ns = start_wall_ns ? start_wall_ns + length_ns : 0,
		.origin = origin,
	};
	struct report_request asked = *request;
	if (recording->samples.len == 0 || request->sample_type != recording->shown)
		show(recording, request->sample_type);
	input.shown_type = recording->shown;
	asked.wall = false;
	if (!origin->moments.len) {
		asked.window_ns = asked.until_ns = 0;
		asked.moments = false;
	}
	struct time_mark *marks = marks_of(origin, &input.n_time_marks);
	input.time_marks = marks;
	struct report *report = report_build(&input, &asked);
	free(marks);
	report->request.serial = request->serial;
	return report;
}
