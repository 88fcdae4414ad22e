/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processed format of the Firefox Profiler, of what version ever: the profiler itself writes it, samply,
 * and we (src/write/export-firefox.c). Tables are lists of columns; until version 56 each thread has
 * its own, later all share them.
 *
 * A sample weighs what it says, in milliseconds, bytes or samples, and if every thread says how much
 * CPU time passed between its samples, that. Code without a name is called after its place in its
 * library, as ours is.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/base/json-tree.h"
#include "src/base/vec.h"
#include "src/count/import/json-formats.h"
#include "src/count/import/sampled-tree.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define US_NS 1000

enum weigh {
	WEIGH_SAMPLES,
	WEIGH_TIME,
	WEIGH_BYTES,
};

struct firefox_place {
	uint32_t function;
	const char *path; /* of its library */
};

struct firefox_reader {
	struct recording *recording;
	const json_t *root, *owner; /* OWNER: the object that the tables at hand are in */
	const json_t *strings, *libraries;
	VEC(const char *) texts; /* of STRINGS that were needed; NULL: not yet */
	VEC(const char *) paths; /* of LIBRARIES */
	struct sampled_tree tree;
	VEC(struct firefox_place) functions;
	VEC(uint32_t) frames; /* locations */
	const char *none;
	size_t tree_bytes; /* of what jansson has made of the file */

	enum weigh weigh;
	bool has_cpu, has_times, has_processes;
	double cpu_ns; /* one of its units of CPU time */
	/* Which of a sample's values is what; -1: it has none. */
	int count_type, weight_type, cpu_type;
};

/* --- tables --------------------------------------------------------------------------- */

static const json_t *column(const json_t *table, const char *name)
{
	const json_t *values = json_object_get(table, name);
	return json_is_array(values) ? values : NULL;
}

/* An index in ROW of VALUES; *INDEX is PROFILE_NONE if there is none. */
static bool index_in(const json_t *values, size_t row, size_t limit, const char *what,
	uint32_t *index, struct error *err)
{
	const json_t *value = json_array_get(values, row);
	*index = PROFILE_NONE;
	if (!value || json_is_null(value) ||
		(json_is_integer(value) && json_integer_value(value) == -1))
		return true;
	return json_index(value, limit, index) ||
	       error_set(err, "refers to a %s that is none of %zu", what, limit);
}

static bool text_in(struct firefox_reader *reader, const json_t *values, size_t row,
	const char **text, struct error *err)
{
	uint32_t index;
	*text = reader->none;
	if (!index_in(values, row, reader->texts.len, "string", &index, err))
		return false;
	const json_t *string = json_array_get(reader->strings, index);
	if (!json_is_string(string))
		return true;
	const char **known = &reader->texts.data[index];
	if (!*known)
		*known = recording_text(reader->recording, json_string_value(string),
			json_string_length(string));
	*text = *known;
	return true;
}

static const char *text_of(
	struct firefox_reader *reader, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_string(value)
		       ? recording_text(reader->recording, json_string_value(value),
				 json_string_length(value))
		       : reader->none;
}

/* --- functions, frames, stacks -------------------------------------------------------- */

/* The path of the library that the function in ROW is in; "": none. */
static bool find_library(struct firefox_reader *reader, const json_t *functions,
	size_t row, const char **path, struct error *err)
{
	const json_t *resources = json_object_get(reader->owner, "resourceTable"),
		     *of = column(resources, "lib");
	uint32_t resource, library = PROFILE_NONE;
	*path = reader->none;
	if (!index_in(column(functions, "resource"), row, json_array_size(of), "resource",
		    &resource, err) ||
		(resource != PROFILE_NONE && !index_in(of, resource, reader->paths.len,
						     "library", &library, err)))
		return false;
	if (library != PROFILE_NONE)
		*path = reader->paths.data[library];
	return true;
}

/* The source file, where versions before 58 have it, or where later ones do. */
static bool find_source(struct firefox_reader *reader, const json_t *functions,
	size_t row, const char **file, struct error *err)
{
	const json_t *names =
		column(json_object_get(reader->owner, "sources"), "filename");
	uint32_t source;
	if (!text_in(reader, column(functions, "fileName"), row, file, err) ||
		!index_in(column(functions, "source"), row, json_array_size(names),
			"source", &source, err))
		return false;
	return source == PROFILE_NONE || text_in(reader, names, source, file, err);
}

