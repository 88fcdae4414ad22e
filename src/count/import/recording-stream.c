/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/recording-stream.h"

#include "src/base/clean.h"
#include "src/facts/demangle.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHECK_EVERY_BYTES = 64 << 10,		 /* whether there is room */
	ENTRIES_MAX = RECORDING_ENTRIES_MAX + 8, /* with what stands for the rest */
	COMMENTS_MAX = 1 << 20,
	TEXT_MAX = 4 * RECORDING_TEXT_MAX, /* cleaned */
};

struct head {
	uint32_t types, comments, mappings, functions, locations, nodes, threads, rows;
	uint32_t moments, flags, columns, has_period_type;
	int64_t period, time_ns, duration_ns, pid;
	uint64_t tick_ns, weight_ns;
	uint32_t left_out; /* the stack of what was left out; 0: nothing was */
	uint32_t has_lost_times;
};

struct passage {
	const struct recording_stream *stream;
	struct recording *recording;
	struct origin *origin;
	bool gives; /* or takes */
	const char *wrong;
	size_t unchecked; /* bytes since memory was looked at */
	uint64_t frames;
	VEC(char) text;
	VEC(uint32_t) depths;	   /* of the nodes: frames */
	VEC(uint64_t) moment_sums; /* by type */
};

static bool wrong(struct passage *passage, const char *what)
{
	if (!passage->wrong)
		passage->wrong = what;
	return false;
}

static bool pass(struct passage *passage, void *bytes, size_t length)
{
	const struct recording *recording = passage->recording;
	if (!passage->stream->pass(passage->stream->context, bytes, length))
		return wrong(passage, "its end");
	passage->unchecked += length;
	if (passage->gives || passage->unchecked < CHECK_EVERY_BYTES)
		return true;
	passage->unchecked = 0;
	/* What was added last, and the doubling of a table, may go beyond it. */
	return recording_shown_bytes(recording) / 3 <= recording->most_bytes / 2 ||
	       wrong(passage, "too much");
}

static bool pass_text(struct passage *passage, const char **text)
{
	uint32_t length = passage->gives ? (uint32_t)strlen(*text) : 0;
	if (!pass(passage, &length, sizeof(length)))
		return false;
	if (passage->gives)
		return pass(passage, (void *)(uintptr_t)*text, length);
	if (length > TEXT_MAX)
		return wrong(passage, "a long text");
	vec_reserve(&passage->text, length + 1);
	if (!pass(passage, passage->text.data, length))
		return false;
	if (!clean_is(passage->text.data, length))
		return wrong(passage, "a text");
	passage->text.data[length] = '\0';
	*text = profile_string(passage->recording->profile, passage->text.data);
	return true;
}

/* --- what the file says of itself ------------------------------------------------------ */

static bool pass_type(struct passage *passage, struct value_type *type)
{
	return pass_text(passage, &type->type) && pass_text(passage, &type->unit);
}

static bool pass_types(struct passage *passage, uint32_t count)
{
	struct value_type types[RECORDING_TYPES_MAX];
	if (count == 0 || count > RECORDING_TYPES_MAX)
		return wrong(passage, "the number of types");
	for (uint32_t i = 0; i < count; i++) {
		if (passage->gives)
			types[i] = passage->origin->types.data[i];
		if (!pass_type(passage, &types[i]))
			return false;
		vec_push(&passage->moment_sums, 0);
	}
	return passage->gives ||
	       recording_types(passage->recording, types, count, NULL) ||
	       wrong(passage, "types");
}

static bool pass_facts(struct passage *passage, const struct head *head)
{
	struct origin *origin = passage->origin;
	const char **const texts[] = {&origin->default_type, &origin->drop_frames,
		&origin->keep_frames, &origin->doc_url, &origin->title, &origin->command};
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!pass_text(passage, texts[i]))
			return false;
	if (head->comments > COMMENTS_MAX)
		return wrong(passage, "the number of comments");
	for (uint32_t i = 0; i < head->comments; i++) {
		const char *comment = passage->gives ? origin->comments.data[i] : NULL;
		if (!pass_text(passage, &comment))
			return false;
		if (!passage->gives)
			vec_push(&origin->comments, comment);
	}
	return !head->has_period_type || pass_type(passage, &origin->period_type);
}

