/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format
 * (https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts): a profile
 * for each thread, the busiest first. Inlined functions are frames like any other, which
 * speedscope does not show of a pprof file.
 *
 * If it is known when the samples were taken, and they weigh time, they stand at their times,
 * with empty stacks between them, which speedscope counts as idle. Else a thread has each of
 * its stacks once.
 */
#include "config.h"

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/stack-frames.h"
#include "src/facts/text/json-text.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"
#include "src/write/timed-samples.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a thread weighs on a path of functions; stacks that differ in lines or addresses alone
   are one. */
struct ranked {
	uint32_t rank;	/* of the thread, among those of the report */
	uint32_t order; /* of the path: which came first */
	uint32_t stack; /* the first one with it: index in the report */
	uint32_t path;
	uint64_t value,
		idle_ns; /* what it weighs, and the time before it without a sample */
};

struct speedscope {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	struct idmap names; /* (name, file) -> a number */
	struct idmap
		shown; /* (number, line) -> the function that is written for all of these */
	struct idmap places; /* (function that is written, 0) -> index in the file */
	VEC(uint32_t) functions;
	VEC(struct ranked) stacks; /* by rank */
	struct idmap paths; /* (path, function further out) -> path; 0: of no function */
	struct idmap met;   /* (rank, path) -> index in stacks */
	struct stack_frames frames;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* A frame says a name, a file and a line: functions that differ in their module alone are one. */
static uint32_t shown_as(struct speedscope *scope, uint32_t id)
{
	const struct function *function = profile_function(scope->report->profile, id);
	uint64_t name = (uint64_t)(uintptr_t)function->name,
		 file = (uint64_t)(uintptr_t)function->file;
	uint32_t *number = idmap_get(&scope->names, name, file);
	if (!number) {
		idmap_put(&scope->names, name, file, (uint32_t)scope->names.len);
		number = idmap_get(&scope->names, name, file);
	}
	uint32_t *known = idmap_get(&scope->shown, *number, function->start_line);
	if (known)
		return *known;
	idmap_put(&scope->shown, *number, function->start_line, id);
	return id;
}

/* The frames of the stack, by the functions that are written for them. */
static void find_frames(struct speedscope *scope, uint32_t stack)
{
	stack_frames_of(
		scope->report, scope->report->stacks[stack].stack, &scope->frames);
	vec_each (&scope->frames, frame)
		frame->function = shown_as(scope, frame->function);
}

/* A number for the functions in scope->frames. */
static uint32_t path_of(struct speedscope *scope)
{
	uint32_t path = 0;
	vec_each (&scope->frames, frame) {
		uint32_t *known = idmap_get(&scope->paths, path, frame->function);
		if (!known) {
			uint32_t number = (uint32_t)scope->paths.len + 1;
			idmap_put(&scope->paths, path, frame->function, number);
			known = idmap_get(&scope->paths, path, frame->function);
		}
		path = *known;
	}
	return path;
}

static void add_stack(struct speedscope *scope, uint32_t rank, uint32_t stack)
{
	const struct report_stack *of = &scope->report->stacks[stack];
	uint64_t value = scope->metric.of(&of->weight);
	if (!value)
		return;
	find_frames(scope, stack);
	uint32_t path = path_of(scope);
	uint32_t *place = idmap_get(&scope->met, rank, path);
	if (place) {
		scope->stacks.data[*place].value += value;
		return;
	}
	uint32_t order = (uint32_t)scope->stacks.len;
	idmap_put(&scope->met, rank, path, order);
	vec_push(&scope->stacks, (struct ranked){rank, order, stack, path, value, 0});
}

/* The samples at their times. A sample is at the end of what it weighs; those of one path that
   follow one another are one. */
static void add_samples(struct speedscope *scope)
{
	struct timed_samples samples;
	uint32_t rank = PROFILE_NONE;
	uint64_t end_ns = 0; /* of what its thread has so far */

	timed_samples_init(&samples, scope->report);
	vec_each (&samples.list, sample) {
		size_t n = scope->stacks.len;
		bool follows = n && sample->thread == rank;
		if (!follows)
			end_ns = 0;
		rank = sample->thread;
		uint64_t begin_ns = sample->time_ns > sample->value
					    ? sample->time_ns - sample->value
					    : 0;
		uint64_t idle_ns = begin_ns > end_ns ? begin_ns - end_ns : 0;
		find_frames(scope, sample->stack);
		uint32_t path = path_of(scope);
		if (follows && !idle_ns && scope->stacks.data[n - 1].path == path)
			scope->stacks.data[n - 1].value += sample->value;
		else
			vec_push(&scope->stacks,
				(struct ranked){rank, (uint32_t)n, sample->stack, path,
					sample->value, idle_ns});
		end_ns += idle_ns + sample->value;
	}
	timed_samples_finish(&samples);
}

/* Each stack of a thread once. */
static void add_stacks(struct speedscope *scope)
{
	const struct report *report = scope->report;
	struct idmap ranks = {0}; /* (tid, 0) -> rank */

	for (size_t i = 0; i < report->n_threads; i++) {
		pid_t tid =
			profile_thread(report->profile, report->threads[i].thread)->tid;
		idmap_put(&ranks, (uint64_t)tid, 0, (uint32_t)i);
	}
	uint32_t *order = report_stack_order(report);
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[order[i]];
		pid_t tid = profile_thread(report->profile, stack->thread)->tid;
		const uint32_t *rank = idmap_get(&ranks, (uint64_t)tid, 0);
		add_stack(scope, rank ? *rank : UINT32_MAX, order[i]);
	}
	free(order);
	idmap_finish(&ranks);
}