static bool is_address(const char *name)
{
	const char *digits = strncmp(name, "0x", 2) == 0 ? name + 2 : "";
	return *digits && digits[strspn(digits, "0123456789abcdef")] == '\0';
}

static bool read_function(struct firefox_reader *reader, const json_t *functions,
	size_t row, struct error *err)
{
	struct profile *strings = reader->recording->profile;
	struct function function = {.start_line = 0};
	struct firefox_place place;
	uint32_t line;
	if (!text_in(reader, column(functions, "name"), row, &function.name, err) ||
		!find_source(reader, functions, row, &function.file, err) ||
		!find_library(reader, functions, row, &place.path, err))
		return false;
	function.module = profile_string(strings, recording_module(place.path));
	if (is_address(function.name) && *function.module) {
		char *name = mem_printf("[%s+%s]", function.module, function.name);
		function.name = profile_string(strings, name);
		free(name);
	}
	function.system_name = function.name;
	if (json_index(
		    json_array_get(column(functions, "lineNumber"), row), INT_MAX, &line))
		function.start_line = line;
	place.function = recording_function_of_file(reader->recording, &function);
	vec_push(&reader->functions, place);
	return recording_check(reader->recording, err);
}

static bool read_frame(struct firefox_reader *reader, const json_t *frames, size_t row,
	struct error *err)
{
	uint32_t function, line = 0;
	if (!index_in(column(frames, "func"), row, reader->functions.len, "function",
		    &function, err))
		return false;
	if (function == PROFILE_NONE)
		return error_set(err, "has no function");
	if (!json_index(json_array_get(column(frames, "line"), row), INT_MAX, &line))
		line = 0;
	vec_push(&reader->frames, recording_line_location(reader->recording,
					  reader->functions.data[function].function, line,
					  reader->functions.data[function].path));
	return recording_check(reader->recording, err);
}

static bool read_stack(struct firefox_reader *reader, const json_t *stacks, size_t row,
	struct error *err)
{
	uint32_t prefix, frame;
	if (!index_in(column(stacks, "prefix"), row, row, "stack before it", &prefix,
		    err) ||
		!index_in(column(stacks, "frame"), row, reader->frames.len, "frame",
			&frame, err))
		return false;
	sampled_tree_add(&reader->tree, prefix,
		frame == PROFILE_NONE ? PROFILE_NONE : reader->frames.data[frame]);
	return true;
}

/* All rows of TABLE, which are as many as it has of what a row cannot lack. */
static bool read_table(struct firefox_reader *reader, const char *table, const char *key,
	bool (*read)(struct firefox_reader *reader, const json_t *table, size_t row,
		struct error *err),
	struct error *err)
{
	const json_t *rows = json_member(reader->owner, table, JSON_OBJECT, err);
	const json_t *keys = rows ? json_member(rows, key, JSON_ARRAY, err) : NULL;
	for (size_t i = 0; i < json_array_size(keys); i++)
		if (!read(reader, rows, i, err))
			return error_prefix(err, "%s: row %zu", table, i);
	return keys != NULL;
}

/* The first that there is. */
static const json_t *first_of(const json_t *a, const json_t *b, const json_t *c)
{
	return a ? a : b ? b : c;
}

static void take_strings(struct firefox_reader *reader, const json_t *strings)
{
	if (reader->strings == strings)
		return;
	reader->strings = strings;
	reader->texts.len = 0;
	for (size_t i = 0; i < json_array_size(strings); i++)
		vec_push(&reader->texts, NULL);
}

static void take_libraries(struct firefox_reader *reader, const json_t *libraries)
{
	if (reader->libraries == libraries)
		return;
	reader->libraries = libraries;
	reader->paths.len = 0;
	for (size_t i = 0; i < json_array_size(libraries); i++) {
		const json_t *library = json_array_get(libraries, i);
		const char *path = text_of(reader, library, "path");
		vec_push(&reader->paths, *path ? path : text_of(reader, library, "name"));
	}
}

static void note_room(struct firefox_reader *reader)
{
	reader->recording->beside_bytes =
		reader->tree_bytes +
		reader->functions.cap * sizeof(*reader->functions.data) +
		reader->frames.cap * sizeof(*reader->frames.data) +
		reader->tree.nodes.cap * sizeof(*reader->tree.nodes.data) +
		(reader->texts.cap + reader->paths.cap) * sizeof(char *);
}

