/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/recording.h"

#include "src/base/clean.h"
#include "src/base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recording_init(struct recording *recording)
{
	*recording = (struct recording){
		.profile = profile_create(),
		.stacktab = stacktab_create(),
		.origin = origin_create(),
		.most_bytes = RECORDING_BYTES_MAX,
		.most_read_bytes = RECORDING_READ_MAX,
	};
	recording->naming = naming_create(recording->profile);
}

void recording_finish(struct recording *recording)
{
	naming_unref(recording->naming);
	profile_unref(recording->profile);
	stacktab_unref(recording->stacktab);
	origin_unref(recording->origin);
	sample_log_finish(&recording->samples);
	vec_free(&recording->sums);
	recording_close(recording);
}

void recording_close(struct recording *recording)
{
	idmap_finish(&recording->pairs);
	idmap_finish(&recording->functions);
	idmap_finish(&recording->kin);
	idmap_finish(&recording->paths);
	idmap_finish(&recording->lines);
	idmap_finish(&recording->names);
	idmap_finish(&recording->thread_names);
	vec_free(&recording->buffer);
}

/* A byte becomes at most four: \xNN. */
const char *recording_text(struct recording *recording, const char *text, size_t length)
{
	if (length > RECORDING_TEXT_MAX)
		length = RECORDING_TEXT_MAX;
	vec_reserve(&recording->buffer, 4 * length + 1);
	clean_text(recording->buffer.data, recording->buffer.cap, text, length);
	if (!recording_is_full(recording))
		return profile_string(recording->profile, recording->buffer.data);
	const char *known =
		strpool_find(&recording->profile->strings, recording->buffer.data);
	return known ? known : recording->substitutes.text;
}

void recording_comment(struct recording *recording, const char *text)
{
	vec_each (&recording->origin->comments, known)
		if (*known == text)
			return;
	vec_push(&recording->origin->comments, text);
}

/* "cpu/nanoseconds, samples/count". */
static void spell_types(
	char *out, size_t size, const struct value_type *types, size_t n_types)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n_types && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s/%s",
			i ? ", " : "", types[i].type, types[i].unit);
}

bool recording_types(struct recording *recording, const struct value_type *types,
	size_t n_types, struct error *err)
{
	struct origin *origin = recording->origin;
	char ours[128], theirs[128];

	if (n_types == 0 || n_types > RECORDING_TYPES_MAX)
		return error_set(err, "it has %zu types of values, not 1 to %d", n_types,
			RECORDING_TYPES_MAX);
	bool same = n_types == origin->types.len;
	for (size_t i = 0; same && i < n_types; i++)
		same = origin->types.data[i].type == types[i].type &&
		       origin->types.data[i].unit == types[i].unit;
	if (same)
		return true;
	spell_types(ours, sizeof(ours), origin->types.data, origin->types.len);
	spell_types(theirs, sizeof(theirs), types, n_types);
	if (origin->types.len)
		return error_set(err,
			"its values are %s, those before it %s: open it by itself",
			theirs, ours);
	for (size_t i = 0; i < n_types; i++) {
		vec_push(&origin->types, types[i]);
		vec_push(&recording->sums, 0);
	}
	return true;
}

static uint64_t key_of(const char *interned)
{
	return (uint64_t)(uintptr_t)interned;
}

/* A number for a pair of texts. */
static uint32_t pair_of(struct recording *recording, const char *a, const char *b)
{
	uint32_t *known = idmap_get(&recording->pairs, key_of(a), key_of(b));
	if (known)
		return *known;
	uint32_t id = (uint32_t)recording->pairs.len;
	idmap_put(&recording->pairs, key_of(a), key_of(b), id);
	return id;
}

/* Reports count by kin, and a file need not have system names: so kin is who has the
   same name WHERE it lies. */
static uint32_t function_in(
	struct recording *recording, const struct function *function, const char *where)
{
	uint64_t names = pair_of(recording, function->name, function->system_name);
	uint64_t place = pair_of(recording, function->module, function->file);
	uint64_t key = names << 32 | place;
	uint32_t *known = idmap_get(&recording->functions, key, function->start_line);
	if (known)
		return *known;
	if (recording_is_full(recording))
		return recording->substitutes.function;
	uint32_t *kin = idmap_get(&recording->kin, key_of(function->name), key_of(where));
	struct function copy = *function;
	copy.kin = kin ? *kin : PROFILE_NONE;
	uint32_t id = profile_derive_function(recording->profile, &copy);
	if (!kin)
		idmap_put(&recording->kin, key_of(function->name), key_of(where), id);
	idmap_put(&recording->functions, key, function->start_line, id);
	return id;
}

