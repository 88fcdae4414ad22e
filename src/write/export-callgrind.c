/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind's format (https://valgrind.org/docs/manual/cl-format.html), for
 * callgrind_annotate, KCachegrind and QCachegrind: what each line cost itself, and what the
 * calls on it cost with all below them.
 *
 * These readers take a function's inclusive cost for its own and that of all its calls. So
 * that recursion counts once there, too, a stack counts for the outermost call of each
 * function on it, and for none of a function that is its leaf as well.
 */
#include "config.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/stack-frames.h"
#include "src/write/caption.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a line cost; if CALLEE is a function, what calls of it there cost. Both are indices of
   functions. */
struct cost {
	uint32_t function, line, callee; /* PROFILE_NONE: the line itself */
	uint64_t value;
};

/* A function of the file: readers know it by its names, so that all with the same are one. */
struct named {
	const struct function *function;
	uint64_t self;
	uint32_t first_line; /* with costs; 0: none is known */
	uint32_t index;	     /* before they are sorted */
	bool is_written;     /* its name was */
};

struct callgrind {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	VEC(struct named) functions;
	struct idmap numbers; /* (name, module) -> index of functions */
	VEC(struct cost) costs;
	struct idmap lines;  /* (function, line) -> a number */
	struct idmap places; /* (number, callee) -> index of costs */
	struct stack_frames frames;
	uint64_t passed; /* the values of the stacks so far */
};

static uint32_t number_of(struct callgrind *grind, uint32_t id)
{
	const struct function *function = profile_function(grind->report->profile, id);
	uint64_t name = (uintptr_t)function->name, module = (uintptr_t)function->module;
	uint32_t *known = idmap_get(&grind->numbers, name, module);
	if (known)
		return *known;
	uint32_t index = (uint32_t)grind->functions.len;
	idmap_put(&grind->numbers, name, module, index);
	vec_push(&grind->functions, (struct named){.function = function, .index = index});
	return index;
}

static void charge(struct callgrind *grind, const struct stack_frame *frame,
	uint32_t callee, uint64_t value)
{
	struct named *named = &grind->functions.data[frame->function];
	if (frame->line && (!named->first_line || frame->line < named->first_line))
		named->first_line = frame->line;
	if (callee == PROFILE_NONE)
		named->self += value;

	uint32_t *line = idmap_get(&grind->lines, frame->function, frame->line);
	if (!line) {
		idmap_put(&grind->lines, frame->function, frame->line,
			(uint32_t)grind->lines.len);
		line = idmap_get(&grind->lines, frame->function, frame->line);
	}
	uint32_t *place = idmap_get(&grind->places, *line, callee);
	if (!place) {
		uint32_t index = (uint32_t)grind->costs.len;
		idmap_put(&grind->places, *line, callee, index);
		vec_push(&grind->costs,
			(struct cost){frame->function, frame->line, callee, 0});
		place = idmap_get(&grind->places, *line, callee);
	}
	grind->costs.data[*place].value += value;
}

/* What the file says of VALUE, of the next stack: microseconds of a time, so that what they
   are rounded by is never more than one in all. */
static uint64_t written_value(struct callgrind *grind, uint64_t value)
{
	if (grind->metric.kind != VALUE_TIME)
		return value;
	uint64_t before = grind->passed / NS_PER_US;
	grind->passed += value;
	return grind->passed / NS_PER_US - before;
}

static void charge_stack(struct callgrind *grind, const struct report_stack *stack)
{
	struct idmap met = {0}; /* (function, 0) */
	uint64_t value = written_value(grind, grind->metric.of(&stack->weight));

	if (!value)
		return;
	stack_frames_of(grind->report, stack->stack, &grind->frames);
	if (grind->frames.len == 0)
		return;
	struct stack_frame *frames = grind->frames.data;
	for (size_t i = 0; i < grind->frames.len; i++)
		frames[i].function = number_of(grind, frames[i].function);
	charge(grind, &frames[0], PROFILE_NONE, value);
	idmap_put(&met, frames[0].function, 0, 0);
	for (size_t i = grind->frames.len; i-- > 1;) {
		if (idmap_get(&met, frames[i].function, 0))
			continue;
		idmap_put(&met, frames[i].function, 0, 0);
		charge(grind, &frames[i], frames[i - 1].function, value);
	}
	idmap_finish(&met);
}

/* --- the order ------------------------------------------------------------------------ */

/* By what a reader will know of them, so that what is made of this file is this file again. */
static int compare_functions(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	int order = strcmp(x->function->name, y->function->name);
	return order ? order : strcmp(x->function->module, y->function->module);
}

