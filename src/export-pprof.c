/*
 * pprof's profile.proto: the stacks by address, with everything that a reader needs to
 * find the code again (mappings, build ids) and everything that it would otherwise have
 * to look up (names, lines). src/profile.proto says what each field is.
 *
 * Only what a sample refers to is written, and the main executable. Ids run from 1
 * without gaps, because Parca refuses a file with gaps and Pyroscope takes them for
 * indices.
 */
#include "config.h"

#include "src/clock.h"
#include "src/export-formats.h"
#include "src/export.h"
#include "src/gzip.h"
#include "src/map.h"
#include "src/mem.h"
#include "src/profile.pb-c.h"
#include "src/snapshot.h"
#include "src/strpool.h"
#include "src/vec.h"
#include "src/waiting.h"

#include <stdlib.h>
#include <string.h>

/* protoc-c's name for a message. */
#define PB(message) Perftools__Profiles__##message

enum {
	MAX_VALUES = 3, /* samples, wall, cpu */
	MAX_LABELS = 6, /* thread, tid, process, pid, state, syscall */
};

/* What has a place in the file already: (kind, id in the profile) -> index. */
enum kind {
	KIND_STRING, /* by the address of the string in the pool */
	KIND_FUNCTION,
	KIND_LOCATION,
	KIND_MAPPING,
};

struct pprof {
	const struct report *report;
	const struct profile *profile;
	bool split; /* inlined functions have locations of their own */
	struct strpool pool;
	struct map places;
	VEC(char *) strings;
	VEC(PB(Function) *) functions;
	VEC(PB(Location) *) locations;
	VEC(uint32_t) location_sources; /* the profile's ids of LOCATIONS */
	VEC(uint32_t) mapping_sources;
	VEC(PB(Mapping) *) mappings;
	VEC(PB(Sample) *) samples;
	VEC(void *) kept; /* whatever else the messages point to */
};

/* Zeroed memory that lives until the file is written. */
static void *keep(struct pprof *pprof, size_t count, size_t size)
{
	void *memory = mem_zalloc(count * size);
	vec_push(&pprof->kept, memory);
	return memory;
}

static int64_t string_index(struct pprof *pprof, const char *text)
{
	const char *interned = strpool_intern(&pprof->pool, text);
	uint64_t address = (uint64_t)(uintptr_t)interned;
	uint32_t *known = map_get(&pprof->places, KIND_STRING, address);
	if (known)
		return *known;
	map_put(&pprof->places, KIND_STRING, address, (uint32_t)pprof->strings.len);
	vec_push(&pprof->strings, (char *)interned);
	return (int64_t)pprof->strings.len - 1;
}

/* The format's values are signed; Pyroscope drops a sample that has a negative one. */
static int64_t to_value(uint64_t weight)
{
	return weight > INT64_MAX ? INT64_MAX : (int64_t)weight;
}

static uint64_t write_function(struct pprof *pprof, uint32_t source)
{
	uint32_t *known = map_get(&pprof->places, KIND_FUNCTION, source);
	if (known)
		return *known + 1;
	const struct function *function = profile_function(pprof->profile, source);
	PB(Function) *message = keep(pprof, 1, sizeof(*message));
	perftools__profiles__function__init(message);
	message->id = pprof->functions.len + 1;
	message->name = string_index(pprof, function->name);
	message->system_name = string_index(pprof, function->system_name);
	message->filename = string_index(pprof, function->file);
	message->start_line = function->start_line;
	map_put(&pprof->places, KIND_FUNCTION, source, (uint32_t)pprof->functions.len);
	vec_push(&pprof->functions, message);
	return message->id;
}

static void note_mapping(struct pprof *pprof, uint32_t source)
{
	if (source == PROFILE_NONE || map_get(&pprof->places, KIND_MAPPING, source))
		return;
	/* Its index is known when all are: number_mappings. */
	map_put(&pprof->places, KIND_MAPPING, source, 0);
	vec_push(&pprof->mapping_sources, source);
}