static bool read_tables(
	struct firefox_reader *reader, const json_t *owner, struct error *err)
{
	const json_t *shared = json_object_get(reader->root, "shared");
	const json_t *strings = first_of(column(owner, "stringArray"),
		column(owner, "stringTable"), column(shared, "stringArray"));
	if (!strings)
		return error_set(err, "has no list 'stringArray'");
	reader->owner = owner;
	reader->functions.len = reader->frames.len = reader->tree.nodes.len = 0;
	take_strings(reader, strings);
	take_libraries(reader,
		first_of(column(reader->root, "libs"), column(owner, "libs"), NULL));
	bool done = read_table(reader, "funcTable", "name", read_function, err) &&
		    read_table(reader, "frameTable", "func", read_frame, err) &&
		    read_table(reader, "stackTable", "frame", read_stack, err);
	note_room(reader);
	return done;
}

/* --- what all threads say ------------------------------------------------------------- */

/* Is each sample of THREAD where the weights of those before it end? So files are written that do
   not know when (src/write/export-firefox.c). */
static bool is_end_to_end(const json_t *samples)
{
	const json_t *times = column(samples, "time"),
		     *weights = column(samples, "weight");
	double passed = 0;
	if (!times || !weights)
		return false;
	for (size_t i = 0; i < json_array_size(times); i++) {
		double at = json_number_value(json_array_get(times, i));
		if (!(fabs(at - passed) <= 1e-5 + 1e-9 * passed))
			return false;
		passed += json_number_value(json_array_get(weights, i));
	}
	return true;
}

static bool has_positive(const json_t *numbers)
{
	for (size_t i = 0; i < json_array_size(numbers); i++)
		if (json_number_value(json_array_get(numbers, i)) > 0)
			return true;
	return false;
}

static bool find_weigh(const json_t *samples, enum weigh *weigh, struct error *err)
{
	static const char *const names[] = {[WEIGH_SAMPLES] = "samples",
		[WEIGH_TIME] = "tracing-ms",
		[WEIGH_BYTES] = "bytes"};
	const char *type = json_string_value(json_object_get(samples, "weightType"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(type ? type : names[WEIGH_SAMPLES], names[i]) == 0) {
			*weigh = (enum weigh)i;
			return true;
		}
	return error_set(err, "its weights are neither samples nor time nor bytes");
}

static bool look_at_threads(
	struct firefox_reader *reader, const json_t *threads, struct error *err)
{
	const char *unit = json_string_value(json_object_get(
		json_object_get(json_object_get(reader->root, "meta"), "sampleUnits"),
		"threadCPUDelta"));
	const json_t *first_pid = json_object_get(json_array_get(threads, 0), "pid");
	bool is_ns = unit && strcmp(unit, "ns") == 0;
	bool is_first = true, has_run = false;
	reader->cpu_ns = is_ns ? 1 : US_NS;
	reader->has_cpu = is_ns || (unit && strcmp(unit, "\302\265s") == 0);
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);
		const json_t *samples = json_object_get(thread, "samples");
		enum weigh weigh = WEIGH_SAMPLES;
		reader->has_processes |=
			!json_equal(json_object_get(thread, "pid"), first_pid);
		if (!json_array_size(column(samples, "stack")))
			continue;
		if (!find_weigh(samples, &weigh, err))
			return error_prefix(err, "thread %zu", i);
		if (!is_first && weigh != reader->weigh)
			return error_set(
				err, "its threads have weights of several kinds");
		is_first = false;
		reader->weigh = weigh;
		reader->has_cpu &= column(samples, "threadCPUDelta") != NULL;
		has_run |= has_positive(column(samples, "threadCPUDelta"));
		reader->has_times |= !is_end_to_end(samples);
	}
	reader->has_cpu &= has_run;
	return true;
}

static void add_type(struct firefox_reader *reader, struct value_type *types, int *n,
	const char *type, const char *unit)
{
	types[(*n)++] =
		(struct value_type){profile_string(reader->recording->profile, type),
			profile_string(reader->recording->profile, unit)};
}

/* CPU time comes last: it is shown. What weighs that anyway is not said twice. */
static bool set_types(struct firefox_reader *reader, struct error *err)
{
	struct value_type types[3];
	int n = 0;
	reader->count_type = reader->weight_type = reader->cpu_type = -1;
	if (reader->weigh == WEIGH_SAMPLES || reader->has_cpu) {
		reader->count_type = n;
		add_type(reader, types, &n, "samples", "count");
	}
	if (reader->weigh == WEIGH_BYTES ||
		(reader->weigh == WEIGH_TIME && !reader->has_cpu)) {
		bool is_time = reader->weigh == WEIGH_TIME;
		reader->weight_type = n;
		add_type(reader, types, &n, is_time ? "time" : "space",
			is_time ? "nanoseconds" : "bytes");
	}
	if (reader->has_cpu) {
		reader->cpu_type = n;
		add_type(reader, types, &n, "cpu", "nanoseconds");
	}
	return recording_types(reader->recording, types, (size_t)n, err);
}

