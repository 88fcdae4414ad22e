/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's profile.proto: stacks of addresses, with what a reader needs to find the code
 * again (mappings, build ids) and what it would otherwise have to look up (names, lines).
 * src/base/proto/profile.proto describes each field.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/base/gzip.h"
#include "src/base/mem.h"
#include "src/facts/snapshot.h"
#include "src/process/waiting.h"
#include "src/write/export-pprof-tables.h"
#include "src/write/export-pprof-times.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_VALUES = 3, /* samples, cpu, wall: of our own samples */
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
	VEC(PB(Label)) labels;
	VEC(PB(Label) *) places;
};

static PB(Label) *
	add_label(struct pprof *pprof, struct sample_parts *parts, const char *key)
{
	PB(Label) label = PERFTOOLS__PROFILES__LABEL__INIT;

	label.key = pprof_string(pprof, key);
	vec_push(&parts->labels, label);
	return &parts->labels.data[parts->labels.len - 1];
}

/* The key before the text, whatever compiler: so a file that is read and written is the same. */
static void add_text(struct pprof *pprof, struct sample_parts *parts, const char *key,
	const char *text)
{
	PB(Label) *label = add_label(pprof, parts, key);
	label->str = pprof_string(pprof, text);
}

/* What a blocked thread waits for: its system call, and on which object. */
static void label_wait(struct pprof *pprof, struct sample_parts *parts, uint32_t stack)
{
	char call[WAITING_MAX];
	if (stacktab_is_root(stack))
		return;
	uint32_t leaf = stacktab_node(pprof->report->stacktab, stack)->location;
	const struct location *location = profile_location(pprof->profile, leaf);
	const char *name =
		profile_function(pprof->profile, location->lines[0].function)->name;
	if (!waiting_syscall(name, call))
		return;
	add_text(pprof, parts, "syscall", call);
	if (location->detail[0])
		add_text(pprof, parts, "object", location->detail);
}

/* As the file has them that the sample was read from. */
static void copy_labels(struct pprof *pprof, struct sample_parts *parts, uint32_t thread)
{
	const struct origin *origin = pprof->report->origin;
	struct label_range range = origin->of_thread.data[thread];
	for (uint32_t i = range.first; i < range.first + range.count; i++) {
		const struct label *label = &origin->labels.data[i];
		PB(Label) *copy = add_label(pprof, parts, label->key);
		copy->str = pprof_string(pprof, label->text);
		copy->num = label->number;
		copy->num_unit = pprof_string(pprof, label->unit);
	}
}

