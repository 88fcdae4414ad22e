/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format of our own, for programs that have nothing but a reader of JSON: what was
 * recorded, functions with their self and total, threads, stacks with their thread, and when
 * each was sampled. docs/cproftop.1 says what the keys mean, under OUTPUT FORMATS; a key that
 * changes its meaning needs another VERSION.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/stack-frames.h"
#include "src/facts/snapshot.h"
#include "src/facts/text/json-text.h"
#include "src/write/caption.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"
#include "src/write/listing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1
};

/* By enum thread_state: here, and as a label of pprof files. */
static const struct {
	const char *word, *label;
} states[] = {{"running", "on_cpu"}, {"runnable", "runq"}, {"blocked", "blocked"}};

enum {
	N_STATES = sizeof(states) / sizeof(states[0])
};

/* A stack of the file: those of the report that nobody could tell apart there (other
   addresses on the same lines) are one, so that the file is the same when it is read and
   written again. */
struct json_stack {
	uint32_t thread, stack, state; /* as in the report; the first of them */
	uint64_t value, samples;
};

struct json {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	bool has_samples;	 /* besides values */
	struct idmap functions;	 /* (function, 0) -> index in the file */
	struct idmap thread_ids; /* (name, number and process) -> index in the file */
	VEC(uint32_t) threads;
	struct idmap nodes;   /* (caller's node, function and line) -> node */
	struct idmap objects; /* (text, 0) -> number */
	struct idmap same;    /* (node and object, thread and state) -> index in STACKS */
	VEC(struct json_stack) stacks;
	uint32_t *places; /* of the report's stacks in STACKS */
};

static void write_facts(const struct json *json, const struct export_facts *facts)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	fprintf(out, "  \"format\": \"cproftop\",\n  \"version\": %d,\n  ", VERSION);
	json_text_put_pair("generator", PACKAGE_STRING, "", out);
	const struct origin *origin = report->origin;
	const char *command = origin ? origin->command : facts->command;
	int pid = origin ? (int)origin->pid : (int)facts->pid;
	unsigned frequency_hz =
		origin ? origin_frequency_hz(origin) : facts->frequency_hz;
	if (command && *command) {
		fputs(",\n  ", out);
		json_text_put_pair("command", command, "", out);
	}
	if (pid)
		fprintf(out, ",\n  \"pid\": %d", pid);
	if (frequency_hz)
		fprintf(out, ",\n  \"frequency_hz\": %u", frequency_hz);
	fprintf(out,
		",\n  \"start_ns\": %" PRIu64 ",\n  \"duration_ns\": %" PRIu64
		",\n  \"comments\": [",
		report->start_wall_ns, report->end_ns - report->start_ns);
	for (size_t i = 0; i < caption_comments(report, facts); i++) {
		fputs(i ? ", " : "", out);
		json_text_put(caption_comment(report, facts, i), out);
	}
	fputs("],\n  ", out);
	json_text_put_pair("type", json->metric.type, ", ", out);
	json_text_put_pair("unit", json->metric.unit, "", out);
	fprintf(out, ", \"total\": %" PRIu64 ",\n", json->metric.of(&report->total));
}

static void write_functions(struct json *json)
{
	struct listing listing;
	FILE *out = json->out;
	listing_init(&listing, json->report, LISTING_BY_SELF);
	fputs("  \"functions\": [", out);
	for (size_t i = 0; i < listing.rows.len; i++) {
		const struct report_function *row = listing.rows.data[i];
		const struct function *function =
			profile_function(json->report->profile, row->function);
		idmap_put(&json->functions, row->function, 0, (uint32_t)i);
		fputs(i ? ",\n    {" : "\n    {", out);
		json_text_put_pair("name", function->name, ", ", out);
		json_text_put_pair("module", function->module, ", ", out);
		json_text_put_pair("file", function->file, ", ", out);
		fprintf(out,
			"\"line\": %" PRIu32 ", \"self\": %" PRIu64
			", \"total\": %" PRIu64 "}",
			function->start_line, json->metric.of(&row->self),
			json->metric.of(&row->total));
	}
	fputs("\n  ],\n", out);
	listing_finish(&listing);
}