/* What we say of ourselves is in a part of it that others show, too. */
static void read_comments(struct firefox_reader *reader, const json_t *meta)
{
	const json_t *part = json_array_get(json_object_get(meta, "extra"), 0),
		     *entries = column(part, "entries");
	if (strncmp(text_of(reader, meta, "importedFrom"), PACKAGE_NAME,
		    strlen(PACKAGE_NAME)) != 0)
		return;
	for (size_t i = 0; i < json_array_size(entries); i++)
		recording_comment(reader->recording,
			text_of(reader, json_array_get(entries, i), "value"));
}

static void read_meta(struct firefox_reader *reader)
{
	struct origin *origin = reader->recording->origin;
	const json_t *meta = json_object_get(reader->root, "meta");
	double interval_ms = json_number_value(json_object_get(meta, "interval")),
	       start_ms = json_number_value(json_object_get(meta, "startTime"));
	if (start_ms > 0 && start_ms < 1e12 * 4) {
		int64_t start_ns = (int64_t)llroundl((long double)start_ms * NS_PER_MS);
		if (!origin->time_ns || start_ns < origin->time_ns)
			origin->time_ns = start_ns;
	}
	if (interval_ms > 0 && interval_ms < 1e9 && !origin->has_period_type) {
		origin->has_period_type = true;
		origin->period = llround(interval_ms * NS_PER_MS);
		origin->period_type = (struct value_type){
			profile_string(reader->recording->profile, "cpu"),
			profile_string(reader->recording->profile, "nanoseconds")};
	}
	if (!origin->title[0])
		origin->title = text_of(reader, meta, "product");
	read_comments(reader, meta);
}

/* --- samples -------------------------------------------------------------------------- */

/* What VALUE adds to SUM, in whole numbers: of fractions nothing is lost. */
static bool take(long double *sum, const json_t *value, double scale, int64_t *taken,
	struct error *err)
{
	double number = json_number_value(value) * scale; /* 0: null */
	if (!(number >= 0) || !(*sum + number < (long double)(INT64_MAX / 4)))
		return error_set(err, "weighs less than 0, or all more than 2^61");
	*taken = (int64_t)(roundl(*sum + number) - roundl(*sum));
	*sum += number;
	return true;
}

struct firefox_samples {
	const json_t *stacks, *times, *deltas, *weights, *cpu;
	uint32_t thread;
	double now_ms;
	long double weight, cpu_time; /* so far */
};

static bool add_moment(struct firefox_reader *reader, const struct firefox_samples *of,
	const int64_t *values, struct error *err)
{
	int type = reader->cpu_type >= 0 ? reader->cpu_type : reader->weight_type;
	if (!reader->has_times)
		return true;
	if (!(of->now_ms < (double)JSON_WHOLE_MAX))
		return error_set(err, "its time is beyond all dates");
	const struct recording_moment moment = {
		.begin_ns = reader->recording->origin->time_ns,
		.tick = of->now_ms > 0 ? (uint64_t)llroundl((long double)of->now_ms *
							    NS_PER_MS / US_NS)
				       : 0,
		.tick_ns = US_NS,
		.weight = (uint64_t)values[type < 0 ? reader->count_type : type],
		.unit_ns = 1,
		.row = reader->recording->last_row,
		.count = 1,
	};
	return recording_add_moment(reader->recording, &moment, values, err);
}

