/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .cpuprofile, what V8's sampling profiler finds: node's --cpu-prof, Chrome DevTools, VS Code
 * (Profiler.Profile of https://chromedevtools.github.io/devtools-protocol/v8/Profiler).
 *
 * A sample lasts until the next one, as DevTools and VS Code have it, the last one until the end,
 * but no longer than all do on average. That is time on the wall clock; what is not "(idle)" counts as CPU time.
 * A node has a line for each of its ticks, but not when: they are shared among its samples. A file
 * without samples has how often each node was met.
 */
#include "src/base/json-tree.h"
#include "src/base/vec.h"
#include "src/count/import/json-formats.h"
#include "src/count/import/sampled-tree.h"

#include <limits.h>
#include <string.h>

enum {
	US_NS = 1000,
	TYPE_SAMPLES = 0,
	TYPE_CPU,
	TYPE_WALL,
	N_TYPES,
};

/* Starts count from the boot, or in files of ours from 1970; nothing runs for 31 years. */
#define EPOCH_US INT64_C(1000000000000000)

struct cpu_tick {
	uint32_t line;
	uint32_t
		node; /* of the tree: like its own, but in this line; PROFILE_NONE: not yet */
	uint64_t until; /* ticks of its node, with those before it */
};

struct cpu_node {
	uint32_t function;	    /* PROFILE_NONE: it is the root */
	uint32_t first, next, last; /* ticks[first .. last), and the one at hand */
	uint64_t samples, passed;
	bool is_idle;
};

struct cpuprofile_reader {
	struct recording *recording;
	struct sampled_tree tree; /* its first nodes are NODES */
	VEC(struct cpu_node) nodes;
	VEC(struct cpu_tick) ticks;
	struct idmap ids; /* (the file's id, 0) -> index in nodes */
	const char *none;
	uint32_t thread;
	int64_t start_us, end_us;
};

/* --- nodes ---------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef",
		   *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* A URL of a file as the path of it: what else there is stays. */
static const char *path_of(struct cpuprofile_reader *reader, const char *url)
{
	static const char scheme[] = "file://";
	size_t length = 0;
	if (strncmp(url, scheme, strlen(scheme)) != 0 || url[strlen(scheme)] != '/')
		return recording_text(reader->recording, url, strlen(url));
	url += strlen(scheme);
	char *path = mem_alloc(strlen(url) + 1);
	while (*url) {
		bool is_coded =
			*url == '%' && hex_digit(url[1]) >= 0 && hex_digit(url[2]) >= 0;
		path[length++] =
			is_coded ? (char)(hex_digit(url[1]) << 4 | hex_digit(url[2]))
				 : *url;
		url += is_coded ? 3 : 1;
	}
	const char *text = recording_text(reader->recording, path, length);
	free(path);
	return text;
}

static bool read_function(struct cpuprofile_reader *reader, const json_t *source,
	struct cpu_node *node, struct error *err)
{
	const json_t *frame = json_member(source, "callFrame", JSON_OBJECT, err);
	const json_t *name =
		frame ? json_member(frame, "functionName", JSON_STRING, err) : NULL;
	const char *url = json_string_value(json_object_get(frame, "url"));
	int64_t line = -1;
	if (!name)
		return false;
	json_whole(json_object_get(frame, "lineNumber"), &line);
	struct function function = {
		.name = recording_text(reader->recording, json_string_value(name),
			json_string_length(name)),
		.module = reader->none,
		.file = path_of(reader, url ? url : ""),
		.start_line = line >= 0 && line < INT_MAX ? (uint32_t)line + 1 : 0,
	};
	bool is_meta = function.name[0] == '(' && !function.file[0];
	if (!function.name[0])
		function.name = profile_string(reader->recording->profile, "(anonymous)");
	function.system_name = function.name;
	function.is_synthetic = is_meta;
	node->is_idle = is_meta && strcmp(function.name, "(idle)") == 0;
	node->function =
		is_meta && strcmp(function.name, "(root)") == 0
			? PROFILE_NONE
			: recording_function_of_file(reader->recording, &function);
	return true;
}

static bool read_ticks(struct cpuprofile_reader *reader, const json_t *source,
	struct cpu_node *node, struct error *err)
{
	const json_t *ticks = json_object_get(source, "positionTicks");
	uint64_t sum = 0;
	node->first = node->next = (uint32_t)reader->ticks.len;
	for (size_t i = 0; i < json_array_size(ticks); i++) {
		const json_t *tick = json_array_get(ticks, i);
		int64_t line, count;
		if (!json_whole(json_object_get(tick, "line"), &line) ||
			!json_whole(json_object_get(tick, "ticks"), &count) || line < 0 ||
			line > INT_MAX || count < 0)
			return error_set(err, "has no 'line' or no 'ticks' in a place");
		sum += (uint64_t)count; /* far fewer than 2^11 times 2^53 */
		vec_push(&reader->ticks,
			(struct cpu_tick){(uint32_t)line, PROFILE_NONE, sum});
	}
	node->last = (uint32_t)reader->ticks.len;
	return true;
}

static bool read_node(
	struct cpuprofile_reader *reader, const json_t *source, struct error *err)
{
	struct recording *recording = reader->recording;
	struct cpu_node node = {.samples = 0};
	int64_t id;
	if (!json_whole(json_object_get(source, "id"), &id))
		return error_set(err, "has no number 'id'");
	if (idmap_get(&reader->ids, (uint64_t)id, 0))
		return error_set(err, "has the 'id' of another one");
	if (!read_function(reader, source, &node, err) ||
		!read_ticks(reader, source, &node, err))
		return false;
	idmap_put(&reader->ids, (uint64_t)id, 0, (uint32_t)reader->nodes.len);
	vec_push(&reader->nodes, node);
	sampled_tree_add(&reader->tree, PROFILE_NONE,
		node.function == PROFILE_NONE ? PROFILE_NONE
					      : recording_line_location(recording,
							node.function, 0, reader->none));
	recording->beside_bytes +=
		sizeof(node) + sizeof(struct sampled_node) +
		2 * sizeof(struct idmap_entry) +
		(node.last - node.first) *
			(sizeof(struct cpu_tick) + sizeof(struct sampled_node));
	return recording_check(recording, err);
}

static bool node_of(const struct cpuprofile_reader *reader, const json_t *value,
	uint32_t *node, struct error *err)
{
	int64_t id;
	const uint32_t *known =
		json_whole(value, &id) ? idmap_get(&reader->ids, (uint64_t)id, 0) : NULL;
	if (!known)
		return error_set(
			err, "refers to a node that is none of %zu", reader->nodes.len);
	*node = *known;
	return true;
}

static bool read_children(struct cpuprofile_reader *reader, uint32_t parent,
	const json_t *source, struct error *err)
{
	const json_t *children = json_object_get(source, "children");
	for (size_t i = 0; i < json_array_size(children); i++) {
		uint32_t child;
		if (!node_of(reader, json_array_get(children, i), &child, err))
			return false;
		struct sampled_node *node = &reader->tree.nodes.data[child];
		if (node->parent != PROFILE_NONE)
			return error_set(err, "has a child that has a parent already");
		node->parent = parent;
	}
	return true;
}

static bool read_nodes(
	struct cpuprofile_reader *reader, const json_t *root, struct error *err)
{
	const json_t *nodes = json_member(root, "nodes", JSON_ARRAY, err);
	size_t n = json_array_size(nodes);
	for (size_t i = 0; i < n; i++)
		if (!read_node(reader, json_array_get(nodes, i), err))
			return error_prefix(err, "node %zu", i);
	for (uint32_t i = 0; i < n; i++)
		if (!read_children(reader, i, json_array_get(nodes, i), err))
			return error_prefix(err, "node %u", i);
	return nodes != NULL;
}

/* --- samples -------------------------------------------------------------------------- */

/* The node of the tree for the next sample in NODE: with the line of the tick that it falls on. */
static uint32_t in_line(struct cpuprofile_reader *reader, uint32_t node)
{
	struct cpu_node *at = &reader->nodes.data[node];
	if (at->first == at->last || at->function == PROFILE_NONE)
		return node;
	uint64_t ticks = reader->ticks.data[at->last - 1].until;
	unsigned __int128 place =
		(unsigned __int128)(2 * at->passed++ + 1) * ticks / (2 * at->samples);
	while (at->next + 1 < at->last && reader->ticks.data[at->next].until <= place)
		at->next++;
	struct cpu_tick *tick = &reader->ticks.data[at->next];
	if (tick->node == PROFILE_NONE) {
		tick->node = (uint32_t)reader->tree.nodes.len;
		sampled_tree_add(&reader->tree, reader->tree.nodes.data[node].parent,
			recording_line_location(reader->recording, at->function,
				tick->line, reader->none));
	}
	return tick->node;
}

/* A sample in NODE, FROM_US after the start, for so many microseconds; ours are at the end of what
   they weigh. */
static bool add(struct cpuprofile_reader *reader, uint32_t node, int64_t from_us,
	int64_t for_us, struct error *err)
{
	struct recording *recording = reader->recording;
	int64_t wall_ns = for_us * US_NS;
	const int64_t values[N_TYPES] = {
		[TYPE_SAMPLES] = 1,
		[TYPE_CPU] = reader->nodes.data[node].is_idle ? 0 : wall_ns,
		[TYPE_WALL] = wall_ns,
	};
	if (!sampled_tree_sample(
		    &reader->tree, reader->thread, in_line(reader, node), values, err))
		return false;
	const struct recording_moment moment = {
		.begin_ns = reader->start_us >= EPOCH_US ? reader->start_us * US_NS : 0,
		.tick = (uint64_t)(from_us + for_us),
		.tick_ns = US_NS,
		.weight = (uint64_t)for_us,
		.unit_ns = US_NS,
		.row = recording->last_row,
		.count = 1,
	};
	return recording_add_moment(recording, &moment, values, err);
}

/* Where sample INDEX begins, after the start. V8 takes some out of order: then the one before
   it has no time. */
static bool next_us(const json_t *deltas, size_t index, int64_t *sum_us,
	int64_t *latest_us, struct error *err)
{
	int64_t delta;
	if (!json_whole(json_array_get(deltas, index), &delta))
		return error_set(err, "has no time");
	*sum_us += delta;
	if (*sum_us > JSON_WHOLE_MAX || *sum_us < -JSON_WHOLE_MAX)
		return error_set(err, "its time is beyond all dates");
	*latest_us = *sum_us > *latest_us ? *sum_us : *latest_us;
	return true;
}

static int64_t last_for(
	const struct cpuprofile_reader *reader, int64_t first_us, int64_t at_us, size_t n)
{
	int64_t rest = reader->end_us - reader->start_us - at_us;
	int64_t average = n > 1 ? (at_us - first_us) / (int64_t)(n - 1) : rest;
	rest = rest < average ? rest : average;
	return rest > 0 ? rest : 0;
}

static bool read_samples(struct cpuprofile_reader *reader, const json_t *samples,
	const json_t *deltas, struct error *err)
{
	size_t n = json_array_size(samples);
	int64_t sum_us = 0, at_us = 0, first_us = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t node;
		if (!node_of(reader, json_array_get(samples, i), &node, err))
			return error_prefix(err, "sample %zu", i);
		reader->nodes.data[node].samples++;
	}
	if (n && !next_us(deltas, 0, &sum_us, &at_us, err))
		return error_prefix(err, "sample 0");
	first_us = at_us;
	for (size_t i = 0; i < n; i++) {
		int64_t begin_us = at_us, for_us;
		uint32_t node;
		if (i + 1 < n && !next_us(deltas, i + 1, &sum_us, &at_us, err))
			return error_prefix(err, "sample %zu", i + 1);
		for_us = i + 1 < n ? at_us - begin_us
				   : last_for(reader, first_us, begin_us, n);
		if (!node_of(reader, json_array_get(samples, i), &node, err) ||
			!add(reader, node, begin_us, for_us, err))
			return error_prefix(err, "sample %zu", i);
	}
	return true;
}

