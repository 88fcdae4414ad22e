/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/firefox-tables.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/count/stack-frames.h"
#include "src/facts/text/json-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Strings are the profile's, so equal ones are at one address. */
static uint32_t string_of(struct firefox_tables *tables, const char *text)
{
	const uint32_t *known = idmap_get(&tables->string_ids, (uintptr_t)text, 0);
	if (known)
		return *known;
	uint32_t id = (uint32_t)tables->strings.len;
	idmap_put(&tables->string_ids, (uintptr_t)text, 0, id);
	vec_push(&tables->strings, text);
	return id;
}

static uint32_t source_of(struct firefox_tables *tables, const char *file)
{
	uint32_t name = string_of(tables, file);
	const uint32_t *known = idmap_get(&tables->source_ids, name, 0);
	if (known)
		return *known;
	uint32_t id = (uint32_t)tables->sources.len;
	idmap_put(&tables->source_ids, name, 0, id);
	vec_push(&tables->sources, name);
	return id;
}

static uint32_t library_of(struct firefox_tables *tables, const char *module)
{
	uint32_t name = string_of(tables, module);
	const uint32_t *known = idmap_get(&tables->library_ids, name, 0);
	if (known)
		return *known;
	uint32_t id = (uint32_t)tables->libraries.len;
	idmap_put(&tables->library_ids, name, 0, id);
	vec_push(&tables->libraries,
		(struct firefox_library){.name = name, .mapping = PROFILE_NONE});
	return id;
}

static uint32_t func_of(struct firefox_tables *tables, uint32_t function_id)
{
	const uint32_t *known = idmap_get(&tables->func_ids, function_id, 0);
	if (known)
		return *known;
	const struct function *function =
		profile_function(tables->report->profile, function_id);
	struct firefox_func func = {
		.name = string_of(tables, function->name),
		.source = *function->file ? source_of(tables, function->file)
					  : PROFILE_NONE,
		.library = *function->module ? library_of(tables, function->module)
					     : PROFILE_NONE,
		.function = function_id,
	};
	uint32_t id = (uint32_t)tables->funcs.len;
	idmap_put(&tables->func_ids, function_id, 0, id);
	vec_push(&tables->funcs, func);
	return id;
}

/* What a thread waits for is its innermost frame. */
static uint32_t frame_of(
	struct firefox_tables *tables, const struct stack_frame *frame, bool waits)
{
	const struct function *function =
		profile_function(tables->report->profile, frame->function);
	enum firefox_category category = !function->is_synthetic ? FIREFOX_CODE
					 : waits		 ? FIREFOX_WAITING
								 : FIREFOX_OTHER;
	uint32_t func = func_of(tables, frame->function);
	uint64_t place = (uint64_t)category << 32 | frame->line;
	const uint32_t *known = idmap_get(&tables->frame_ids, func, place);
	if (known)
		return *known;
	uint32_t id = (uint32_t)tables->frames.len;
	idmap_put(&tables->frame_ids, func, place, id);
	vec_push(&tables->frames,
		(struct firefox_frame){
			func, frame->line ? frame->line : PROFILE_NONE, category});
	return id;
}

static uint32_t node_of(struct firefox_tables *tables, uint32_t prefix, uint32_t frame)
{
	const uint32_t *known = idmap_get(&tables->node_ids, prefix, frame);
	if (known)
		return *known;
	uint32_t id = (uint32_t)tables->nodes.len;
	idmap_put(&tables->node_ids, prefix, frame, id);
	vec_push(&tables->nodes, (struct firefox_node){prefix, frame});
	return id;
}

/* The mappings that the functions of STACK are in. */
static void note_mappings(struct firefox_tables *tables, uint32_t stack)
{
	const struct report *report = tables->report;
	for (uint32_t node = stack; !stacktab_is_root(node);
		node = stacktab_node(report->stacktab, node)->parent) {
		const struct location *location = report_counted(
			report, stacktab_node(report->stacktab, node)->location);
		const char *module =
			profile_function(report->profile, location->lines[0].function)
				->module;
		if (location->mapping == PROFILE_NONE || !*module)
			continue;
		struct firefox_library *library =
			&tables->libraries.data[library_of(tables, module)];
		if (library->mapping == PROFILE_NONE)
			library->mapping = location->mapping;
	}
}

