/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format
 * (https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts), which many
 * profilers write: profiles that share frames, each a list of stacks with weights
 * ("sampled") or of functions that begin and end ("evented").
 *
 * A profile becomes a thread, and each unit in the file a type of values. Times are kept in
 * nanoseconds, and fractions of a unit are rounded so that sums stay right. A frame that
 * ends must be the one that began last, as speedscope wants it.
 */
#include "src/base/json-tree.h"
#include "src/base/vec.h"
#include "src/count/import/json-formats.h"
#include "src/count/import/recording.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct speedscope_reader {
	struct recording *recording;
	VEC(uint32_t) frames; /* locations, by the file's index */
	VEC(uint32_t) stack;  /* indices of frames, outermost first */
	VEC(uint32_t) leaves; /* locations, leaf first */
	VEC(struct value_type) types;
	int64_t values[RECORDING_TYPES_MAX];
};

/* What every profile is read with. */
struct speedscope_profile {
	uint32_t thread, type;
	long double scale; /* from the file's unit to the type's */
	long double sum;   /* of the weights so far, in the type's unit */
};

static const char *text_of(
	struct speedscope_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return recording_text(reader->recording,
		json_is_string(value) ? json_string_value(value) : "",
		json_is_string(value) ? json_string_length(value) : 0);
}

/* --- frames --------------------------------------------------------------------------- */

static bool read_frame(
	struct speedscope_reader *reader, const json_t *frame, struct error *err)
{
	struct recording *recording = reader->recording;
	const char *none = profile_string(recording->profile, "");
	if (!json_member(frame, "name", JSON_STRING, err))
		return false;
	const json_t *line = json_object_get(frame, "line");
	json_int_t number = json_is_integer(line) ? json_integer_value(line) : 0;
	struct function function = {
		.name = text_of(reader, frame, "name"),
		.module = none,
		.file = text_of(reader, frame, "file"),
		.start_line = number > 0 && number <= INT_MAX ? (uint32_t)number : 0,
	};
	function.system_name = function.name;
	vec_push(&reader->frames,
		recording_line_location(recording,
			recording_function_of_file(recording, &function), 0, none));
	return recording_check(recording, err);
}

static bool read_frames(
	struct speedscope_reader *reader, const json_t *root, struct error *err)
{
	const json_t *shared = json_member(root, "shared", JSON_OBJECT, err);
	const json_t *frames =
		shared ? json_member(shared, "frames", JSON_ARRAY, err) : NULL;
	for (size_t i = 0; i < json_array_size(frames); i++)
		if (!read_frame(reader, json_array_get(frames, i), err))
			return error_prefix(err, "frame %zu", i);
	return frames != NULL;
}

static bool frame_at(const struct speedscope_reader *reader, const json_t *value,
	uint32_t *frame, struct error *err)
{
	json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
	if (index < 0 || (uint64_t)index >= reader->frames.len)
		return error_set(
			err, "refers to a frame that is none of %zu", reader->frames.len);
	*frame = (uint32_t)index;
	return true;
}

/* --- units ---------------------------------------------------------------------------- */

static bool find_unit(struct speedscope_reader *reader, const json_t *profile,
	struct speedscope_profile *found, struct error *err)
{
	static const struct {
		const char *name, *type, *unit;
		long double scale;
	} units[] = {
		{"none", "weight", "count", 1},
		{"nanoseconds", "time", "nanoseconds", 1},
		{"microseconds", "time", "nanoseconds", 1e3L},
		{"milliseconds", "time", "nanoseconds", 1e6L},
		{"seconds", "time", "nanoseconds", 1e9L},
		{"bytes", "space", "bytes", 1},
	};
	const char *name = json_string_value(json_object_get(profile, "unit"));
	for (size_t i = 0; name && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, name) != 0)
			continue;
		struct profile *strings = reader->recording->profile;
		struct value_type type = {profile_string(strings, units[i].type),
			profile_string(strings, units[i].unit)};
		found->scale = units[i].scale;
		for (found->type = 0; found->type < reader->types.len; found->type++)
			if (reader->types.data[found->type].type == type.type)
				return true;
		vec_push(&reader->types, type);
		return true;
	}
	return error_set(err, "its unit is none of speedscope's");
}

