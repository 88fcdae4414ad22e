/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's profile.proto, compressed or not, of any producer and with any types of values.
 * Nothing that the format has is lost: what a report has no place for goes into the origin
 * (src/facts/origin.h).
 */
#include "src/base/input-file.h"
#include "src/base/mem.h"
#include "src/count/import/import-formats.h"
#include "src/count/import/import-pprof-tables.h"
#include "src/count/import/import-pprof-times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNPACKED_MAX = 128 << 20,
	LABELS_MAX = 4096, /* of one sample */
};

struct pprof_reader {
	struct pprof_file file;	   /* first: visitors get a pointer to it */
	struct idmap paths;	   /* (path, what comes next in a label) -> path */
	struct idmap path_threads; /* (path of all labels, 0) -> thread */
	uint64_t n_samples;
	VEC(struct label) labels; /* of the sample at hand */
	VEC(uint32_t) locations;
	struct pprof_times times;
	uint32_t n_types;
};

/* --- is it one? ----------------------------------------------------------------------- */

static bool is_wire_type(uint32_t number, enum wire_type type)
{
	switch (number) {
	case PPROF_SAMPLE_TYPE:
	case PPROF_SAMPLE:
	case PPROF_MAPPING:
	case PPROF_LOCATION:
	case PPROF_FUNCTION:
	case PPROF_STRING:
	case PPROF_PERIOD_TYPE:
		return type == WIRE_BYTES;
	case PPROF_COMMENT: /* packed or not */
		return type == WIRE_BYTES || type == WIRE_VARINT;
	case PPROF_DROP_FRAMES:
	case PPROF_KEEP_FRAMES:
	case PPROF_TIME:
	case PPROF_DURATION:
	case PPROF_PERIOD:
	case PPROF_DEFAULT_TYPE:
	case PPROF_DOC_URL:
		return type == WIRE_VARINT;
	case PPROF_TIMES:
		return type == WIRE_BYTES;
	default:
		return number < 100; /* of a later version */
	}
}

static bool has_control(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)bytes[i] < ' ' && !strchr("\t\n\r", bytes[i]))
			return true;
	return false;
}

static bool is_pprof(const char *bytes, size_t length)
{
	struct wire rest = {(const uint8_t *)bytes, (const uint8_t *)bytes + length};
	struct wire_field field;
	size_t known = 0;
	if (!has_control(bytes, length)) /* lengths and indices have small numbers */
		return false;
	while (wire_next(&rest, &field)) {
		if (!is_wire_type(field.number, field.type))
			return false;
		known++;
	}
	/* What is cut off by the end of BYTES may be the first field already. */
	struct wire tag = rest;
	uint64_t first;
	return known > 0 ||
	       (wire_varint(&tag, &first) && first >> 3 <= PPROF_DOC_URL &&
		       is_wire_type((uint32_t)(first >> 3), (enum wire_type)(first & 7)));
}

/* --- what the file says as a whole ---------------------------------------------------- */

static bool read_type(struct pprof_file *file, const struct wire_field *field,
	struct value_type *type, struct error *err)
{
	PB(ValueType) *message = perftools__profiles__value_type__unpack(
		NULL, field->length, field->bytes);
	if (!message)
		return error_set(err, "a type of values cannot be read: the file is "
				      "damaged");
	bool done = pprof_file_text(file, message->type, &type->type, err) &&
		    pprof_file_text(file, message->unit, &type->unit, err);
	perftools__profiles__value_type__free_unpacked(message, NULL);
	return done || error_prefix(err, "a type of values");
}

static bool read_types(struct pprof_reader *reader, struct error *err)
{
	struct wire rest = reader->file.content;
	struct wire_field field;
	struct value_type types[RECORDING_TYPES_MAX];
	size_t n = 0;
	while (wire_next(&rest, &field)) {
		if (field.number != PPROF_SAMPLE_TYPE)
			continue;
		if (n == RECORDING_TYPES_MAX)
			return error_set(
				err, "more than %d types of values", RECORDING_TYPES_MAX);
		if (!read_type(&reader->file, &field, &types[n++], err))
			return false;
	}
	reader->n_types = (uint32_t)n;
	return recording_types(reader->file.recording, types, n, err);
}

static bool add_comment(struct pprof_file *file, int64_t index, struct error *err)
{
	const char *text;
	if (!pprof_file_text(file, index, &text, err))
		return error_prefix(err, "a comment");
	recording_comment(file->recording, text);
	return true;
}