/* Lines first..limit of LOCATION, the profile's SOURCE, as a location of the file. */
static uint64_t add_location(struct pprof *pprof, uint32_t source,
	const struct location *location, uint32_t first, uint32_t limit)
{
	PB(Location) *message = keep(pprof, 1, sizeof(*message));
	perftools__profiles__location__init(message);
	message->id = pprof->locations.len + 1;
	message->address = location->address;
	message->n_line = limit - first;
	message->line = keep(pprof, message->n_line, sizeof(*message->line));
	PB(Line) *lines = keep(pprof, message->n_line, sizeof(*lines));
	for (uint32_t i = 0; i < message->n_line; i++) {
		const struct line *line = &location->lines[first + i];
		perftools__profiles__line__init(&lines[i]);
		lines[i].function_id = write_function(pprof, line->function);
		lines[i].line = line->line;
		message->line[i] = &lines[i];
	}
	note_mapping(pprof, location->mapping);
	vec_push(&pprof->locations, message);
	vec_push(&pprof->location_sources, source);
	return message->id;
}

/* How many locations of the file a location is. */
static uint32_t split_of(const struct pprof *pprof, uint32_t source)
{
	return pprof->split ? report_described(pprof->report, source)->n_lines : 1;
}

/* The id of the first of them, the innermost; the others follow. */
static uint64_t write_location(struct pprof *pprof, uint32_t source)
{
	uint32_t *known = map_get(&pprof->places, KIND_LOCATION, source);
	if (known)
		return *known + 1;
	const struct location *location = report_described(pprof->report, source);
	uint32_t first = (uint32_t)pprof->locations.len;
	map_put(&pprof->places, KIND_LOCATION, source, first);
	if (!pprof->split)
		return add_location(pprof, source, location, 0, location->n_lines);
	for (uint32_t i = 0; i < location->n_lines; i++)
		add_location(pprof, source, location, i, i + 1);
	return first + 1;
}

static PB(Label) * add_label(struct pprof *pprof, PB(Sample) * message, const char *key)
{
	PB(Label) *label = keep(pprof, 1, sizeof(*label));

	perftools__profiles__label__init(label);
	label->key = string_index(pprof, key);
	message->label[message->n_label++] = label;
	return label;
}

/* The name of the function at the leaf; "" for no stack at all. */
static const char *leaf_name(const struct pprof *pprof, uint32_t stack)
{
	if (stacktab_is_root(stack))
		return "";
	uint32_t leaf = stacktab_node(pprof->report->stacktab, stack)->location;
	const struct location *location = profile_location(pprof->profile, leaf);
	return profile_function(pprof->profile, location->lines[0].function)->name;
}

static void write_labels(
	struct pprof *pprof, PB(Sample) * message, const struct report_stack *stack)
{
	static const char *const states[] = {
		[THREAD_RUNNING] = "on_cpu",
		[THREAD_RUNNABLE] = "runq",
		[THREAD_BLOCKED] = "blocked",
	};
	const struct thread *thread = profile_thread(pprof->profile, stack->thread);

	message->label = keep(pprof, MAX_LABELS, sizeof(*message->label));
	add_label(pprof, message, "thread")->str = string_index(pprof, thread->name);
	add_label(pprof, message, "tid")->num = thread->tid;
	const struct profile_process *process =
		report_process(pprof->report, stack->thread);
	if (process) {
		add_label(pprof, message, "process")->str =
			string_index(pprof, process->name);
		add_label(pprof, message, "pid")->num = process->pid;
	}
	if (!pprof->report->request.wall)
		return;
	add_label(pprof, message, "state")->str =
		string_index(pprof, states[stack->state]);
	char call[WAITING_MAX];
	if (stack->state == THREAD_BLOCKED &&
		waiting_syscall(leaf_name(pprof, stack->stack), call))
		add_label(pprof, message, "syscall")->str = string_index(pprof, call);
}