static bool read_types(struct speedscope_reader *reader, const json_t *profiles,
	const json_t *active, struct error *err)
{
	struct origin *origin = reader->recording->origin;
	json_int_t first = json_is_integer(active) ? json_integer_value(active) : 0;
	uint32_t shown = 0;
	for (size_t i = 0; i < json_array_size(profiles); i++) {
		struct speedscope_profile profile;
		if (!find_unit(reader, json_array_get(profiles, i), &profile, err))
			return error_prefix(err, "profile %zu", i);
		if ((json_int_t)i == first)
			shown = profile.type;
	}
	if (!recording_types(
		    reader->recording, reader->types.data, reader->types.len, err))
		return false;
	if (!origin->default_type[0])
		origin->default_type = reader->types.data[shown].type;
	return true;
}

/* --- profiles ------------------------------------------------------------------------- */

/* The stack at hand took what brings the sum to SUM. */
static bool add(struct speedscope_reader *reader, struct speedscope_profile *profile,
	long double sum, struct error *err)
{
	if (!(sum < (long double)(INT64_MAX / 4)))
		return error_set(err, "weights that add up to more than 2^61");
	int64_t value = (int64_t)(roundl(sum) - roundl(profile->sum));
	profile->sum = sum;
	if (!value || !reader->stack.len)
		return true; /* nothing ran */
	reader->leaves.len = 0;
	for (size_t i = reader->stack.len; i-- > 0;)
		vec_push(&reader->leaves, reader->frames.data[reader->stack.data[i]]);
	reader->values[profile->type] = value;
	bool done = recording_add(reader->recording, profile->thread, reader->leaves.data,
		reader->leaves.len, reader->values, err);
	reader->values[profile->type] = 0;
	return done;
}

static bool read_sample(struct speedscope_reader *reader,
	struct speedscope_profile *profile, const json_t *sample, const json_t *weight,
	struct error *err)
{
	if (!json_is_array(sample))
		return error_set(err, "is no list of frames");
	if (!json_is_number(weight) || json_number_value(weight) < 0)
		return error_set(err, "has no weight, or one below 0");
	size_t length = json_array_size(sample);
	if (length > RECORDING_STACK_MAX)
		return error_set(
			err, "a stack of more than %d frames", RECORDING_STACK_MAX);
	reader->stack.len = 0;
	for (size_t i = 0; i < length; i++) {
		uint32_t frame = 0;
		if (!frame_at(reader, json_array_get(sample, i), &frame, err))
			return false;
		vec_push(&reader->stack, frame);
	}
	return add(reader, profile,
		profile->sum + json_number_value(weight) * profile->scale, err);
}

static bool read_samples(struct speedscope_reader *reader,
	struct speedscope_profile *profile, const json_t *source, struct error *err)
{
	const json_t *samples = json_member(source, "samples", JSON_ARRAY, err);
	const json_t *weights = json_member(source, "weights", JSON_ARRAY, err);
	if (!samples || !weights)
		return false;
	if (json_array_size(samples) != json_array_size(weights))
		return error_set(err, "has %zu samples and %zu weights",
			json_array_size(samples), json_array_size(weights));
	for (size_t i = 0; i < json_array_size(samples); i++)
		if (!read_sample(reader, profile, json_array_get(samples, i),
			    json_array_get(weights, i), err))
			return error_prefix(err, "sample %zu", i);
	return true;
}

/* A function began ("O") or ended ("C"). */
static bool read_event(struct speedscope_reader *reader,
	struct speedscope_profile *profile, const json_t *event, struct error *err)
{
	const json_t *at = json_object_get(event, "at");
	const char *type = json_string_value(json_object_get(event, "type"));
	uint32_t frame = 0;
	if (!json_is_number(at) || !type)
		return error_set(err, "has no 'at' or no 'type'");
	if (!frame_at(reader, json_object_get(event, "frame"), &frame, err))
		return false;
	long double now = json_number_value(at) * profile->scale;
	if (now < profile->sum)
		return error_set(err, "is earlier than the one before it");
	if (!add(reader, profile, now, err))
		return false;
	if (strcmp(type, "O") == 0) {
		if (reader->stack.len == RECORDING_STACK_MAX)
			return error_set(err, "a stack of more than %d frames",
				RECORDING_STACK_MAX);
		vec_push(&reader->stack, frame);
		return true;
	}
	if (strcmp(type, "C") != 0)
		return error_set(err, "is neither 'O' nor 'C'");
	if (!reader->stack.len || reader->stack.data[reader->stack.len - 1] != frame)
		return error_set(err, "ends a frame that is not the last that began");
	reader->stack.len--;
	return true;
}