/* Its index in the file. One that renamed itself is two. */
static uint32_t thread_of(struct json *json, uint32_t id)
{
	const struct thread *thread = profile_thread(json->report->profile, id);
	struct caption_process process = caption_process(json->report, id);
	uint64_t name = (uintptr_t)thread->name, number = (uint32_t)thread->tid;
	uint64_t key = (uint64_t)process.pid << 32 | number;
	uint32_t *known = idmap_get(&json->thread_ids, name, key);
	if (known)
		return *known;
	uint32_t index = (uint32_t)json->threads.len;
	idmap_put(&json->thread_ids, name, key, index);
	vec_push(&json->threads, id);
	return index;
}

static void write_threads(const struct json *json)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	fputs("  \"threads\": [", out);
	for (size_t i = 0; i < json->threads.len; i++) {
		uint32_t id = json->threads.data[i];
		const struct thread *thread = profile_thread(report->profile, id);
		struct caption_process process = caption_process(report, id);
		fputs(i ? ",\n    {" : "\n    {", out);
		json_text_put_pair("name", thread->name, "", out);
		if (thread->tid > 0)
			fprintf(out, ", \"tid\": %d", (int)thread->tid);
		if (process.pid) {
			fprintf(out, ", \"pid\": %" PRId64 ", ", process.pid);
			json_text_put_pair("process", process.name, "", out);
		}
		fputc('}', out);
	}
	fputs("\n  ],\n", out);
}

/* --- stacks --------------------------------------------------------------------------- */

/* The number of a pair in MAP; a new one, if it was not there. */
static uint32_t number_of(struct idmap *map, uint64_t a, uint64_t b)
{
	uint32_t *known = idmap_get(map, a, b);
	if (known)
		return *known;
	uint32_t number = (uint32_t)map->len + 1;
	idmap_put(map, a, b, number);
	return number;
}

static uint32_t node_of(struct json *json, uint32_t stack, struct stack_frames *frames)
{
	uint32_t node = 0;
	stack_frames_of(json->report, stack, frames);
	for (size_t i = frames->len; i-- > 0;)
		node = number_of(&json->nodes, node,
			(uint64_t)frames->data[i].function << 32 | frames->data[i].line);
	return node;
}

/* Which of the objects it is that the leaf waits for; "" if that is not known. */
static const char *object_of(const struct json *json, uint32_t thread, uint32_t stack)
{
	const struct report *report = json->report;
	const struct label *label = origin_label(report->origin, thread, "object");
	if (label)
		return label->text;
	if (stacktab_is_root(stack))
		return "";
	uint32_t leaf = stacktab_node(report->stacktab, stack)->location;
	return profile_location(report->profile, leaf)->detail;
}

/* PROFILE_NONE: not known. */
static uint32_t state_of(const struct json *json, const struct report_stack *stack)
{
	const struct label *label =
		origin_label(json->report->origin, stack->thread, "state");
	if (!json->report->origin)
		return stack->state;
	for (uint32_t i = 0; label && i < N_STATES; i++)
		if (strcmp(label->text, states[i].label) == 0)
			return i;
	return PROFILE_NONE;
}

static void add_stack(struct json *json, uint32_t index, struct stack_frames *frames)
{
	const struct report_stack *stack = &json->report->stacks[index];
	struct json_stack added = {
		.thread = stack->thread,
		.stack = stack->stack,
		.state = state_of(json, stack),
	};
	const char *object = object_of(json, stack->thread, stack->stack);
	uint64_t node = node_of(json, stack->stack, frames),
		 what = *object ? number_of(&json->objects, (uintptr_t)object, 0) : 0;
	uint64_t thread = thread_of(json, stack->thread);
	uint32_t place =
		number_of(&json->same, node << 32 | what, thread << 32 | added.state) - 1;
	if (place == json->stacks.len)
		vec_push(&json->stacks, added);
	json->stacks.data[place].value += json->metric.of(&stack->weight);
	json->stacks.data[place].samples += stack->weight.instants;
	json->places[index] = place;
}

static void collect_stacks(struct json *json)
{
	const struct report *report = json->report;
	uint32_t *order = report_stack_order(report);
	struct stack_frames frames = {0};

	json->places = mem_alloc((report->n_stacks + 1) * sizeof(*json->places));
	for (size_t i = 0; i < report->n_stacks; i++)
		add_stack(json, order[i], &frames);
	vec_free(&frames);
	free(order);
}