static struct head head_of(const struct recording *recording)
{
	const struct origin *origin = recording->origin;
	const struct profile *profile = recording->profile;
	return (struct head){
		.types = (uint32_t)origin->types.len,
		.comments = (uint32_t)origin->comments.len,
		.mappings = profile->mappings->len,
		.functions = profile->functions->len,
		.locations = profile->locations->len,
		.nodes = stacktab_nodes(recording->stacktab),
		.threads = profile->threads->len,
		.rows = (uint32_t)origin->rows.len,
		.moments = (uint32_t)origin->moments.len,
		.flags = (uint32_t)origin->location_flags.len,
		.columns = (uint32_t)origin->columns.len,
		.has_period_type = origin->has_period_type,
		.period = origin->period,
		.time_ns = origin->time_ns,
		.duration_ns = origin->duration_ns,
		.pid = origin->pid,
		.tick_ns = origin->tick_ns,
		.weight_ns = origin->weight_ns,
		.left_out = recording->substitutes.stack,
		.has_lost_times = recording->has_lost_times,
	};
}

/* Of the rest, what comes says how many there are: memory is what limits them. */
static bool take_head(struct passage *passage, const struct head *head)
{
	struct origin *origin = passage->origin;
	const uint32_t counts[] = {head->mappings, head->functions, head->locations,
		head->threads, head->rows, head->moments};
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i] > ENTRIES_MAX)
			return wrong(passage, "the number of entries");
	if (head->has_period_type > 1 || head->nodes < UNWIND_END_COUNT ||
		head->left_out >= head->nodes)
		return wrong(passage, "its begin");
	origin->has_period_type = head->has_period_type;
	origin->period = head->period;
	origin->time_ns = head->time_ns;
	origin->duration_ns = head->duration_ns;
	origin->pid = head->pid;
	origin->tick_ns = head->tick_ns;
	origin->weight_ns = head->weight_ns;
	passage->recording->substitutes.stack = head->left_out;
	passage->recording->has_lost_times = head->has_lost_times != 0;
	return true;
}

/* --- the profile ----------------------------------------------------------------------- */

static bool pass_mapping(struct passage *passage, uint32_t id)
{
	enum {
		MAIN = 1,
		FUNCTIONS = 2,
		FILENAMES = 4,
		LINES = 8,
		INLINES = 16
	};
	struct mapping mapping = {0};
	uint32_t flags = 0;
	if (passage->gives) {
		mapping = *profile_mapping(passage->recording->profile, id);
		struct mapping_claims claims = passage->origin->of_mapping.data[id];
		flags = (mapping.is_main ? MAIN : 0) |
			(claims.has_functions ? FUNCTIONS : 0) |
			(claims.has_filenames ? FILENAMES : 0) |
			(claims.has_line_numbers ? LINES : 0) |
			(claims.has_inline_frames ? INLINES : 0);
	}
	uint64_t numbers[] = {mapping.start, mapping.limit, mapping.file_offset, flags};
	if (!pass(passage, numbers, sizeof(numbers)) ||
		!pass_text(passage, &mapping.path) ||
		!pass_text(passage, &mapping.module) ||
		!pass_text(passage, &mapping.build_id))
		return false;
	if (passage->gives)
		return true;
	mapping.start = numbers[0];
	mapping.limit = numbers[1];
	mapping.file_offset = numbers[2];
	mapping.is_main = numbers[3] & MAIN;
	struct mapping_claims claims = {
		.has_functions = numbers[3] & FUNCTIONS,
		.has_filenames = numbers[3] & FILENAMES,
		.has_line_numbers = numbers[3] & LINES,
		.has_inline_frames = numbers[3] & INLINES,
	};
	recording_mapping(passage->recording, &mapping, &claims);
	return true;
}