static bool read_comments(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	uint64_t index;
	if (file->recording->origin->comments.len > LABELS_MAX)
		return error_set(err, "more than %d comments", LABELS_MAX);
	if (field->type == WIRE_VARINT) /* it has no bytes */
		return add_comment(file, (int64_t)field->value, err);
	struct wire packed = {field->bytes, field->bytes + field->length};
	while (wire_varint(&packed, &index))
		if (!add_comment(file, (int64_t)index, err))
			return false;
	return true;
}

static bool take_text(struct pprof_file *file, const struct wire_field *field,
	const char **place, struct error *err)
{
	if (**place) /* of several files the first one's */
		return true;
	return pprof_file_text(file, (int64_t)field->value, place, err);
}

/* As pprof adds up several files: from the first begin, all lengths together. */
static bool read_fact(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	struct origin *origin = file->recording->origin;
	int64_t value = (int64_t)field->value;
	switch (field->number) {
	case PPROF_DROP_FRAMES:
		return take_text(file, field, &origin->drop_frames, err);
	case PPROF_KEEP_FRAMES:
		return take_text(file, field, &origin->keep_frames, err);
	case PPROF_DOC_URL:
		return take_text(file, field, &origin->doc_url, err);
	case PPROF_DEFAULT_TYPE:
		return take_text(file, field, &origin->default_type, err);
	case PPROF_TIME:
		file->begin_ns = value;
		if (!origin->time_ns || (value && value < origin->time_ns))
			origin->time_ns = value;
		return true;
	case PPROF_DURATION:
		if (value > 0 && value <= INT64_MAX / 2 - origin->duration_ns)
			origin->duration_ns += value;
		return true;
	case PPROF_PERIOD:
		if (value > origin->period)
			origin->period = value;
		return true;
	case PPROF_PERIOD_TYPE:
		origin->has_period_type = true;
		return read_type(file, field, &origin->period_type, err);
	default:
		return read_comments(file, field, err);
	}
}

static bool read_facts(struct pprof_file *file, struct error *err)
{
	struct wire rest = file->content;
	struct wire_field field;
	while (wire_next(&rest, &field)) {
		bool is_fact = (field.number >= PPROF_DROP_FRAMES &&
				       field.number <= PPROF_DOC_URL) &&
			       is_wire_type(field.number, field.type);
		if (is_fact && !read_fact(file, &field, err))
			return false;
	}
	return true;
}

/* --- samples -------------------------------------------------------------------------- */

static bool read_labels(
	struct pprof_reader *reader, const PB(Sample) * message, struct error *err)
{
	struct pprof_file *file = &reader->file;
	reader->labels.len = 0;
	if (message->n_label > LABELS_MAX)
		return error_set(err, "has more than %d labels", LABELS_MAX);
	for (size_t i = 0; i < message->n_label; i++) {
		const PB(Label) *source = message->label[i];
		struct label label = {.number = source->num};
		if (!pprof_file_text(file, source->key, &label.key, err) ||
			!pprof_file_text(file, source->str, &label.text, err) ||
			!pprof_file_text(file, source->num_unit, &label.unit, err))
			return error_prefix(err, "a label");
		vec_push(&reader->labels, label);
	}
	return true;
}

/* Who is a thread in our files, and in those that are converted from perf's data. */
static void find_thread(
	const struct pprof_reader *reader, const char **name, int64_t *tid)
{
	static const char *const names[] = {
		"thread", "thread_comm", "thread_name", "comm"};
	static const char *const numbers[] = {"tid", "thread_id"};
	size_t best = sizeof(names) / sizeof(names[0]);
	vec_each (&reader->labels, label) {
		for (size_t i = 0; i < best; i++)
			if (label->text[0] && strcmp(label->key, names[i]) == 0) {
				*name = label->text;
				best = i;
			}
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (strcmp(label->key, numbers[i]) == 0)
				*tid = label->text[0] ? strtoll(label->text, NULL, 10)
						      : label->number;
	}
}

/* The number of PATH with one part more. */
static uint32_t path_step(struct pprof_reader *reader, uint32_t path, uint64_t part)
{
	uint32_t *known = idmap_get(&reader->paths, path, part);
	if (known)
		return *known;
	if (recording_is_full(reader->file.recording))
		return PROFILE_NONE;
	uint32_t id = (uint32_t)reader->paths.len + 1;
	idmap_put(&reader->paths, path, part, id);
	return id;
}

