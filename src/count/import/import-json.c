/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own JSON; docs/cproftop.1 says what its keys mean, under OUTPUT FORMATS. Only what is
 * counted from is read: sums, marks and the like come from that again.
 *
 * What a pprof file of ours has as labels (process, state, object) becomes labels here, too.
 */
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/input-file.h"
#include "src/base/vec.h"
#include "src/count/import/import-formats.h"
#include "src/count/import/json-tree.h"
#include "src/count/import/recording.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1, /* the newest that is understood */
	LABELS = 6,
	COMMENTS_MAX = 4096,
};

struct json_thread {
	const char *name, *process;
	int64_t tid, pid;
};

/* A stack of the file, and what its times say together. */
struct json_row {
	uint32_t row; /* in the origin */
	int64_t values[2];
	uint64_t moments, moments_before, weight, weight_before;
};

struct json_reader {
	struct recording *recording;
	VEC(uint32_t) functions;
	VEC(const char *) modules; /* of the functions */
	VEC(struct json_thread) threads;
	struct idmap known;   /* (thread and state, object) -> thread of the profile */
	VEC(uint32_t) leaves; /* locations, leaf first */
	VEC(struct json_row) rows;
	bool has_samples;
	int64_t begin_ns;
};

static bool is_json(const char *bytes, size_t length)
{
	static const char key[] = "\"format\"", value[] = "\"cproftop\"";
	size_t blanks = strspn(bytes, " \t\r\n");
	const char *at = blanks < length && bytes[blanks] == '{' ? bytes : NULL;
	while (at && (at = strstr(at, key))) {
		at += strlen(key);
		const char *behind = at + strspn(at, " \t\r\n:");
		if (strncmp(behind, value, strlen(value)) == 0)
			return true;
	}
	return false;
}

/* A text of OBJECT, "" if it has none. */
static const char *text_of(
	const struct json_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return recording_text(reader->recording,
		json_is_string(value) ? json_string_value(value) : "",
		json_is_string(value) ? json_string_length(value) : 0);
}

/* --- what the file says as a whole ---------------------------------------------------- */

static bool read_comments(
	struct json_reader *reader, const json_t *root, struct error *err)
{
	const json_t *comments = json_object_get(root, "comments");
	if (json_array_size(comments) > COMMENTS_MAX)
		return error_set(err, "more than %d comments", COMMENTS_MAX);
	for (size_t i = 0; i < json_array_size(comments); i++) {
		const json_t *text = json_array_get(comments, i);
		if (!json_is_string(text))
			return error_set(err, "comment %zu is no text", i);
		recording_comment(reader->recording,
			recording_text(reader->recording, json_string_value(text),
				json_string_length(text)));
	}
	return true;
}

/* Of several files: from the first begin, all lengths together; the first command. */
static bool read_facts(struct json_reader *reader, const json_t *root, struct error *err)
{
	struct origin *origin = reader->recording->origin;
	int64_t begin_ns = json_number(root, "start_ns", INT64_MAX / 2);
	int64_t length_ns = json_number(root, "duration_ns", INT64_MAX / 4);
	int64_t hz = json_number(root, "frequency_hz", NS_PER_SEC);
	reader->begin_ns = begin_ns;
	if (!origin->time_ns || (begin_ns && begin_ns < origin->time_ns))
		origin->time_ns = begin_ns;
	if (length_ns <= INT64_MAX / 2 - origin->duration_ns)
		origin->duration_ns += length_ns;
	if (!origin->command[0]) {
		origin->command = text_of(reader, root, "command");
		origin->pid = json_number(root, "pid", INT_MAX);
	}
	if (hz) {
		origin->has_period_type = true;
		origin->period_type = (struct value_type){"cpu", "nanoseconds"};
		origin->period = (int64_t)NS_PER_SEC / hz;
	}
	return read_comments(reader, root, err);
}

/* Samples are counted besides, where the first stack has them. */
static bool read_types(struct json_reader *reader, const json_t *root, struct error *err)
{
	struct recording *recording = reader->recording;
	const json_t *stacks = json_member(root, "stacks", JSON_ARRAY, err);
	if (!stacks || !json_member(root, "type", JSON_STRING, err) ||
		!json_member(root, "unit", JSON_STRING, err))
		return false;
	const json_t *first = json_array_get(stacks, 0);
	reader->has_samples = json_object_get(first, "samples") != NULL;
	struct value_type types[2] = {
		{profile_string(recording->profile, "samples"),
			profile_string(recording->profile, "count")},
		{text_of(reader, root, "type"), text_of(reader, root, "unit")},
	};
	return recording_types(recording, reader->has_samples ? types : types + 1,
		reader->has_samples ? 2 : 1, err);
}

/* --- tables --------------------------------------------------------------------------- */

