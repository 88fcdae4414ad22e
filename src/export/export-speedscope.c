/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format
 * (https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts): a profile
 * for each thread, the busiest first, with each of its stacks once. Inlined functions are
 * frames like any other, which speedscope does not show of a pprof file.
 */
#include "config.h"

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/export/export.h"
#include "src/export/file-metric.h"
#include "src/report/stack-frames.h"
#include "src/text/json-text.h"

#include <inttypes.h>
#include <stdlib.h>

/* A stack, and the rank of its thread among those of the report. */
struct ranked {
	uint32_t rank;
	uint32_t stack; /* index in the report */
};

struct speedscope {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	struct idmap places; /* (function, 0) -> index in the file */
	VEC(uint32_t) functions;
	VEC(struct ranked) stacks; /* by rank */
	struct stack_frames frames;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static uint64_t value_of(const struct speedscope *scope, const struct ranked *ranked)
{
	return scope->metric.of(&scope->report->stacks[ranked->stack].weight);
}

/* The stacks that weigh anything, and the frames that they have. */
static void collect(struct speedscope *scope)
{
	const struct report *report = scope->report;
	struct idmap ranks = {0}; /* (tid, 0) -> rank */

	for (size_t i = 0; i < report->n_threads; i++) {
		pid_t tid =
			profile_thread(report->profile, report->threads[i].thread)->tid;
		idmap_put(&ranks, (uint64_t)tid, 0, (uint32_t)i);
	}
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		pid_t tid = profile_thread(report->profile, stack->thread)->tid;
		const uint32_t *rank = idmap_get(&ranks, (uint64_t)tid, 0);
		struct ranked ranked = {rank ? *rank : UINT32_MAX, (uint32_t)i};
		if (value_of(scope, &ranked))
			vec_push(&scope->stacks, ranked);
	}
	idmap_finish(&ranks);
	if (scope->stacks.len)
		qsort(scope->stacks.data, scope->stacks.len, sizeof(*scope->stacks.data),
			compare_ranked);
	vec_each (&scope->stacks, ranked) {
		stack_frames_of(
			report, report->stacks[ranked->stack].stack, &scope->frames);
		vec_each (&scope->frames, frame) {
			if (idmap_get(&scope->places, frame->function, 0))
				continue;
			idmap_put(&scope->places, frame->function, 0,
				(uint32_t)scope->functions.len);
			vec_push(&scope->functions, frame->function);
		}
	}
}

static void write_frames(const struct speedscope *scope)
{
	FILE *out = scope->out;
	const char *separator = "";

	fputs("  \"shared\": {\"frames\": [", out);
	vec_each (&scope->functions, id) {
		const struct function *function =
			profile_function(scope->report->profile, *id);
		fprintf(out, "%s\n    {\"name\": ", separator);
		json_text_put(function->name, out);
		if (function->file[0]) {
			fputs(", \"file\": ", out);
			json_text_put(function->file, out);
		}
		if (function->start_line)
			fprintf(out, ", \"line\": %u", function->start_line);
		fputc('}', out);
		separator = ",";
	}
	fputs("\n  ]},\n", out);
}

/* Outermost first. */
static void write_stack(struct speedscope *scope, const struct ranked *ranked)
{
	const char *separator = "";

	stack_frames_of(scope->report, scope->report->stacks[ranked->stack].stack,
		&scope->frames);
	fputc('[', scope->out);
	for (size_t i = scope->frames.len; i-- > 0;) {
		fprintf(scope->out, "%s%" PRIu32, separator,
			*idmap_get(&scope->places, scope->frames.data[i].function, 0));
		separator = ",";
	}
	fputc(']', scope->out);
}

static void write_name(const struct speedscope *scope, const struct ranked *ranked)
{
	const struct report_stack *stack = &scope->report->stacks[ranked->stack];
	const struct thread *thread =
		profile_thread(scope->report->profile, stack->thread);
	char *text = thread->tid > 0
			     ? mem_printf("%s (%d)", thread->name, (int)thread->tid)
			     : mem_strdup(*thread->name ? thread->name : "all");
	json_text_put(text, scope->out);
	free(text);
}

/* Those of one thread: stacks[from .. to). */
static void write_profile(struct speedscope *scope, size_t from, size_t to)
{
	static const char *const units[] = {[VALUE_COUNT] = "none",
		[VALUE_TIME] = "nanoseconds",
		[VALUE_BYTES] = "bytes"};
	FILE *out = scope->out;
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += value_of(scope, &scope->stacks.data[i]);
	fputs("    {\"type\": \"sampled\", \"name\": ", out);
	write_name(scope, &scope->stacks.data[from]);
	fprintf(out,
		", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRIu64 ",\n",
		units[scope->metric.kind], sum);
	fputs("     \"samples\": [", out);
	for (size_t i = from; i < to; i++) {
		fputs(i > from ? "," : "", out);
		write_stack(scope, &scope->stacks.data[i]);
	}
	fputs("],\n     \"weights\": [", out);
	for (size_t i = from; i < to; i++)
		fprintf(out, "%s%" PRIu64, i > from ? "," : "",
			value_of(scope, &scope->stacks.data[i]));
	fputs("]}", out);
}

static bool write_speedscope(const struct report *report,
	const struct export_facts *facts, FILE *out, struct error *err)
{
	struct speedscope scope = {
		.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	collect(&scope);
	fputs("{\n  \"$schema\": "
	      "\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "  \"exporter\": \"" PACKAGE_STRING "\",\n  \"name\": ",
		out);
	json_text_put(facts->command ? facts->command : scope.metric.type, out);
	fputs(",\n  \"activeProfileIndex\": 0,\n", out);
	write_frames(&scope);
	fputs("  \"profiles\": [", out);
	for (size_t from = 0, to; from < scope.stacks.len; from = to) {
		for (to = from;
			to < scope.stacks.len &&
			scope.stacks.data[to].rank == scope.stacks.data[from].rank;
			to++)
			;
		fputs(from ? ",\n" : "\n", out);
		write_profile(&scope, from, to);
	}
	fputs("\n  ]\n}\n", out);
	idmap_finish(&scope.places);
	vec_free(&scope.functions);
	vec_free(&scope.stacks);
	vec_free(&scope.frames);
	return true;
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.reads_back = true,
	.suffix = ".speedscope.json",
	.aliases = {".speedscope"},
	.description = "for speedscope, with inlined functions and threads",
	.open_with = "speedscope %s",
	.write = write_speedscope,
};
