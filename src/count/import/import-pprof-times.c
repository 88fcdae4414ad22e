/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/import-pprof-times.h"

#include "src/base/mem.h"
#include "src/base/proto/pprof-times.h"
#include "src/facts/text/base64.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNPACKED_TIMES = 8, /* a byte of them becomes no more, unpacked */
};

static bool visit_times(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	if (field->type != WIRE_BYTES)
		return error_set(err, "its times are no message: the file is damaged");
	file->times = *field;
	return true;
}

static bool has_all_columns(const PB(Times) * message)
{
	size_t n = message->n_tick;
	return message->tick_nanos > 0 && message->weight_nanos > 0 &&
	       message->n_sample == n && message->n_count == n && message->n_weight == n;
}

/* Those of a text; of several files put together the last one's, as of fields. */
static PB(Times) * unpack_text(const struct pprof_text *text)
{
	const size_t prefix = strlen(PPROF_TIMES_PREFIX);
	size_t length = text->length - prefix, size;
	uint8_t *bytes = mem_alloc(length + 1);
	PB(Times) *message = NULL;
	if (base64_get((const char *)text->bytes + prefix, length, bytes, &size))
		message = perftools__profiles__times__unpack(NULL, size, bytes);
	free(bytes);
	return message;
}

static bool has_prefix(const struct pprof_text *text)
{
	const size_t prefix = strlen(PPROF_TIMES_PREFIX);
	return text->length >= prefix &&
	       memcmp(text->bytes, PPROF_TIMES_PREFIX, prefix) == 0;
}

bool pprof_times_find(
	struct pprof_times *times, struct pprof_file *file, struct error *err)
{
	const struct pprof_text *text = NULL;
	vec_each (&file->strings, string)
		if (has_prefix(string))
			text = string;
	if (!text && !pprof_file_visit(file, PPROF_TIMES, visit_times, err))
		return false;
	if (!text && !file->times.bytes)
		return true;
	size_t bytes = UNPACKED_TIMES * (text ? text->length : file->times.length);
	struct recording *recording = file->recording;
	recording->has_lost_times |= !recording_has_room(recording, bytes);
	if (recording->has_lost_times)
		return true;
	recording->beside_bytes += bytes;
	times->message = text ? unpack_text(text)
			      : perftools__profiles__times__unpack(
					NULL, file->times.length, file->times.bytes);
	if (times->message && has_all_columns(times->message))
		return true;
	return error_set(err, "its times cannot be read: the file is damaged");
}

void pprof_times_finish(struct pprof_times *times)
{
	if (times->message)
		perftools__profiles__times__free_unpacked(times->message, NULL);
	times->message = NULL;
	vec_free(&times->samples);
	vec_free(&times->values);
}

void pprof_times_add_sample(struct pprof_times *times, const struct pprof_file *file,
	uint32_t row, const int64_t *values)
{
	struct recording *recording = file->recording;
	if (times->message && recording_is_full(recording)) {
		recording->has_lost_times = true;
		pprof_times_finish(times);
	}
	if (!times->message)
		return;
	recording->beside_bytes += sizeof(*times->samples.data) +
				   recording->origin->types.len * sizeof(*values);
	vec_push(&times->samples, (struct pprof_times_sample){.row = row});
	for (size_t i = 0; i < recording->origin->types.len; i++)
		vec_push(&times->values, values[i]);
}

/* The values of entry INDEX: what its sample's sum grows by. */
static void values_of(struct pprof_times *times, const struct origin *origin,
	size_t index, int64_t *values)
{
	const PB(Times) *message = times->message;
	struct pprof_times_sample *sample = &times->samples.data[message->sample[index]];
	const int64_t *totals =
		times->values.data + message->sample[index] * origin->types.len;
	for (size_t i = 0; i < origin->types.len; i++) {
		bool counts = strcmp(origin->types.data[i].unit, "count") == 0;
		bool by_count = (counts && sample->count) || !sample->weight;
		uint64_t before = by_count ? sample->count_before : sample->weight_before;
		uint64_t part = by_count ? message->count[index] : message->weight[index];
		uint64_t whole = by_count ? sample->count : sample->weight;
		/* With nothing to share it by, all of it is the first entry's. */
		if (whole)
			values[i] = recording_share(totals[i], before, part, whole);
		else
			values[i] = sample->is_begun ? 0 : totals[i];
	}
	sample->is_begun = true;
	sample->count_before += message->count[index];
	sample->weight_before += message->weight[index];
}

static bool add_up(struct pprof_times *times, struct error *err)
{
	const PB(Times) *message = times->message;
	for (size_t i = 0; i < message->n_tick; i++) {
		if (message->sample[i] >= times->samples.len)
			return error_set(err,
				"its times are of sample %u of %zu: the file is damaged",
				message->sample[i], times->samples.len);
		struct pprof_times_sample *sample =
			&times->samples.data[message->sample[i]];
		sample->count += message->count[i];
		sample->weight += message->weight[i];
	}
	return true;
}

bool pprof_times_read(
	struct pprof_times *times, struct pprof_file *file, struct error *err)
{
	struct recording *recording = file->recording;
	const PB(Times) *message = times->message;
	int64_t values[RECORDING_TYPES_MAX];
	uint64_t tick = 0;
	if (!message)
		return true;
	if (!add_up(times, err))
		return false;
	for (size_t i = 0; i < message->n_tick; i++) {
		tick += message->tick[i];
		values_of(times, recording->origin, i, values);
		const struct recording_moment moment = {
			.begin_ns = file->begin_ns,
			.tick_ns = (uint64_t)message->tick_nanos,
			.tick = tick,
			.row = times->samples.data[message->sample[i]].row,
			.unit_ns = (uint64_t)message->weight_nanos,
			.weight = message->weight[i],
			.count = message->count[i],
		};
		if (!recording_add_moment(recording, &moment, values, err))
			return false;
	}
	return true;
}