static bool pass_function(struct passage *passage, uint32_t id)
{
	struct profile *profile = passage->recording->profile;
	struct function function = {0};
	char short_name[CLEAN_MAX] = "";
	if (passage->gives)
		function = *profile_function(profile, id);
	if (passage->gives && !function.is_synthetic)
		demangle_short(function.system_name, short_name, sizeof(short_name));
	function.short_name = short_name;
	uint32_t numbers[] = {function.start_line, function.kin, function.is_synthetic};
	if (!pass(passage, numbers, sizeof(numbers)) ||
		!pass_text(passage, &function.name) ||
		!pass_text(passage, &function.system_name) ||
		!pass_text(passage, &function.short_name) ||
		!pass_text(passage, &function.module) ||
		!pass_text(passage, &function.file))
		return false;
	if (passage->gives)
		return true;
	function.start_line = numbers[0];
	function.kin = numbers[1];
	function.is_synthetic = numbers[2] != 0;
	if (function.kin > id ||
		(function.kin < id &&
			profile_function(profile, function.kin)->kin != function.kin))
		return wrong(passage, "whose kin a function is");
	profile_derive_function(profile, &function);
	return true;
}

static bool pass_location(struct passage *passage, uint32_t id)
{
	struct profile *profile = passage->recording->profile;
	struct line lines[RECORDING_LINES_MAX];
	struct {
		uint64_t address;
		uint32_t mapping, n_lines;
	} numbers = {0};
	if (passage->gives) {
		const struct location *location = profile_location(profile, id);
		numbers.address = location->address;
		numbers.mapping = location->mapping;
		numbers.n_lines = location->n_lines;
		return pass(passage, &numbers, sizeof(numbers)) &&
		       pass(passage, (void *)(uintptr_t)location->lines,
			       location->n_lines * sizeof(*lines));
	}
	if (!pass(passage, &numbers, sizeof(numbers)))
		return false;
	if (numbers.n_lines == 0 || numbers.n_lines > RECORDING_LINES_MAX ||
		(numbers.mapping != PROFILE_NONE &&
			numbers.mapping >= profile->mappings->len))
		return wrong(passage, "a location");
	if (!pass(passage, lines, numbers.n_lines * sizeof(*lines)))
		return false;
	for (uint32_t i = 0; i < numbers.n_lines; i++)
		if (lines[i].function >= profile->functions->len)
			return wrong(passage, "the function of a line");
	profile_add_past_location(
		profile, numbers.mapping, numbers.address, lines, numbers.n_lines);
	return true;
}

static bool pass_node(struct passage *passage, uint32_t id)
{
	struct recording *recording = passage->recording;
	struct stack_node node = {0};
	if (passage->gives)
		node = *stacktab_node(recording->stacktab, id);
	if (!pass(passage, &node, sizeof(node)) || passage->gives)
		return !passage->wrong;
	if (node.parent >= id || node.location >= recording->profile->locations->len)
		return wrong(passage, "a frame");
	uint32_t lines = profile_location(recording->profile, node.location)->n_lines;
	uint32_t depth = passage->depths.data[node.parent] + lines;
	passage->frames += lines;
	vec_push(&passage->depths, depth);
	if (depth > RECORDING_STACK_MAX || passage->frames > RECORDING_FRAMES_MAX + 1)
		return wrong(passage, "more frames than may be");
	return stacktab_child(recording->stacktab, node.parent, node.location) == id ||
	       wrong(passage, "a frame that was there");
}

static bool pass_label(struct passage *passage, struct label *label)
{
	return pass(passage, &label->number, sizeof(label->number)) &&
	       pass_text(passage, &label->key) && pass_text(passage, &label->text) &&
	       pass_text(passage, &label->unit);
}

