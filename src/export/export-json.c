/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format of our own, for programs that have nothing but a reader of JSON: what was
 * recorded, functions with their self and total, threads, stacks with their thread, and when
 * each was sampled. docs/cproftop.1 says what the keys mean, under OUTPUT FORMATS; a key that
 * changes its meaning needs another VERSION.
 */
#include "config.h"

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/export/export.h"
#include "src/export/file-metric.h"
#include "src/model/snapshot.h"
#include "src/report/stack-frames.h"
#include "src/text/json-text.h"

#include <assert.h>
#include <inttypes.h>

enum {
	VERSION = 1
};

struct json {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	struct idmap functions;	 /* (function, 0) -> index in the file */
	struct idmap thread_ids; /* (thread, 0) -> index in the file */
	VEC(uint32_t) threads;
};

static void write_facts(const struct json *json, const struct export_facts *facts)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	fprintf(out, "  \"format\": \"cproftop\",\n  \"version\": %d,\n  ", VERSION);
	json_text_put_pair("generator", PACKAGE_STRING, "", out);
	if (facts->command) {
		fputs(",\n  ", out);
		json_text_put_pair("command", facts->command, "", out);
	}
	if (facts->pid)
		fprintf(out, ",\n  \"pid\": %d", (int)facts->pid);
	if (facts->frequency_hz)
		fprintf(out, ",\n  \"frequency_hz\": %u", facts->frequency_hz);
	fprintf(out,
		",\n  \"start_ns\": %" PRIu64 ",\n  \"duration_ns\": %" PRIu64
		",\n  \"comments\": [",
		report->start_wall_ns, report->end_ns - report->start_ns);
	for (size_t i = 0; i < facts->n_comments; i++) {
		fputs(i ? ", " : "", out);
		json_text_put(facts->comments[i], out);
	}
	fputs("],\n  ", out);
	json_text_put_pair("type", json->metric.type, ", ", out);
	json_text_put_pair("unit", json->metric.unit, "", out);
	fprintf(out, ", \"total\": %" PRIu64 ",\n", json->metric.of(&report->total));
}

/* In the order of the report: by self, the largest first. */
static void write_functions(struct json *json)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	fputs("  \"functions\": [", out);
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const struct function *function =
			profile_function(report->profile, row->function);
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
}

/* Those that stacks refer to, by their first stack. One that renamed itself is two. */
static void write_threads(struct json *json)
{
	const struct report *report = json->report;
	FILE *out = json->out;

	fputs("  \"threads\": [", out);
	for (size_t i = 0; i < report->n_stacks; i++) {
		uint32_t id = report->stacks[i].thread;
		if (idmap_get(&json->thread_ids, id, 0))
			continue;
		const struct thread *thread = profile_thread(report->profile, id);
		const struct profile_process *process = report_process(report, id);
		fputs(json->threads.len ? ",\n    {" : "\n    {", out);
		json_text_put_pair("name", thread->name, "", out);
		if (thread->tid > 0)
			fprintf(out, ", \"tid\": %d", (int)thread->tid);
		if (process) {
			fprintf(out, ", \"pid\": %d, ", (int)process->pid);
			json_text_put_pair("process", process->name, "", out);
		}
		fputc('}', out);
		idmap_put(&json->thread_ids, id, 0, (uint32_t)json->threads.len);
		vec_push(&json->threads, id);
	}
	fputs("\n  ],\n", out);
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

/* Which of the objects it is that the leaf waits for, if that is known. */
static void write_object(const struct json *json, uint32_t stack)
{
	const struct report *report = json->report;
	if (stacktab_is_root(stack))
		return;
	uint32_t leaf = stacktab_node(report->stacktab, stack)->location;
	const char *detail = profile_location(report->profile, leaf)->detail;
	if (!detail[0])
		return;
	json_text_put_pair("object", detail, ", ", json->out);
}

static void write_stacks(const struct json *json)
{
	static const char *const states[] = {[THREAD_RUNNING] = "running",
		[THREAD_RUNNABLE] = "runnable",
		[THREAD_BLOCKED] = "blocked"};
	const struct report *report = json->report;
	struct stack_frames frames = {0};
	FILE *out = json->out;

	fputs("  \"stacks\": [", out);
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		fprintf(out, "%s\n    {\"thread\": %" PRIu32 ", \"value\": %" PRIu64 ", ",
			i ? "," : "", *idmap_get(&json->thread_ids, stack->thread, 0),
			json->metric.of(&stack->weight));
		if (!report->origin)
			fprintf(out, "\"samples\": %" PRIu64 ", \"state\": \"%s\", ",
				stack->weight.samples, states[stack->state]);
		write_object(json, stack->stack);
		stack_frames_of(report, stack->stack, &frames);
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
	uint64_t begin_ns = report_begin_ns(report);
	FILE *out = json->out;

	if (!report->n_moments)
		return;
	fputs(",\n  \"times\": {\n    \"stack\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", report->moments[i].stack);
	fputs("],\n    \"ns\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			report->moments[i].time_ns - begin_ns);
	fputs("],\n    \"weight\": [", out);
	for (size_t i = 0; i < report->n_moments; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", report->moments[i].weight_ns);
	fputs("]\n  }", out);
}

static void write_marks(const struct json *json)
{
	const struct report *report = json->report;
	uint64_t begin_ns = report->origin ? report->oldest_ns : report->start_ns;
	FILE *out = json->out;

	if (!report->n_time_marks)
		return;
	fputs(",\n  \"marks\": [", out);
	for (size_t i = 0; i < report->n_time_marks; i++) {
		fprintf(out, "%s\n    {\"ns\": %" PRIu64 ", ", i ? "," : "",
			report->time_marks[i].time_ns - begin_ns);
		json_text_put_pair("text", report->time_marks[i].text, "", out);
		fputc('}', out);
	}
	fputs("\n  ]", out);
}

static bool write_json(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct json json = {
		.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	fputs("{\n", out);
	write_facts(&json, facts);
	write_functions(&json);
	write_threads(&json);
	write_stacks(&json);
	write_times(&json);
	write_marks(&json);
	fputs("\n}\n", out);
	idmap_finish(&json.functions);
	idmap_finish(&json.thread_ids);
	vec_free(&json.threads);
	return true;
}

const struct export_format export_json = {
	.name = "json",
	.suffix = ".json",
	.description = "our own, for programs: functions, threads, stacks, times",
	.open_with = "jq . %s",
	.write = write_json,
};