uint32_t recording_function(struct recording *recording, const struct function *function)
{
	return function_in(recording, function, function->module);
}

uint32_t recording_function_of_file(
	struct recording *recording, const struct function *function)
{
	bool has_module = function->module[0] != '\0';
	return function_in(
		recording, function, has_module ? function->module : function->file);
}

const char *recording_module(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* One for all code of PATH, wherever it was mapped. */
static uint32_t mapping_of_path(struct recording *recording, const char *path)
{
	if (!*path)
		return PROFILE_NONE;
	uint32_t *known = idmap_get(&recording->paths, key_of(path), 0);
	if (known)
		return *known;
	if (recording_is_full(recording))
		return PROFILE_NONE;
	const struct mapping mapping = {
		.path = path, .module = recording_module(path), .build_id = ""};
	const struct mapping_claims claims = {.has_functions = true};
	uint32_t id = recording_mapping(recording, &mapping, &claims);
	idmap_put(&recording->paths, key_of(path), 0, id);
	return id;
}

uint32_t recording_line_location(
	struct recording *recording, uint32_t function, uint32_t line, const char *path)
{
	uint64_t place = (uint64_t)function << 32 | line;
	uint32_t *known = idmap_get(&recording->lines, place, key_of(path));
	if (known)
		return *known;
	if (recording_is_full(recording))
		return recording->substitutes.location;
	const struct line only = {.function = function, .line = line};
	uint32_t id = profile_add_past_location(
		recording->profile, mapping_of_path(recording, path), 0, &only, 1);
	idmap_put(&recording->lines, place, key_of(path), id);
	return id;
}

uint32_t recording_named_location(
	struct recording *recording, const char *name, const char *path)
{
	uint32_t *known = idmap_get(&recording->names, key_of(name), key_of(path));
	if (known)
		return *known;
	if (recording_is_full(recording))
		return recording->substitutes.location;
	struct function function = {
		.name = name,
		.system_name = name,
		.module = profile_string(recording->profile, recording_module(path)),
		.file = profile_string(recording->profile, ""),
	};
	uint32_t id = recording_line_location(
		recording, recording_function(recording, &function), 0, path);
	idmap_put(&recording->names, key_of(name), key_of(path), id);
	return id;
}

/* Views tell threads by number. A name without one gets one that no thread can have. */
static pid_t number_of(struct recording *recording, const char *name, int64_t tid)
{
	if (tid > 0 && tid <= INT_MAX)
		return (pid_t)tid;
	if (tid == 0 && !*name)
		return 0;
	uint32_t *known =
		idmap_get(&recording->thread_names, key_of(name), (uint64_t)tid);
	if (known)
		return -(pid_t)*known;
	uint32_t made_up = (uint32_t)recording->thread_names.len + 1;
	idmap_put(&recording->thread_names, key_of(name), (uint64_t)tid, made_up);
	return -(pid_t)made_up;
}

/* Labels of threads are kept by their ids, so each has a range, if only an empty one. */
static void add_range(struct recording *recording, uint32_t thread,
	const struct label *labels, size_t n_labels)
{
	struct origin *origin = recording->origin;
	while (origin->of_thread.len <= thread)
		vec_push(&origin->of_thread, (struct label_range){0});
	origin->of_thread.data[thread] = (struct label_range){
		.first = (uint32_t)origin->labels.len, .count = (uint32_t)n_labels};
	for (size_t i = 0; i < n_labels; i++)
		vec_push(&origin->labels, labels[i]);
}

uint32_t recording_thread(struct recording *recording, const char *name, int64_t tid)
{
	if (recording_is_full(recording) &&
		recording->profile->threads->len >= RECORDING_THREADS_FULL)
		return recording->substitutes.thread;
	pid_t number = number_of(recording, name, tid);
	uint32_t id = profile_intern_thread(recording->profile, number, name);
	if (id < recording->origin->of_thread.len)
		return id;
	struct label labels[2];
	size_t n = 0;
	const char *none = profile_string(recording->profile, "");
	if (*name)
		labels[n++] = (struct label){
			profile_string(recording->profile, "thread"), name, none, 0};
	if (tid)
		labels[n++] = (struct label){
			profile_string(recording->profile, "tid"), none, none, tid};
	add_range(recording, id, labels, n);
	return id;
}

uint32_t recording_labelled_thread(struct recording *recording, const char *name,
	int64_t tid, const struct label *labels, size_t n_labels)
{
	pid_t number = number_of(recording, name, tid);
	uint32_t id = profile_add_thread(recording->profile, number, name);
	add_range(recording, id, labels, n_labels);
	return id;
}

uint32_t recording_mapping(struct recording *recording, const struct mapping *mapping,
	const struct mapping_claims *claims)
{
	struct origin *origin = recording->origin;
	uint32_t id = profile_add_mapping(recording->profile, mapping);
	while (origin->of_mapping.len <= id)
		vec_push(&origin->of_mapping, (struct mapping_claims){0});
	if (claims)
		origin->of_mapping.data[id] = *claims;
	return id;
}

/* What stands behind the counts must not run over, whatever is added up. */
static bool add_values(struct recording *recording, int64_t *row, const int64_t *values,
	struct error *err)
{
	for (size_t i = 0; i < recording->origin->types.len; i++) {
		uint64_t size =
			values[i] < 0 ? -(uint64_t)values[i] : (uint64_t)values[i];
		uint64_t *sum = &recording->sums.data[i], scale;
		value_kind(&recording->origin->types.data[i], &scale);
		if (size > INT64_MAX / scale - *sum)
			return error_set(err,
				"the values of %s/%s add up to more than can be counted",
				recording->origin->types.data[i].type,
				recording->origin->types.data[i].unit);
		*sum += size;
		row[i] += values[i];
	}
	return true;
}

/* How the stack ended, if its outermost frame is one of ours that says so. */
static enum unwind_end end_of(const struct recording *recording, uint32_t outermost)
{
	const struct location *location = profile_location(recording->profile, outermost);
	uint32_t last = location->lines[location->n_lines - 1].function;
	const char *name = profile_function(recording->profile, last)->name;
	if (name[0] != '[')
		return UNWIND_ROOT;
	for (enum unwind_end end = 0; end < UNWIND_END_COUNT; end++)
		if (end != UNWIND_ROOT && strcmp(name, unwind_end_label(end)) == 0)
			return end;
	return UNWIND_ROOT;
}

static bool count_frames(struct recording *recording, const uint32_t *locations,
	size_t length, uint32_t new_nodes, struct error *err)
{
	size_t depth = 0;
	for (size_t i = 0; i < length; i++) {
		uint32_t lines =
			profile_location(recording->profile, locations[i])->n_lines;
		depth += lines;
		if (i < new_nodes)
			recording->frames += lines;
	}
	if (depth > RECORDING_STACK_MAX)
		return error_set(
			err, "a stack of more than %d frames", RECORDING_STACK_MAX);
	if (recording->frames > RECORDING_FRAMES_MAX)
		return error_set(err,
			"more than %d million frames in different stacks: convert a part "
			"of it",
			RECORDING_FRAMES_MAX >> 20);
	return true;
}

static bool intern_stack(struct recording *recording, const uint32_t *locations,
	size_t length, uint32_t *stack, struct error *err)
{
	if (length > RECORDING_STACK_MAX)
		return error_set(
			err, "a stack of more than %d frames", RECORDING_STACK_MAX);
	enum unwind_end end =
		length ? end_of(recording, locations[length - 1]) : UNWIND_ROOT;
	if (recording_is_full(recording)) {
		if (!stacktab_find(recording->stacktab, locations, length, end, stack))
			*stack = recording->substitutes.stack;
		return true;
	}
	uint32_t before = stacktab_nodes(recording->stacktab);
	*stack = stacktab_intern(recording->stacktab, locations, length, end);
	uint32_t added = stacktab_nodes(recording->stacktab) - before;
	return count_frames(recording, locations, length, added, err);
}

bool recording_add(struct recording *recording, uint32_t thread,
	const uint32_t *locations, size_t length, const int64_t *values,
	struct error *err)
{
	struct origin *origin = recording->origin;
	uint32_t stack;
	if (!intern_stack(recording, locations, length, &stack, err))
		return false;
	uint32_t *known = idmap_get(&origin->rows, thread, stack);
	if (!known && recording_is_full(recording)) {
		stack = recording->substitutes.stack;
		known = idmap_get(&origin->rows, thread, stack);
	}
	size_t n_types = origin->types.len;
	size_t row = known ? *known : origin->rows.len;
	if (!known) {
		idmap_put(&origin->rows, thread, stack, (uint32_t)row);
		for (size_t i = 0; i < n_types; i++)
			vec_push(&origin->values, 0);
	}
	return recording_add_again(recording, (uint32_t)row, values, err) &&
	       recording_check(recording, err);
}

bool recording_add_again(struct recording *recording, uint32_t row, const int64_t *values,
	struct error *err)
{
	struct origin *origin = recording->origin;
	recording->last_row = row;
	sample_log_clear(&recording->samples);
	return add_values(recording,
		origin->values.data + (size_t)row * origin->types.len, values, err);
}