static void write_sample(struct pprof *pprof, const struct report_stack *stack)
{
	const struct weight *weight = &stack->weight;
	const struct stacktab *stacktab = pprof->report->stacktab;

	if (!weight->samples && !weight->cpu_ns && !weight->wall_ns)
		return;
	PB(Sample) *message = keep(pprof, 1, sizeof(*message));
	perftools__profiles__sample__init(message);
	for (uint32_t node = stack->stack; !stacktab_is_root(node);
		node = stacktab_node(stacktab, node)->parent)
		message->n_location_id +=
			split_of(pprof, stacktab_node(stacktab, node)->location);
	message->location_id =
		keep(pprof, message->n_location_id, sizeof(*message->location_id));
	uint64_t *location_id = message->location_id;
	for (uint32_t node = stack->stack; !stacktab_is_root(node);
		node = stacktab_node(stacktab, node)->parent) {
		uint32_t source = stacktab_node(stacktab, node)->location;
		uint64_t first = write_location(pprof, source);
		for (uint32_t i = 0; i < split_of(pprof, source); i++)
			*location_id++ = first + i;
	}

	message->value = keep(pprof, MAX_VALUES, sizeof(*message->value));
	message->value[message->n_value++] = to_value(weight->samples);
	if (pprof->report->total.wall_ns)
		message->value[message->n_value++] = to_value(weight->wall_ns);
	message->value[message->n_value++] = to_value(weight->cpu_ns);
	write_labels(pprof, message, stack);
	vec_push(&pprof->samples, message);
}

/* The main executable first, for that is what readers take the first mapping for; then by
   address. */
static int compare_mappings(const void *a, const void *b, void *profile)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct mapping *m = profile_mapping(profile, x),
			     *n = profile_mapping(profile, y);
	if (m->is_main != n->is_main)
		return m->is_main ? -1 : 1;
	if (m->start != n->start)
		return m->start < n->start ? -1 : 1;
	return (x > y) - (x < y);
}

/* has_functions is set as soon as one location has a name: without it pprof looks all of
   them up again and puts what it finds, often less, over what we know. The other flags
   stay only as long as each location deserves them. What has no name is
   "[module+offset]". */
static void judge_location(PB(Mapping) * mapping, const struct profile *profile,
	const struct location *location)
{
	for (uint32_t i = 0; i < location->n_lines; i++) {
		const struct function *function =
			profile_function(profile, location->lines[i].function);
		if (function->name[0] != '[')
			mapping->has_functions = true;
		if (function->file[0] == '\0')
			mapping->has_filenames = false;
		if (location->lines[i].line == 0)
			mapping->has_line_numbers = false;
	}
	if (location->n_lines > 1)
		mapping->has_inline_frames = true;
}

static void write_mapping(struct pprof *pprof, uint32_t source, bool is_referenced)
{
	const struct mapping *mapping = profile_mapping(pprof->profile, source);
	PB(Mapping) *message = keep(pprof, 1, sizeof(*message));

	perftools__profiles__mapping__init(message);
	message->id = pprof->mappings.len + 1;
	message->memory_start = mapping->start;
	message->memory_limit = mapping->limit;
	message->file_offset = mapping->file_offset;
	message->filename = string_index(pprof, mapping->path);
	message->build_id = string_index(pprof, mapping->build_id);
	message->has_functions = false;
	message->has_filenames = is_referenced;
	message->has_line_numbers = is_referenced;
	map_put(&pprof->places, KIND_MAPPING, source, (uint32_t)pprof->mappings.len);
	vec_push(&pprof->mappings, message);
}

/* After the samples, when it is known which mappings they are in. */
static void write_mappings(struct pprof *pprof)
{
	uint32_t main_mapping = pprof->report->main_mapping;
	bool has_main = false;
	vec_each (&pprof->mapping_sources, source)
		has_main |= profile_mapping(pprof->profile, *source)->is_main;
	if (!has_main && main_mapping != PROFILE_NONE)
		write_mapping(pprof, main_mapping, false);
	if (pprof->mapping_sources.len)
		qsort_r(pprof->mapping_sources.data, pprof->mapping_sources.len,
			sizeof(uint32_t), compare_mappings, (void *)pprof->profile);
	vec_each (&pprof->mapping_sources, source)
		write_mapping(pprof, *source, true);

	for (size_t i = 0; i < pprof->locations.len; i++) {
		const struct location *location =
			report_described(pprof->report, pprof->location_sources.data[i]);
		if (location->mapping == PROFILE_NONE)
			continue;
		PB(Mapping) *mapping = pprof->mappings.data[*map_get(
			&pprof->places, KIND_MAPPING, location->mapping)];
		pprof->locations.data[i]->mapping_id = mapping->id;
		judge_location(mapping, pprof->profile, location);
	}
	/* Where no line is known, nobody looked for what is inlined. */
	vec_each (&pprof->mappings, mapping)
		if (!(*mapping)->has_line_numbers)
			(*mapping)->has_inline_frames = false;
}