/* A number for the labels at hand, in their order. */
static uint32_t path_of_labels(struct pprof_reader *reader)
{
	uint32_t path = 0;
	vec_each (&reader->labels, label) {
		path = path_step(reader, path, (uint64_t)(uintptr_t)label->key);
		path = path_step(reader, path, (uint64_t)(uintptr_t)label->text);
		path = path_step(reader, path, (uint64_t)(uintptr_t)label->unit);
		path = path_step(reader, path, (uint64_t)label->number);
	}
	return path;
}

/* Each set of labels is a thread of its own: what has other labels stays apart. */
static uint32_t thread_of(struct pprof_reader *reader)
{
	struct recording *recording = reader->file.recording;
	uint32_t path = path_of_labels(reader);
	uint32_t *known = idmap_get(&reader->path_threads, path, 0);
	if (known)
		return *known;
	if (recording_is_full(recording))
		return recording->substitutes.thread;
	const char *name = profile_string(recording->profile, "");
	int64_t tid = 0;
	find_thread(reader, &name, &tid);
	uint32_t id = recording_labelled_thread(
		recording, name, tid, reader->labels.data, reader->labels.len);
	idmap_put(&reader->path_threads, path, 0, id);
	return id;
}

static bool add_sample(
	struct pprof_reader *reader, const PB(Sample) * message, struct error *err)
{
	struct pprof_file *file = &reader->file;
	if (message->n_value != reader->n_types)
		return error_set(err, "has %zu values for %u types", message->n_value,
			reader->n_types);
	reader->locations.len = 0;
	for (size_t i = 0; i < message->n_location_id; i++) {
		const uint32_t *id =
			idmap_get(&file->location_ids, message->location_id[i], 0);
		if (!id && !file->recording->is_full)
			return error_set(err,
				"refers to location %" PRIu64 ", which is not there",
				message->location_id[i]);
		vec_push(&reader->locations,
			id ? *id : file->recording->substitutes.location);
	}
	if (!read_labels(reader, message, err) ||
		!recording_add(file->recording, thread_of(reader), reader->locations.data,
			reader->locations.len, message->value, err))
		return false;
	pprof_times_add_sample(
		&reader->times, file, file->recording->last_row, message->value);
	return true;
}

static bool visit_sample(
	struct pprof_file *file, const struct wire_field *field, struct error *err)
{
	struct pprof_reader *reader = (struct pprof_reader *)file;
	PB(Sample) *message =
		perftools__profiles__sample__unpack(NULL, field->length, field->bytes);
	bool done = message ? add_sample(reader, message, err)
			    : error_set(err, "cannot be read: the file is damaged");
	reader->n_samples++;
	if (message)
		perftools__profiles__sample__free_unpacked(message, NULL);
	return done || error_prefix(err, "sample %" PRIu64, reader->n_samples);
}

static bool read_all(struct pprof_reader *reader, struct error *err)
{
	struct pprof_file *file = &reader->file;
	return pprof_file_strings(file, err) && read_types(reader, err) &&
	       read_facts(file, err) && pprof_file_mappings(file, err) &&
	       pprof_file_functions(file, err) && pprof_file_locations(file, err) &&
	       pprof_times_find(&reader->times, file, err) &&
	       pprof_file_visit(file, PPROF_SAMPLE, visit_sample, err) &&
	       pprof_times_read(&reader->times, file, err);
}

static bool read_pprof(
	struct recording *recording, struct input_file *input, struct error *err)
{
	char *bytes;
	size_t size;
	if (!input_file_rest(input, UNPACKED_MAX, &bytes, &size, err))
		return false;
	struct pprof_reader reader = {
		.file = {.recording = recording,
			.content = {(uint8_t *)bytes, (uint8_t *)bytes + size}},
	};
	bool done =
		read_all(&reader, err) || error_prefix(err, "%s", input_file_name(input));
	recording->beside_bytes = 0;
	pprof_file_finish(&reader.file);
	pprof_times_finish(&reader.times);
	idmap_finish(&reader.paths);
	idmap_finish(&reader.path_threads);
	vec_free(&reader.labels);
	vec_free(&reader.locations);
	free(bytes);
	return done;
}

const struct import_format import_pprof = {
	.name = "pprof",
	.is = is_pprof,
	.read = read_pprof,
};