/* Without samples: how often each node was met, each time for as long as any. */
static bool read_hits(
	struct cpuprofile_reader *reader, const json_t *nodes, struct error *err)
{
	int64_t sum = 0, before = 0, hits;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < reader->nodes.len; i++) {
			const json_t *count =
				json_object_get(json_array_get(nodes, i), "hitCount");
			if (!json_whole(count, &hits) || hits <= 0)
				continue;
			if (pass == 0) {
				sum = sum < JSON_WHOLE_MAX ? sum + hits : sum;
				continue;
			}
			int64_t wall_ns = recording_share(
				(reader->end_us - reader->start_us) * US_NS,
				(uint64_t)before, (uint64_t)hits, (uint64_t)sum);
			before += hits;
			const int64_t values[N_TYPES] = {hits,
				reader->nodes.data[i].is_idle ? 0 : wall_ns, wall_ns};
			if (!sampled_tree_sample(
				    &reader->tree, reader->thread, i, values, err))
				return error_prefix(err, "node %u", i);
		}
	return true;
}

static bool read_times(
	struct cpuprofile_reader *reader, const json_t *root, struct error *err)
{
	struct origin *origin = reader->recording->origin;
	if (!json_whole(json_object_get(root, "startTime"), &reader->start_us) ||
		!json_whole(json_object_get(root, "endTime"), &reader->end_us))
		return error_set(err, "has no number 'startTime' or 'endTime'");
	int64_t length_us = reader->end_us - reader->start_us;
	if (length_us < 0 || length_us > INT64_MAX / 4 / US_NS ||
		reader->start_us > INT64_MAX / 4 / US_NS)
		return error_set(err, "ends before it starts, or is beyond all dates");
	if (length_us * US_NS <= INT64_MAX / 2 - origin->duration_ns)
		origin->duration_ns += length_us * US_NS;
	int64_t start_ns = reader->start_us * US_NS;
	if (reader->start_us >= EPOCH_US &&
		(!origin->time_ns || start_ns < origin->time_ns))
		origin->time_ns = start_ns;
	return true;
}