static PB(ValueType) * value_type(struct pprof *pprof, const char *type, const char *unit)
{
	PB(ValueType) *message = keep(pprof, 1, sizeof(*message));

	perftools__profiles__value_type__init(message);
	message->type = string_index(pprof, type);
	message->unit = string_index(pprof, unit);
	return message;
}

/* Count first, as the format wants it, and the preferred type last, as readers that do
   not know default_sample_type take it. */
static void write_types(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	root->sample_type = keep(pprof, MAX_VALUES, sizeof(*root->sample_type));
	root->sample_type[root->n_sample_type++] = value_type(pprof, "samples", "count");
	if (pprof->report->total.wall_ns)
		root->sample_type[root->n_sample_type++] =
			value_type(pprof, "wall", "nanoseconds");
	root->sample_type[root->n_sample_type++] =
		value_type(pprof, "cpu", "nanoseconds");
	root->default_sample_type =
		string_index(pprof, pprof->report->total.wall_ns ? "wall" : "cpu");
	root->period_type = value_type(pprof, "cpu", "nanoseconds");
	if (facts->frequency_hz)
		root->period = (int64_t)(NS_PER_SEC / facts->frequency_hz);
}

static void write_comments(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	char *target = facts->pid
			       ? mem_printf("pid %d: %s", (int)facts->pid, facts->command)
			       : mem_strdup(facts->command);
	root->comment = keep(pprof, facts->n_comments + 2, sizeof(*root->comment));
	root->comment[root->n_comment++] = string_index(pprof, PACKAGE_STRING);
	root->comment[root->n_comment++] = string_index(pprof, target);
	for (size_t i = 0; i < facts->n_comments; i++)
		root->comment[root->n_comment++] =
			string_index(pprof, facts->comments[i]);
	free(target);
}

static bool write_root(const PB(Profile) * root, FILE *out, struct error *err)
{
	size_t size = perftools__profiles__profile__get_packed_size(root);
	uint8_t *bytes = mem_alloc(size);

	perftools__profiles__profile__pack(root, bytes);
	bool written = gzip_write(bytes, size, out, err);
	free(bytes);
	return written;
}

static void finish(struct pprof *pprof)
{
	vec_each (&pprof->kept, memory)
		free(*memory);
	vec_free(&pprof->kept);
	vec_free(&pprof->strings);
	vec_free(&pprof->functions);
	vec_free(&pprof->locations);
	vec_free(&pprof->location_sources);
	vec_free(&pprof->mapping_sources);
	vec_free(&pprof->mappings);
	vec_free(&pprof->samples);
	map_finish(&pprof->places);
	strpool_finish(&pprof->pool);
}

bool export_pprof(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct pprof pprof = {.report = report,
		.profile = report->profile,
		.split = facts->split_inlines};
	PB(Profile) root = PERFTOOLS__PROFILES__PROFILE__INIT;

	string_index(&pprof, ""); /* the format wants it first */
	write_types(&pprof, &root, facts);
	for (size_t i = 0; i < report->n_stacks; i++)
		write_sample(&pprof, &report->stacks[i]);
	write_mappings(&pprof);
	write_comments(&pprof, &root, facts);
	root.time_nanos = to_value(report->start_wall_ns);
	root.duration_nanos = to_value(report->end_ns - report->start_ns);
	root.n_sample = pprof.samples.len;
	root.sample = pprof.samples.data;
	root.n_mapping = pprof.mappings.len;
	root.mapping = pprof.mappings.data;
	root.n_location = pprof.locations.len;
	root.location = pprof.locations.data;
	root.n_function = pprof.functions.len;
	root.function = pprof.functions.data;
	root.n_string_table = pprof.strings.len;
	root.string_table = pprof.strings.data;
	bool written = write_root(&root, out, err);
	finish(&pprof);
	return written;
}