/* The stacks that weigh anything, and the frames that they have. */
static void collect(struct speedscope *scope)
{
	if (scope->report->n_moments && scope->metric.kind == VALUE_TIME)
		add_samples(scope);
	else
		add_stacks(scope);
	if (scope->stacks.len)
		qsort(scope->stacks.data, scope->stacks.len, sizeof(*scope->stacks.data),
			compare_ranked);
	vec_each (&scope->stacks, ranked) {
		find_frames(scope, ranked->stack);
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

	find_frames(scope, ranked->stack);
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
		sum += scope->stacks.data[i].value + scope->stacks.data[i].idle_ns;
	fputs("    {\"type\": \"sampled\", \"name\": ", out);
	write_name(scope, &scope->stacks.data[from]);
	fprintf(out,
		", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRIu64 ",\n",
		units[scope->metric.kind], sum);
	fputs("     \"samples\": [", out);
	for (size_t i = from; i < to; i++) {
		fputs(i > from ? "," : "", out);
		fputs(scope->stacks.data[i].idle_ns ? "[]," : "", out);
		write_stack(scope, &scope->stacks.data[i]);
	}
	fputs("],\n     \"weights\": [", out);
	for (size_t i = from; i < to; i++) {
		const struct ranked *ranked = &scope->stacks.data[i];
		fputs(i > from ? "," : "", out);
		if (ranked->idle_ns)
			fprintf(out, "%" PRIu64 ",", ranked->idle_ns);
		fprintf(out, "%" PRIu64, ranked->value);
	}
	fputs("]}", out);
}

/* What was read from a file that had a name keeps it. */
static const char *name_of(
	const struct speedscope *scope, const struct export_facts *facts)
{
	const struct origin *origin = scope->report->origin;
	if (facts->command)
		return facts->command;
	return origin && origin->title[0] ? origin->title : scope->metric.type;
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
	json_text_put(name_of(&scope, facts), out);
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
	idmap_finish(&scope.names);
	idmap_finish(&scope.shown);
	idmap_finish(&scope.places);
	idmap_finish(&scope.paths);
	idmap_finish(&scope.met);
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