static bool pass_thread(struct passage *passage, uint32_t id)
{
	struct profile *profile = passage->recording->profile;
	struct origin *origin = passage->origin;
	struct label_range range = {.first = (uint32_t)origin->labels.len};
	struct thread thread = {0};
	if (passage->gives) {
		thread = *profile_thread(profile, id);
		range = origin->of_thread.data[id];
	}
	if (!pass(passage, &thread.tid, sizeof(thread.tid)) ||
		!pass(passage, &range.count, sizeof(range.count)) ||
		!pass_text(passage, &thread.name))
		return false;
	if (range.count > ENTRIES_MAX ||
		origin->labels.len + range.count > 2 * (size_t)ENTRIES_MAX)
		return wrong(passage, "the number of labels");
	for (uint32_t i = 0; i < range.count; i++) {
		struct label label = {0};
		if (passage->gives)
			label = origin->labels.data[range.first + i];
		if (!pass_label(passage, &label))
			return false;
		if (!passage->gives)
			vec_push(&origin->labels, label);
	}
	if (passage->gives)
		return true;
	profile_add_thread(profile, thread.tid, thread.name);
	vec_push(&origin->of_thread, range);
	return true;
}

/* --- values ---------------------------------------------------------------------------- */

/* One for each type. SUMS, of the absolute values: reports add them up. */
static bool pass_values(struct passage *passage, int64_t *values, uint64_t *sums)
{
	const struct origin *origin = passage->origin;
	size_t n = origin->types.len;
	if (!pass(passage, values, n * sizeof(*values)))
		return false;
	for (size_t i = 0; i < n && !passage->gives; i++) {
		uint64_t size =
			values[i] < 0 ? -(uint64_t)values[i] : (uint64_t)values[i];
		uint64_t scale;
		value_kind(&origin->types.data[i], &scale);
		if (size > INT64_MAX / scale - sums[i])
			return wrong(passage, "a sum");
		sums[i] += size;
	}
	return true;
}

struct row {
	uint32_t thread, stack;
};

static bool take_row(struct passage *passage, uint32_t index)
{
	struct recording *recording = passage->recording;
	struct origin *origin = passage->origin;
	int64_t values[RECORDING_TYPES_MAX];
	struct row row;
	if (!pass(passage, &row, sizeof(row)))
		return false;
	if (row.thread >= recording->profile->threads->len ||
		row.stack >= stacktab_nodes(recording->stacktab) ||
		idmap_get(&origin->rows, row.thread, row.stack))
		return wrong(passage, "whose values there are");
	if (!pass_values(passage, values, recording->sums.data))
		return false;
	idmap_put(&origin->rows, row.thread, row.stack, index);
	for (size_t i = 0; i < origin->types.len; i++)
		vec_push(&origin->values, values[i]);
	return true;
}

/* In their order, which exports follow. */
static bool give_rows(struct passage *passage)
{
	const struct idmap *ids = &passage->origin->rows;
	size_t n_types = passage->origin->types.len;
	struct row *rows = mem_zalloc((ids->len + 1) * sizeof(*rows));
	for (size_t i = 0; i < ids->cap; i++)
		if (ids->entries[i].used)
			rows[ids->entries[i].value] = (struct row){
				(uint32_t)ids->entries[i].a, (uint32_t)ids->entries[i].b};
	for (size_t i = 0; i < ids->len && !passage->wrong; i++)
		if (pass(passage, &rows[i], sizeof(*rows)))
			pass_values(passage, passage->origin->values.data + i * n_types,
				NULL);
	free(rows);
	return !passage->wrong;
}

static bool pass_rows(struct passage *passage, uint32_t count)
{
	if (passage->gives)
		return give_rows(passage);
	for (uint32_t i = 0; i < count; i++)
		if (!take_row(passage, i))
			return false;
	return true;
}