/* By function; its own lines before its calls. */
static int compare_costs(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	bool x_calls = x->callee != PROFILE_NONE, y_calls = y->callee != PROFILE_NONE;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x_calls != y_calls)
		return x_calls ? 1 : -1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static void sort(struct callgrind *grind)
{
	size_t n = grind->functions.len;
	uint32_t *rank = mem_alloc((n + 1) * sizeof(*rank));

	if (n)
		qsort(grind->functions.data, n, sizeof(*grind->functions.data),
			compare_functions);
	for (size_t i = 0; i < n; i++)
		rank[grind->functions.data[i].index] = (uint32_t)i;
	vec_each (&grind->costs, cost) {
		cost->function = rank[cost->function];
		if (cost->callee != PROFILE_NONE)
			cost->callee = rank[cost->callee];
	}
	free(rank);
	if (grind->costs.len)
		qsort(grind->costs.data, grind->costs.len, sizeof(*grind->costs.data),
			compare_costs);
}

/* --- writing -------------------------------------------------------------------------- */

/* "fn=(7) name", and "fn=(7)" from then on. Modules and files are told by PREFIX; a callee
   has its own. */
static void put_function(struct callgrind *grind, const char *prefix, uint32_t index)
{
	struct named *named = &grind->functions.data[index];
	const struct function *function = named->function;
	FILE *out = grind->out;

	fprintf(out, "%s=%s\n", prefix[0] ? "cob" : "ob",
		function->module[0] ? function->module : "???");
	fprintf(out, "%s=%s\n", prefix[0] ? "cfi" : "fl",
		function->file[0] ? function->file : "???");
	fprintf(out, "%sfn=(%" PRIu32 ")", prefix, index + 1);
	if (!named->is_written)
		fprintf(out, " %s", function->name);
	named->is_written = true;
	fputc('\n', out);
}

/* Samples do not count calls: that there was one is all that they show. */
static void write_costs(struct callgrind *grind)
{
	for (size_t i = 0; i < grind->costs.len; i++) {
		const struct cost *cost = &grind->costs.data[i];
		if (i == 0 || cost->function != grind->costs.data[i - 1].function) {
			fputc('\n', grind->out);
			put_function(grind, "", cost->function);
		}
		if (cost->callee != PROFILE_NONE) {
			put_function(grind, "c", cost->callee);
			fprintf(grind->out, "calls=1 %" PRIu32 "\n",
				grind->functions.data[cost->callee].first_line);
		}
		fprintf(grind->out, "%" PRIu32 " %" PRIu64 "\n", cost->line, cost->value);
	}
}

static void put_target(
	const struct report *report, const struct export_facts *facts, FILE *out)
{
	const char *command = caption_command(report, facts);
	pid_t pid = caption_pid(report, facts);

	if (pid)
		fprintf(out, "pid: %d\n", (int)pid);
	if (command)
		fprintf(out, "cmd: %s\n", command);
	for (size_t i = 0; i < caption_comments(report, facts); i++)
		fprintf(out, "desc: %s\n", caption_comment(report, facts, i));
}

/* Readers head a column with the name of the event, which is one word: "cpu_us". */
static void put_event(const struct callgrind *grind)
{
	bool is_time = grind->metric.kind == VALUE_TIME;
	uint64_t total = grind->metric.of(&grind->report->total);
	char *event = mem_printf("%s%s", grind->metric.type, is_time ? "_us" : "");

	for (char *at = event; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	fprintf(grind->out,
		"positions: line\nevent: %s : %s in %s\nevents: %s\nsummary: %" PRIu64
		"\n",
		event, grind->metric.type, is_time ? "microseconds" : grind->metric.unit,
		event, is_time ? total / NS_PER_US : total);
	free(event);
}

static bool write_callgrind(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct callgrind grind = {
		.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	for (size_t i = 0; i < report->n_stacks; i++)
		charge_stack(&grind, &report->stacks[i]);
	sort(&grind);
	fprintf(out, "# callgrind format\nversion: 1\ncreator: %s\n", PACKAGE_STRING);
	put_target(report, facts, out);
	put_event(&grind);
	write_costs(&grind);
	vec_free(&grind.functions);
	vec_free(&grind.costs);
	vec_free(&grind.frames);
	idmap_finish(&grind.lines);
	idmap_finish(&grind.places);
	idmap_finish(&grind.numbers);
	return true;
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.reads_back = true,
	.suffix = ".callgrind",
	.aliases = {".callgrind.out"},
	.description = "who calls whom, for KCachegrind and callgrind_annotate",
	.open_with = "callgrind_annotate --inclusive=yes %s",
	.write = write_callgrind,
};