static bool read_events(struct speedscope_reader *reader,
	struct speedscope_profile *profile, const json_t *source, struct error *err)
{
	const json_t *events = json_member(source, "events", JSON_ARRAY, err);
	const json_t *start = json_object_get(source, "startValue");
	reader->stack.len = 0;
	/* Times may be of any clock: what is counted is between two of them. */
	profile->sum = json_number_value(start) * profile->scale;
	if (events && json_array_size(events)) {
		const json_t *at = json_object_get(json_array_get(events, 0), "at");
		profile->sum = json_number_value(at) * profile->scale;
	}
	for (size_t i = 0; i < json_array_size(events); i++)
		if (!read_event(reader, profile, json_array_get(events, i), err))
			return error_prefix(err, "event %zu", i);
	if (events && reader->stack.len)
		return error_set(err, "%zu frames have no end", reader->stack.len);
	return events != NULL;
}

/* "worker (4711)", as we call a profile, or any name. */
static uint32_t thread_of(struct speedscope_reader *reader, const json_t *source)
{
	struct recording *recording = reader->recording;
	const char *name = text_of(reader, source, "name");
	const char *open = strrchr(name, '(');
	char *end = NULL;
	long long tid = open ? strtoll(open + 1, &end, 10) : 0;
	if (tid > 0 && tid <= INT_MAX && open > name && open[-1] == ' ' &&
		strcmp(end, ")") == 0)
		return recording_thread(recording,
			recording_text(recording, name, (size_t)(open - 1 - name)), tid);
	if (strcmp(name, "all") == 0)
		name = profile_string(recording->profile, "");
	return recording_thread(recording, name, 0);
}

static bool read_profile(
	struct speedscope_reader *reader, const json_t *source, struct error *err)
{
	struct speedscope_profile profile = {.sum = 0};
	const char *type = json_string_value(json_object_get(source, "type"));
	if (!type || !find_unit(reader, source, &profile, err))
		return error_set(err, "has no 'type'");
	profile.thread = thread_of(reader, source);
	if (strcmp(type, "sampled") == 0)
		return read_samples(reader, &profile, source, err);
	if (strcmp(type, "evented") == 0)
		return read_events(reader, &profile, source, err);
	return error_set(err, "is neither 'sampled' nor 'evented'");
}

static bool read_root(
	struct speedscope_reader *reader, const json_t *root, struct error *err)
{
	const json_t *profiles = json_member(root, "profiles", JSON_ARRAY, err);
	if (!profiles || !read_frames(reader, root, err))
		return error_prefix(err, "is no profile of speedscope: it");
	if (!json_array_size(profiles))
		return error_set(err, "has no profile in it");
	struct origin *origin = reader->recording->origin;
	if (!origin->title[0])
		origin->title = text_of(reader, root, "name");
	if (!read_types(
		    reader, profiles, json_object_get(root, "activeProfileIndex"), err))
		return false;
	for (size_t i = 0; i < json_array_size(profiles); i++)
		if (!read_profile(reader, json_array_get(profiles, i), err))
			return error_prefix(err, "profile %zu", i);
	return true;
}

static bool is_speedscope(const json_t *root)
{
	return json_object_get(root, "profiles") != NULL;
}

static bool read_speedscope(
	struct recording *recording, const json_t *root, struct error *err)
{
	struct speedscope_reader reader = {.recording = recording};
	bool done = read_root(&reader, root, err);
	vec_free(&reader.frames);
	vec_free(&reader.stack);
	vec_free(&reader.leaves);
	vec_free(&reader.types);
	return done;
}

const struct json_format json_speedscope = {
	.is = is_speedscope,
	.read = read_speedscope,
};