/* Before times are settled: they stand in the order of their places. */
static bool pass_moment(struct passage *passage, uint32_t place)
{
	struct origin *origin = passage->origin;
	const uint64_t far = UINT64_C(1) << 62; /* as recording_add_moment has it */
	size_t n_types = origin->types.len;
	int64_t values[RECORDING_TYPES_MAX];
	struct {
		uint64_t time_ns, weight_ns;
		uint32_t row, count;
	} numbers = {0};
	if (passage->gives) {
		const struct origin_moment *moment = &origin->moments.data[place];
		numbers.time_ns = moment->time_ns;
		numbers.weight_ns = moment->weight_ns;
		numbers.row = moment->row;
		numbers.count = moment->count;
		memcpy(values, origin->moment_values.data + place * n_types,
			n_types * sizeof(*values));
	}
	if (!pass(passage, &numbers, sizeof(numbers)) ||
		!pass_values(passage, values, passage->moment_sums.data))
		return false;
	if (passage->gives)
		return true;
	if (numbers.time_ns >= far || numbers.weight_ns >= far ||
		numbers.row >= origin->rows.len)
		return wrong(passage, "a time");
	vec_push(&origin->moments, (struct origin_moment){.time_ns = numbers.time_ns,
					   .weight_ns = numbers.weight_ns,
					   .row = numbers.row,
					   .place = place,
					   .count = numbers.count});
	for (size_t i = 0; i < n_types; i++)
		vec_push(&origin->moment_values, values[i]);
	return true;
}

/* (location, a number) -> another, in any order. */
static bool pass_ids(struct passage *passage, struct idmap *ids, uint32_t count)
{
	uint32_t numbers[3];
	for (size_t i = 0; passage->gives && i < ids->cap; i++) {
		const struct idmap_entry *entry = &ids->entries[i];
		numbers[0] = (uint32_t)entry->a;
		numbers[1] = (uint32_t)entry->b;
		numbers[2] = entry->value;
		if (entry->used && !pass(passage, numbers, sizeof(numbers)))
			return false;
	}
	for (uint32_t i = 0; !passage->gives && i < count; i++) {
		if (!pass(passage, numbers, sizeof(numbers)))
			return false;
		if (numbers[0] >= passage->recording->profile->locations->len)
			return wrong(passage, "what is said of a location");
		idmap_put(ids, numbers[0], numbers[1], numbers[2]);
	}
	return true;
}

/* --- all ------------------------------------------------------------------------------- */

static bool pass_each(struct passage *passage, uint32_t first, uint32_t count,
	bool (*pass_one)(struct passage *passage, uint32_t id))
{
	for (uint32_t id = first; id < count; id++)
		if (!pass_one(passage, id))
			return false;
	return true;
}

static bool pass_all(struct passage *passage)
{
	struct origin *origin = passage->origin;
	struct head head = head_of(passage->recording);
	for (int end = 0; end < UNWIND_END_COUNT; end++)
		vec_push(&passage->depths, 0);
	return pass(passage, &head, sizeof(head)) &&
	       (passage->gives || take_head(passage, &head)) &&
	       pass_types(passage, head.types) && pass_facts(passage, &head) &&
	       pass_each(passage, 0, head.mappings, pass_mapping) &&
	       pass_each(passage, 0, head.functions, pass_function) &&
	       pass_each(passage, 0, head.locations, pass_location) &&
	       pass_each(passage, UNWIND_END_COUNT, head.nodes, pass_node) &&
	       pass_each(passage, 0, head.threads, pass_thread) &&
	       pass_rows(passage, head.rows) &&
	       pass_each(passage, 0, head.moments, pass_moment) &&
	       pass_ids(passage, &origin->location_flags, head.flags) &&
	       pass_ids(passage, &origin->columns, head.columns);
}

static const char *run(struct passage *passage)
{
	passage->origin = passage->recording->origin;
	pass_all(passage);
	vec_free(&passage->text);
	vec_free(&passage->depths);
	vec_free(&passage->moment_sums);
	return passage->wrong;
}

bool recording_give(
	const struct recording *recording, const struct recording_stream *stream)
{
	struct passage passage = {.stream = stream,
		.recording = (struct recording *)recording,
		.gives = true};
	return !run(&passage);
}

const char *recording_take(
	struct recording *recording, const struct recording_stream *stream)
{
	struct passage passage = {.stream = stream, .recording = recording};
	return run(&passage);
}