static void add_stacks(struct firefox_tables *tables)
{
	const struct report *report = tables->report;
	struct stack_frames frames = {0};

	tables->leaves = mem_alloc((report->n_stacks + 1) * sizeof(*tables->leaves));
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		uint32_t node = PROFILE_NONE;
		if (tables->metric.of(&stack->weight)) {
			stack_frames_of(report, stack->stack, &frames);
			for (size_t k = frames.len; k-- > 0;) {
				bool waits = k == 0 && stack->state != THREAD_RUNNING;
				node = node_of(tables, node,
					frame_of(tables, &frames.data[k], waits));
			}
			note_mappings(tables, stack->stack);
		}
		tables->leaves[i] = node;
	}
	vec_free(&frames);
}

/* "mark" is not the profile's, but a function may be called so. */
static uint32_t mark_name(struct firefox_tables *tables)
{
	for (size_t i = 0; i < tables->strings.len; i++)
		if (strcmp(tables->strings.data[i], FIREFOX_MARK) == 0)
			return (uint32_t)i;
	return string_of(tables, FIREFOX_MARK);
}

void firefox_tables_init(struct firefox_tables *tables, const struct report *report)
{
	*tables = (struct firefox_tables){
		.report = report,
		.metric = file_metric_of(report),
	};
	add_stacks(tables);
	timed_samples_init(&tables->samples, report);
	if (report->n_time_marks)
		tables->mark_name = mark_name(tables);
}

void firefox_put_schema(const struct firefox_tables *tables, FILE *out)
{
	fputc('[', out);
	if (tables->report->n_time_marks)
		fputs("\n      {\"name\": \"" FIREFOX_MARK "\", \"display\": "
		      "[\"marker-chart\", \"marker-table\", \"timeline-overview\"],\n"
		      "       \"chartLabel\": \"{marker.data.text}\", \"tableLabel\": "
		      "\"{marker.data.text}\",\n       \"fields\": [{\"key\": "
		      "\"text\", \"label\": \"Text\", \"format\": \"string\"}]}",
			out);
	fputc(']', out);
}

/* Phase 0 is an instant. */
void firefox_put_markers(const struct firefox_tables *tables, bool first, FILE *out)
{
	const struct report *report = tables->report;
	uint64_t begin_ns = report->start_ns;
	size_t n = first ? report->n_time_marks : 0;
	const struct {
		const char *column;
		uint32_t value;
	} same[] = {{"name", tables->mark_name}, {"phase", 0}, {"category", 0}};

	fputs("\"markers\": {\"data\": [", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		fputs("{\"type\": \"" FIREFOX_MARK "\", \"text\": ", out);
		json_text_put(report->time_marks[i].text, out);
		fputc('}', out);
	}
	fputs("], \"startTime\": [", out);
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = report->time_marks[i].time_ns - begin_ns;
		fprintf(out, "%s%" PRIu64 ".%06" PRIu64, i ? "," : "", ns / NS_PER_MS,
			ns % NS_PER_MS);
	}
	fputs("], \"endTime\": [", out);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",null" : "null", out);
	for (size_t column = 0; column < sizeof(same) / sizeof(same[0]); column++) {
		fprintf(out, "], \"%s\": [", same[column].column);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s%" PRIu32, i ? "," : "", same[column].value);
	}
	fprintf(out, "], \"length\": %zu},\n     ", n);
}

void firefox_tables_finish(struct firefox_tables *tables)
{
	vec_free(&tables->strings);
	vec_free(&tables->sources);
	vec_free(&tables->funcs);
	vec_free(&tables->frames);
	vec_free(&tables->nodes);
	vec_free(&tables->libraries);
	timed_samples_finish(&tables->samples);
	idmap_finish(&tables->string_ids);
	idmap_finish(&tables->source_ids);
	idmap_finish(&tables->func_ids);
	idmap_finish(&tables->frame_ids);
	idmap_finish(&tables->node_ids);
	idmap_finish(&tables->library_ids);
	free(tables->leaves);
}