static bool read_function(
	struct json_reader *reader, const json_t *source, struct error *err)
{
	struct recording *recording = reader->recording;
	if (!json_member(source, "name", JSON_STRING, err))
		return false;
	const char *module = text_of(reader, source, "module");
	struct function function = {
		.name = text_of(reader, source, "name"),
		.module = module,
		.file = text_of(reader, source, "file"),
		.start_line = (uint32_t)json_number(source, "line", UINT32_MAX),
	};
	function.system_name = function.name;
	vec_push(&reader->functions, recording_function_of_file(recording, &function));
	vec_push(&reader->modules, module);
	return recording_check(recording, err);
}

static bool read_thread(
	struct json_reader *reader, const json_t *source, struct error *err)
{
	if (!json_member(source, "name", JSON_STRING, err))
		return false;
	vec_push(&reader->threads, (struct json_thread){
					   .name = text_of(reader, source, "name"),
					   .process = text_of(reader, source, "process"),
					   .tid = json_number(source, "tid", INT_MAX),
					   .pid = json_number(source, "pid", INT_MAX),
				   });
	return true;
}

/* Call READ for each entry of the list KEY of ROOT. */
static bool read_list(struct json_reader *reader, const json_t *root, const char *key,
	bool (*read)(struct json_reader *, const json_t *, struct error *),
	struct error *err)
{
	const json_t *list = json_member(root, key, JSON_ARRAY, err);
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!read(reader, json_array_get(list, i), err))
			return error_prefix(err, "%s %zu", key, i);
	return list != NULL;
}

/* --- stacks --------------------------------------------------------------------------- */

/* As export-pprof.c spells the states. */
static const char *state_label(const json_t *stack)
{
	static const char *const states[][2] = {
		{"running", "on_cpu"}, {"runnable", "runq"}, {"blocked", "blocked"}};
	const char *state = json_string_value(json_object_get(stack, "state"));
	for (size_t i = 0; state && i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(state, states[i][0]) == 0)
			return states[i][1];
	return "";
}

static uint32_t make_thread(struct json_reader *reader, const struct json_thread *thread,
	const char *state, const char *object)
{
	struct profile *strings = reader->recording->profile;
	const struct {
		const char *key, *text;
		int64_t number;
	} facts[LABELS] = {
		{"thread", thread->name, 0},
		{"tid", "", thread->tid},
		{"process", thread->process, 0},
		{"pid", "", thread->pid},
		{"state", state, 0},
		{"object", object, 0},
	};
	struct label labels[LABELS];
	size_t n = 0;
	for (size_t i = 0; i < LABELS; i++)
		if (facts[i].text[0] || facts[i].number)
			labels[n++] = (struct label){
				.key = profile_string(strings, facts[i].key),
				.text = profile_string(strings, facts[i].text),
				.unit = profile_string(strings, ""),
				.number = facts[i].number,
			};
	return recording_labelled_thread(
		reader->recording, thread->name, thread->tid, labels, n);
}

static bool thread_of(struct json_reader *reader, const json_t *stack, uint32_t *thread,
	struct error *err)
{
	const json_t *number = json_object_get(stack, "thread");
	json_int_t index = json_is_integer(number) ? json_integer_value(number) : -1;
	const char *state = state_label(stack),
		   *object = text_of(reader, stack, "object");
	if (index < 0 || (uint64_t)index >= reader->threads.len)
		return error_set(err, "its thread is none of %zu", reader->threads.len);
	uint64_t place = (uint64_t)index << 8 | (unsigned char)state[0];
	uint32_t *known = idmap_get(&reader->known, place, (uintptr_t)object);
	if (!known) {
		uint32_t made =
			make_thread(reader, &reader->threads.data[index], state, object);
		idmap_put(&reader->known, place, (uintptr_t)object, made);
		known = idmap_get(&reader->known, place, (uintptr_t)object);
	}
	*thread = *known;
	return true;
}

static bool read_frames(
	struct json_reader *reader, const json_t *stack, struct error *err)
{
	const json_t *functions = json_member(stack, "functions", JSON_ARRAY, err);
	const json_t *lines = json_object_get(stack, "lines");
	size_t length = json_array_size(functions);
	if (!functions)
		return false;
	if (length > RECORDING_STACK_MAX)
		return error_set(
			err, "a stack of more than %d frames", RECORDING_STACK_MAX);
	reader->leaves.len = 0;
	for (size_t i = length; i-- > 0;) {
		const json_t *at = json_array_get(lines, i);
		json_int_t line = json_is_integer(at) ? json_integer_value(at) : 0;
		uint32_t function;
		if (!json_index(functions, i, reader->functions.len, "function",
			    &function, err))
			return false;
		vec_push(&reader->leaves,
			recording_line_location(reader->recording,
				reader->functions.data[function],
				line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0,
				reader->modules.data[function]));
	}
	return true;
}