static bool read_all(
	struct cpuprofile_reader *reader, const json_t *root, struct error *err)
{
	struct profile *strings = reader->recording->profile;
	const char *ns = profile_string(strings, "nanoseconds");
	const struct value_type types[N_TYPES] = {
		[TYPE_SAMPLES] = {profile_string(strings, "samples"),
			profile_string(strings, "count")},
		[TYPE_CPU] = {profile_string(strings, "cpu"), ns},
		[TYPE_WALL] = {profile_string(strings, "wall"), ns},
	};
	const json_t *samples = json_object_get(root, "samples"),
		     *deltas = json_object_get(root, "timeDeltas");
	if (!recording_types(reader->recording, types, N_TYPES, err))
		return false;
	if (!reader->recording->origin->default_type[0])
		reader->recording->origin->default_type = types[TYPE_CPU].type;
	reader->thread = recording_thread(reader->recording, reader->none, 0);
	if (!read_times(reader, root, err) || !read_nodes(reader, root, err))
		return false;
	if (!samples && !deltas)
		return read_hits(reader, json_object_get(root, "nodes"), err);
	if (!json_member(root, "samples", JSON_ARRAY, err) ||
		!json_member(root, "timeDeltas", JSON_ARRAY, err))
		return false;
	if (json_array_size(samples) != json_array_size(deltas))
		return error_set(err, "has %zu samples and %zu times",
			json_array_size(samples), json_array_size(deltas));
	return read_samples(reader, samples, deltas, err);
}

static bool is_cpuprofile(const json_t *root)
{
	return json_object_get(root, "nodes") && !json_object_get(root, "snapshot");
}

static bool read_cpuprofile(
	struct recording *recording, const json_t *root, struct error *err)
{
	struct cpuprofile_reader reader = {
		.recording = recording,
		.tree = {.recording = recording},
		.none = profile_string(recording->profile, ""),
	};
	bool done = read_all(&reader, root, err);
	sampled_tree_finish(&reader.tree);
	vec_free(&reader.nodes);
	vec_free(&reader.ticks);
	idmap_finish(&reader.ids);
	return done;
}

const struct json_format json_cpuprofile = {
	.is = is_cpuprofile,
	.read = read_cpuprofile,
};
