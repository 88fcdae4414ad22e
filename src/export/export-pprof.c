/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's profile.proto: stacks of addresses, with what a reader needs to find the code
 * again (mappings, build ids) and what it would otherwise have to look up (names, lines).
 * src/export/profile.proto describes each field.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/base/gzip.h"
#include "src/base/mem.h"
#include "src/export/export-formats.h"
#include "src/export/export-pprof-tables.h"
#include "src/export/export.h"
#include "src/model/snapshot.h"
#include "src/target/waiting.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_VALUES = 3, /* samples, wall, cpu */
	MAX_LABELS = 6, /* thread, tid, process, pid, state, syscall */
};

/* The format's values are signed; Pyroscope drops a sample that has a negative one. */
static int64_t to_value(uint64_t weight)
{
	return weight > INT64_MAX ? INT64_MAX : (int64_t)weight;
}

/* A sample while it is made. It is then kept as bytes, which take a tenth of the
   memory. */
struct sample_parts {
	PB(Sample) message;
	int64_t values[MAX_VALUES];
	PB(Label) labels[MAX_LABELS];
	PB(Label) * places[MAX_LABELS];
};

static PB(Label) *
	add_label(struct pprof *pprof, struct sample_parts *parts, const char *key)
{
	PB(Label) *label = &parts->labels[parts->message.n_label];

	perftools__profiles__label__init(label);
	label->key = pprof_string(pprof, key);
	parts->places[parts->message.n_label++] = label;
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
	struct pprof *pprof, struct sample_parts *parts, const struct report_stack *stack)
{
	static const char *const states[] = {
		[THREAD_RUNNING] = "on_cpu",
		[THREAD_RUNNABLE] = "runq",
		[THREAD_BLOCKED] = "blocked",
	};
	const struct thread *thread = profile_thread(pprof->profile, stack->thread);

	add_label(pprof, parts, "thread")->str = pprof_string(pprof, thread->name);
	add_label(pprof, parts, "tid")->num = thread->tid;
	const struct profile_process *process =
		report_process(pprof->report, stack->thread);
	if (process) {
		add_label(pprof, parts, "process")->str =
			pprof_string(pprof, process->name);
		add_label(pprof, parts, "pid")->num = process->pid;
	}
	if (!pprof->report->request.wall)
		return;
	add_label(pprof, parts, "state")->str = pprof_string(pprof, states[stack->state]);
	char call[WAITING_MAX];
	if (stack->state == THREAD_BLOCKED &&
		waiting_syscall(leaf_name(pprof, stack->stack), call))
		add_label(pprof, parts, "syscall")->str = pprof_string(pprof, call);
}

/* Append MESSAGE to the samples, as bytes: in the format, messages of one kind may simply
   follow each other. */
static void pack(struct pprof *pprof, PB(Sample) * message)
{
	PB(Profile) field = PERFTOOLS__PROFILES__PROFILE__INIT;

	field.n_sample = 1;
	field.sample = &message;
	size_t size = perftools__profiles__profile__get_packed_size(&field);
	vec_reserve(&pprof->samples, pprof->samples.len + size);
	perftools__profiles__profile__pack(
		&field, pprof->samples.data + pprof->samples.len);
	pprof->samples.len += size;
}

static void write_sample(struct pprof *pprof, const struct report_stack *stack)
{
	const struct weight *weight = &stack->weight;
	const struct stacktab *stacktab = pprof->report->stacktab;
	struct sample_parts parts;
	PB(Sample) *message = &parts.message;

	if (!weight->samples && !weight->cpu_ns && !weight->wall_ns)
		return;
	perftools__profiles__sample__init(message);
	pprof->location_ids.len = 0;
	for (uint32_t node = stack->stack; !stacktab_is_root(node);
		node = stacktab_node(stacktab, node)->parent) {
		uint32_t source = stacktab_node(stacktab, node)->location;
		uint64_t first = pprof_location(pprof, source);
		for (uint32_t i = 0; i < pprof_split_of(pprof, source); i++)
			vec_push(&pprof->location_ids, first + i);
	}
	message->location_id = pprof->location_ids.data;
	message->n_location_id = pprof->location_ids.len;

	message->value = parts.values;
	message->value[message->n_value++] = to_value(weight->samples);
	if (pprof->report->total.wall_ns)
		message->value[message->n_value++] = to_value(weight->wall_ns);
	message->value[message->n_value++] = to_value(weight->cpu_ns);
	message->label = parts.places;
	write_labels(pprof, &parts, stack);
	pack(pprof, message);
}

static PB(ValueType) * value_type(struct pprof *pprof, const char *type, const char *unit)
{
	PB(ValueType) *message = pprof_keep(pprof, 1, sizeof(*message));

	perftools__profiles__value_type__init(message);
	message->type = pprof_string(pprof, type);
	message->unit = pprof_string(pprof, unit);
	return message;
}

/* The sample count comes first, as the format requires, and the preferred type last,
   because readers that ignore default_sample_type show the last. */
static void write_types(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	root->sample_type = pprof_keep(pprof, MAX_VALUES, sizeof(*root->sample_type));
	root->sample_type[root->n_sample_type++] = value_type(pprof, "samples", "count");
	if (pprof->report->total.wall_ns)
		root->sample_type[root->n_sample_type++] =
			value_type(pprof, "wall", "nanoseconds");
	root->sample_type[root->n_sample_type++] =
		value_type(pprof, "cpu", "nanoseconds");
	root->default_sample_type =
		pprof_string(pprof, pprof->report->total.wall_ns ? "wall" : "cpu");
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
	root->comment = pprof_keep(pprof, facts->n_comments + 2, sizeof(*root->comment));
	root->comment[root->n_comment++] = pprof_string(pprof, PACKAGE_STRING);
	root->comment[root->n_comment++] = pprof_string(pprof, target);
	for (size_t i = 0; i < facts->n_comments; i++)
		root->comment[root->n_comment++] =
			pprof_string(pprof, facts->comments[i]);
	free(target);
}

/* The samples last. */
static bool write_all(
	struct pprof *pprof, const PB(Profile) * root, FILE *out, struct error *err)
{
	size_t size = perftools__profiles__profile__get_packed_size(root);
	uint8_t *bytes = mem_alloc(size + pprof->samples.len);

	perftools__profiles__profile__pack(root, bytes);
	if (pprof->samples.len)
		memcpy(bytes + size, pprof->samples.data, pprof->samples.len);
	size += pprof->samples.len;
	bool written = gzip_write(bytes, size, out, err);
	free(bytes);
	return written;
}

bool export_pprof(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct pprof pprof = {.report = report,
		.profile = report->profile,
		.split = facts->split_inlines};
	PB(Profile) root = PERFTOOLS__PROFILES__PROFILE__INIT;

	pprof_string(&pprof, ""); /* must come first */
	write_types(&pprof, &root, facts);
	for (size_t i = 0; i < report->n_stacks; i++)
		write_sample(&pprof, &report->stacks[i]);
	pprof_write_mappings(&pprof);
	write_comments(&pprof, &root, facts);
	root.time_nanos = to_value(report->start_wall_ns);
	root.duration_nanos = to_value(report->end_ns - report->start_ns);
	root.n_mapping = pprof.mappings.len;
	root.mapping = pprof.mappings.data;
	root.n_location = pprof.locations.len;
	root.location = pprof.locations.data;
	root.n_function = pprof.functions.len;
	root.function = pprof.functions.data;
	root.n_string_table = pprof.strings.len;
	root.string_table = pprof.strings.data;
	bool written = write_all(&pprof, &root, out, err);
	pprof_finish(&pprof);
	return written;
}