static bool read_sample(struct firefox_reader *reader, struct firefox_samples *of,
	size_t row, struct error *err)
{
	int64_t values[3] = {0}, weight = 1, cpu = 0;
	uint32_t stack;
	if (!index_in(of->stacks, row, reader->tree.nodes.len, "stack", &stack, err))
		return false;
	if (of->weights &&
		!take(&of->weight, json_array_get(of->weights, row),
			reader->weigh == WEIGH_TIME ? NS_PER_MS : 1, &weight, err))
		return false;
	if (reader->has_cpu && !take(&of->cpu_time, json_array_get(of->cpu, row),
				       reader->cpu_ns, &cpu, err))
		return false;
	if (of->deltas)
		of->now_ms += json_number_value(json_array_get(of->deltas, row));
	else
		of->now_ms = json_number_value(json_array_get(of->times, row));
	if (reader->count_type >= 0)
		values[reader->count_type] = reader->weigh == WEIGH_SAMPLES ? weight : 1;
	if (reader->weight_type >= 0)
		values[reader->weight_type] = weight;
	if (reader->cpu_type >= 0)
		values[reader->cpu_type] = cpu;
	return sampled_tree_sample(&reader->tree, of->thread, stack, values, err) &&
	       add_moment(reader, of, values, err);
}

/* The number is one, or a text; of threads put together "12.1" for a second one. */
static int64_t number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value)  ? json_integer_value(value)
	       : json_is_string(value) ? strtoll(json_string_value(value), NULL, 10)
				       : 0;
}

static uint32_t thread_of(struct firefox_reader *reader, const json_t *thread)
{
	struct recording *recording = reader->recording;
	struct profile *strings = recording->profile;
	const char *name = text_of(reader, thread, "name");
	int64_t tid = number_of(thread, "tid");
	if (strcmp(name, "all") == 0 && !tid)
		name = reader->none; /* as we write it */
	if (!reader->has_processes || recording_is_full(recording))
		return recording_thread(recording, name, tid);
	const struct label labels[] = {
		{profile_string(strings, "thread"), name, reader->none, 0},
		{profile_string(strings, "tid"), reader->none, reader->none, tid},
		{profile_string(strings, "process"),
			text_of(reader, thread, "processName"), reader->none, 0},
		{profile_string(strings, "pid"), reader->none, reader->none,
			number_of(thread, "pid")},
	};
	return recording_labelled_thread(recording, name, tid, labels, 4);
}

static bool read_thread(
	struct firefox_reader *reader, const json_t *thread, struct error *err)
{
	const json_t *samples = json_member(thread, "samples", JSON_OBJECT, err);
	if (!samples)
		return false;
	struct firefox_samples of = {
		.stacks = json_member(samples, "stack", JSON_ARRAY, err),
		.times = column(samples, "time"),
		.deltas = column(samples, "timeDeltas"),
		.weights = column(samples, "weight"),
		.cpu = column(samples, "threadCPUDelta"),
	};
	if (!of.stacks)
		return false;
	if (!json_array_size(of.stacks))
		return true;
	if (json_object_get(thread, "stackTable") && !read_tables(reader, thread, err))
		return false;
	of.thread = thread_of(reader, thread);
	for (size_t i = 0; i < json_array_size(of.stacks); i++)
		if (!read_sample(reader, &of, i, err))
			return error_prefix(err, "sample %zu", i);
	return true;
}

static bool read_root(
	struct firefox_reader *reader, const json_t *root, struct error *err)
{
	const json_t *meta = json_object_get(root, "meta");
	const json_t *threads = json_member(root, "threads", JSON_ARRAY, err);
	const json_t *shared = json_object_get(root, "shared");
	if (!json_object_get(meta, "preprocessedProfileVersion"))
		return error_set(err,
			"is not as the Firefox Profiler saves it: load it at "
			"https://profiler.firefox.com and save it there");
	if (!threads || !look_at_threads(reader, threads, err) || !set_types(reader, err))
		return false;
	read_meta(reader);
	if (json_object_get(shared, "stackTable") && !read_tables(reader, shared, err))
		return error_prefix(err, "shared");
	for (size_t i = 0; i < json_array_size(threads); i++)
		if (!read_thread(reader, json_array_get(threads, i), err))
			return error_prefix(err, "thread %zu", i);
	return true;
}

static bool is_firefox(const json_t *root)
{
	return json_object_get(root, "threads") && json_object_get(root, "meta");
}

static bool read_firefox(
	struct recording *recording, const json_t *root, struct error *err)
{
	struct firefox_reader reader = {
		.recording = recording,
		.root = root,
		.tree = {.recording = recording},
		.none = profile_string(recording->profile, ""),
		.tree_bytes = recording->beside_bytes,
	};
	bool done = read_root(&reader, root, err);
	sampled_tree_finish(&reader.tree);
	vec_free(&reader.texts);
	vec_free(&reader.paths);
	vec_free(&reader.functions);
	vec_free(&reader.frames);
	return done;
}

const struct json_format json_firefox = {
	.is = is_firefox,
	.read = read_firefox,
};