static bool read_stack(struct json_reader *reader, const json_t *stack, struct error *err)
{
	struct recording *recording = reader->recording;
	uint32_t thread = 0;
	struct json_row row = {.values = {json_number(stack, "samples", INT64_MAX),
				       json_number(stack, "value", INT64_MAX)}};
	if (!reader->has_samples)
		row.values[0] = row.values[1];
	if (!thread_of(reader, stack, &thread, err) || !read_frames(reader, stack, err) ||
		!recording_add(recording, thread, reader->leaves.data, reader->leaves.len,
			row.values, err))
		return false;
	row.row = recording->last_row;
	vec_push(&reader->rows, row);
	return true;
}

/* --- times ---------------------------------------------------------------------------- */

struct json_times {
	const json_t *stacks, *ns, *weights;
};

static bool sum_up(
	struct json_reader *reader, const struct json_times *times, struct error *err)
{
	for (size_t i = 0; i < json_array_size(times->stacks); i++) {
		uint32_t stack;
		if (!json_index(times->stacks, i, reader->rows.len, "stack", &stack, err))
			return false;
		struct json_row *row = &reader->rows.data[stack];
		row->moments++;
		if (__builtin_add_overflow(
			    row->weight, json_entry(times->weights, i), &row->weight))
			return error_set(err, "weights that add up to more than 2^64");
	}
	return true;
}

/* A stack's values are shared among its moments by weight, and samples evenly. */
static bool read_moment(struct json_reader *reader, const struct json_times *times,
	size_t index, struct error *err)
{
	struct json_row *row = &reader->rows.data[json_entry(times->stacks, index)];
	const struct recording_moment moment = {
		.begin_ns = reader->begin_ns,
		.tick = json_entry(times->ns, index),
		.tick_ns = 1,
		.weight = json_entry(times->weights, index),
		.unit_ns = 1,
		.row = row->row,
	};
	bool even[2] = {reader->has_samples || !row->weight, !row->weight};
	int64_t values[2];
	for (int i = 0; i < 2; i++)
		values[i] = even[i] ? recording_share(row->values[i], row->moments_before,
					      1, row->moments)
				    : recording_share(row->values[i], row->weight_before,
					      moment.weight, row->weight);
	row->weight_before += moment.weight;
	row->moments_before++;
	return recording_add_moment(reader->recording, &moment, values, err);
}

static bool read_times(struct json_reader *reader, const json_t *root, struct error *err)
{
	const json_t *source = json_object_get(root, "times");
	if (!source)
		return true;
	const struct json_times times = {
		.stacks = json_member(source, "stack", JSON_ARRAY, err),
		.ns = json_member(source, "ns", JSON_ARRAY, err),
		.weights = json_member(source, "weight", JSON_ARRAY, err),
	};
	size_t n = json_array_size(times.stacks);
	if (!times.stacks || !times.ns || !times.weights)
		return false;
	if (json_array_size(times.ns) != n || json_array_size(times.weights) != n)
		return error_set(err, "has lists of different lengths");
	bool done = sum_up(reader, &times, err);
	for (size_t i = 0; done && i < n; i++)
		done = read_moment(reader, &times, i, err);
	/* They are not rounded; what writes them may choose. */
	reader->recording->origin->tick_ns = reader->recording->origin->weight_ns = 0;
	return done;
}

/* --- all ------------------------------------------------------------------------------ */

static bool read_root(struct json_reader *reader, const json_t *root, struct error *err)
{
	json_int_t version = json_integer_value(json_object_get(root, "version"));
	if (version != VERSION)
		return error_set(err,
			"has version %" JSON_INTEGER_FORMAT ", not %d: a later cproftop "
			"has written it",
			version, VERSION);
	return read_types(reader, root, err) && read_facts(reader, root, err) &&
	       read_list(reader, root, "functions", read_function, err) &&
	       read_list(reader, root, "threads", read_thread, err) &&
	       read_list(reader, root, "stacks", read_stack, err) &&
	       (read_times(reader, root, err) || error_prefix(err, "times"));
}

static bool read_json(
	struct recording *recording, struct input_file *input, struct error *err)
{
	struct json_reader reader = {.recording = recording};
	json_t *root = json_tree_read(input, &recording->beside_bytes, err);
	bool done = root && (read_root(&reader, root, err) ||
				    error_prefix(err, "%s", input_file_name(input)));
	json_decref(root);
	recording->beside_bytes = 0;
	vec_free(&reader.functions);
	vec_free(&reader.modules);
	vec_free(&reader.threads);
	vec_free(&reader.leaves);
	vec_free(&reader.rows);
	idmap_finish(&reader.known);
	return done;
}

const struct import_format import_json = {
	.name = "cproftop's JSON",
	.is = is_json,
	.read = read_json,
};