static void add_given_labels(struct pprof *pprof, struct sample_parts *parts)
{
	const struct export_facts *facts = pprof->facts;
	for (size_t i = 0; i < facts->n_labels; i++) {
		const char *value = strchr(facts->labels[i], '=');
		char *key = mem_printf(
			"%.*s", (int)(value - facts->labels[i]), facts->labels[i]);
		add_text(pprof, parts, key, value + 1);
		free(key);
	}
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

	if (pprof->report->origin) {
		copy_labels(pprof, parts, stack->thread);
		return;
	}
	add_given_labels(pprof, parts);
	if (!pprof->facts->no_thread_labels) {
		add_text(pprof, parts, "thread", thread->name);
		add_label(pprof, parts, "tid")->num = thread->tid;
	}
	const struct profile_process *process =
		report_process(pprof->report, stack->thread);
	if (process) {
		add_text(pprof, parts, "process", process->name);
		if (!pprof->facts->no_thread_labels)
			add_label(pprof, parts, "pid")->num = process->pid;
	}
	if (!pprof->report->request.wall)
		return;
	add_text(pprof, parts, "state", states[stack->state]);
	if (stack->state == THREAD_BLOCKED && !pprof->facts->no_thread_labels)
		label_wait(pprof, parts, stack->stack);
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

/* In the order of write_types. */
static void write_values(
	struct pprof *pprof, struct sample_parts *parts, const struct report_stack *stack)
{
	const struct weight *weight = &stack->weight;
	const struct origin *origin = pprof->report->origin;
	PB(Sample) *message = &parts->message;

	message->value = parts->values;
	if (origin) {
		message->value = (int64_t *)origin_values(
			origin, pprof->part, stack->thread, stack->stack);
		message->n_value = origin->types.len;
		return;
	}
	message->value[message->n_value++] = to_value(weight->instants);
	message->value[message->n_value++] = to_value(weight->cpu_ns);
	if (pprof->report->total.wall_ns)
		message->value[message->n_value++] = to_value(weight->wall_ns);
}

static void write_sample(struct pprof *pprof, const struct report_stack *stack)
{
	const struct weight *weight = &stack->weight;
	const struct stacktab *stacktab = pprof->report->stacktab;
	struct sample_parts parts = {.labels = {0}};
	PB(Sample) *message = &parts.message;

	if (!pprof->report->origin && !weight->samples && !weight->cpu_ns &&
		!weight->wall_ns)
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

	write_values(pprof, &parts, stack);
	write_labels(pprof, &parts, stack);
	vec_each (&parts.labels, label)
		vec_push(&parts.places, label);
	message->label = parts.places.data;
	message->n_label = parts.places.len;
	pack(pprof, message);
	pprof->numbers[stack - pprof->report->stacks] = pprof->n_samples++;
	vec_free(&parts.labels);
	vec_free(&parts.places);
}

static void write_samples(struct pprof *pprof)
{
	const struct report *report = pprof->report;
	uint32_t *order = report_stack_order(report);

	pprof->numbers = mem_alloc((report->n_stacks + 1) * sizeof(*pprof->numbers));
	memset(pprof->numbers, 0xff, report->n_stacks * sizeof(*pprof->numbers));
	if (report->origin)
		pprof->part =
			origin_part(report->origin, report->start_ns, report->end_ns);
	for (size_t i = 0; i < report->n_stacks; i++)
		write_sample(pprof, &report->stacks[order[i]]);
	free(order);
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
   because readers that ignore default_sample_type show the last. The period is one of that
   type: of its wall clock, a thread is looked at as often as of its CPU time. */
static void write_types(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	bool wall = pprof->report->total.wall_ns != 0;
	const char *cpu = report_value_name(pprof->report);
	const char *unit = file_metric_of(pprof->report).unit;
	const char *preferred = wall ? "wall" : cpu;
	root->sample_type = pprof_keep(pprof, MAX_VALUES, sizeof(*root->sample_type));
	root->sample_type[root->n_sample_type++] = value_type(pprof, "samples", "count");
	root->sample_type[root->n_sample_type++] = value_type(pprof, cpu, unit);
	if (wall)
		root->sample_type[root->n_sample_type++] =
			value_type(pprof, "wall", "nanoseconds");
	root->default_sample_type = pprof_string(pprof, preferred);
	root->period_type = value_type(pprof, preferred, unit);
	if (report_counts_event(pprof->report))
		root->period = (int64_t)pprof->report->event.period;
	else if (facts->period_ns)
		root->period = to_value(facts->period_ns);
	else if (facts->frequency_hz)
		root->period = (int64_t)(NS_PER_SEC / facts->frequency_hz);
}

/* What the file says of itself that the report was read from. */
static void copy_facts(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	const struct origin *origin = pprof->report->origin;

	root->sample_type =
		pprof_keep(pprof, origin->types.len, sizeof(*root->sample_type));
	vec_each (&origin->types, type)
		root->sample_type[root->n_sample_type++] =
			value_type(pprof, type->type, type->unit);
	root->default_sample_type = pprof_string(pprof, origin->default_type);
	if (origin->has_period_type)
		root->period_type = value_type(
			pprof, origin->period_type.type, origin->period_type.unit);
	root->period = origin->period;
	root->time_nanos = origin->time_ns;
	root->duration_nanos = origin->duration_ns;
	root->drop_frames = pprof_string(pprof, origin->drop_frames);
	root->keep_frames = pprof_string(pprof, origin->keep_frames);
	root->doc_url = pprof_string(pprof, origin->doc_url);
	root->comment = pprof_keep(pprof, origin->comments.len + facts->n_comments + 1,
		sizeof(*root->comment));
	vec_each (&origin->comments, comment)
		root->comment[root->n_comment++] = pprof_string(pprof, *comment);
	for (size_t i = 0; i < facts->n_comments; i++)
		root->comment[root->n_comment++] =
			pprof_string(pprof, facts->comments[i]);
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

static void write_facts(
	struct pprof *pprof, PB(Profile) * root, const struct export_facts *facts)
{
	const struct report *report = pprof->report;

	write_types(pprof, root, facts);
	write_comments(pprof, root, facts);
	root->time_nanos = to_value(report->start_wall_ns);
	root->duration_nanos = to_value(report->end_ns - report->start_ns);
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

static bool write_pprof(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct pprof pprof = {.report = report,
		.profile = report->profile,
		.facts = facts,
		.split = facts->split_inlines};
	PB(Profile) root = PERFTOOLS__PROFILES__PROFILE__INIT;

	pprof_string(&pprof, ""); /* must come first */
	if (report->origin)
		copy_facts(&pprof, &root, facts);
	else
		write_facts(&pprof, &root, facts);
	write_samples(&pprof);
	pprof_write_mappings(&pprof);
	pprof_write_times(&pprof);
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

const struct export_format export_pprof = {
	.name = "pprof",
	.reads_back = true,
	.suffix = ".pb.gz",
	.aliases = {".pb", ".pprof"},
	.description = "profile.proto, for go tool pprof, speedscope and most "
		       "profile viewers",
	.open_with = "go tool pprof -http=: %s",
	.write = write_pprof,
};