/* Outermost first. */
static void write_frames(const struct json *json, const struct stack_frames *frames)
{
	FILE *out = json->out;

	fputs("\"functions\": [", out);
	for (size_t i = frames->len; i-- > 0;) {
		const uint32_t *function =
			idmap_get(&json->functions, frames->data[i].function, 0);
		assert(function); /* the functions of a report are those of its stacks */
		fprintf(out, "%" PRIu32 "%s", *function, i ? "," : "");
	}
	fputs("], \"lines\": [", out);
	for (size_t i = frames->len; i-- > 0;)
		fprintf(out, "%" PRIu32 "%s", frames->data[i].line, i ? "," : "");
	fputc(']', out);
}

static void write_stacks(struct json *json)
{
	struct stack_frames frames = {0};
	FILE *out = json->out;
	fputs("  \"stacks\": [", out);
	vec_each (&json->stacks, stack) {
		const char *object = object_of(json, stack->thread, stack->stack);
		fprintf(out, "%s\n    {\"thread\": %" PRIu32 ", \"value\": %" PRIu64 ", ",
			stack > json->stacks.data ? "," : "",
			thread_of(json, stack->thread), stack->value);
		if (json->has_samples)
			fprintf(out, "\"samples\": %" PRIu64 ", ", stack->samples);
		if (stack->state != PROFILE_NONE)
			json_text_put_pair("state", states[stack->state].word, ", ", out);
		if (*object)
			json_text_put_pair("object", object, ", ", out);
		stack_frames_of(json->report, stack->stack, &frames);
		write_frames(json, &frames);
		fputc('}', out);
	}
	fputs("\n  ]", out);
	vec_free(&frames);
}

/* What a moment weighs is of its stack's value; of a file, only the proportions are. */
static void write_times(const struct json *json)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	if (!report->n_moments)
		return;
	fputs(",\n  \"times\": {\n    \"stack\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "",
			json->places[report->moments[i].stack]);
	fputs("],\n    \"ns\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			report->moments[i].time_ns - report->start_ns);
	fputs("],\n    \"weight\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", report->moments[i].weight_ns);
	fputs("]\n  }", out);
}

static void write_marks(const struct json *json)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	if (!report->n_time_marks)
		return;
	fputs(",\n  \"marks\": [", out);
	for (size_t i = 0; i < report->n_time_marks; i++) {
		fprintf(out, "%s\n    {\"ns\": %" PRIu64 ", ", i ? "," : "",
			report->time_marks[i].time_ns - report->start_ns);
		json_text_put_pair("text", report->time_marks[i].text, "", out);
		fputc('}', out);
	}
	fputs("\n  ]", out);
}

/* Of a file, the type before that of the values may count them. */
static bool has_samples(const struct report *report)
{
	const struct origin *origin = report->origin;
	if (!origin)
		return true;
	for (uint32_t i = 0; i < report->shown_type; i++)
		if (strcmp(origin->types.data[i].unit, "count") == 0)
			return strcmp(
				origin->types.data[report->shown_type].unit, "count");
	return false;
}

static void json_finish(struct json *json)
{
	idmap_finish(&json->functions);
	idmap_finish(&json->thread_ids);
	idmap_finish(&json->nodes);
	idmap_finish(&json->objects);
	idmap_finish(&json->same);
	vec_free(&json->threads);
	vec_free(&json->stacks);
	free(json->places);
}

static bool write_json(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct json json = {
		.report = report,
		.metric = file_metric_of(report),
		.out = out,
		.has_samples = has_samples(report),
	};

	(void)err;
	collect_stacks(&json);
	fputs("{\n", out);
	write_facts(&json, facts);
	write_functions(&json);
	write_threads(&json);
	write_stacks(&json);
	write_times(&json);
	write_marks(&json);
	fputs("\n}\n", out);
	json_finish(&json);
	return true;
}

const struct export_format export_json = {
	.name = "json",
	.suffix = ".json",
	.description = "our own, for programs: functions, threads, stacks, times",
	.open_with = "jq . %s",
	.write = write_json,
};
