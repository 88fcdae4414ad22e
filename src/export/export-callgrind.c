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

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/export/export.h"
#include "src/export/file-metric.h"
#include "src/report/stack-frames.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a line cost; if CALLEE is a function, what calls of it there cost. */
struct cost {
	uint32_t function, line, callee; /* PROFILE_NONE: the line itself */
	uint64_t value, samples;
};

struct callgrind {
	const struct report *report;
	struct file_metric metric;
	FILE *out;
	VEC(struct cost) costs;
	struct idmap lines;  /* (function, line) -> a number */
	struct idmap places; /* (number, callee) -> index of costs */
	struct idmap named;  /* (function, 0): its name was written */
	struct stack_frames frames;
};

static void charge(struct callgrind *grind, const struct stack_frame *frame,
	uint32_t callee, const struct weight *weight)
{
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
			(struct cost){frame->function, frame->line, callee, 0, 0});
		place = idmap_get(&grind->places, *line, callee);
	}
	grind->costs.data[*place].value += grind->metric.of(weight);
	grind->costs.data[*place].samples += weight->samples;
}

static void charge_stack(struct callgrind *grind, const struct report_stack *stack)
{
	struct idmap met = {0}; /* (function, 0) */

	stack_frames_of(grind->report, stack->stack, &grind->frames);
	if (grind->frames.len == 0)
		return;
	const struct stack_frame *frames = grind->frames.data;
	charge(grind, &frames[0], PROFILE_NONE, &stack->weight);
	idmap_put(&met, frames[0].function, 0, 0);
	for (size_t i = grind->frames.len; i-- > 1;) {
		if (idmap_get(&met, frames[i].function, 0))
			continue;
		idmap_put(&met, frames[i].function, 0, 0);
		charge(grind, &frames[i], frames[i - 1].function, &stack->weight);
	}
	idmap_finish(&met);
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

/* "fn=(7) name", and "fn=(7)" from then on. Modules and files are told by PREFIX; a callee
   has its own. */
static void put_function(struct callgrind *grind, const char *prefix, uint32_t id)
{
	const struct function *function = profile_function(grind->report->profile, id);
	FILE *out = grind->out;

	fprintf(out, "%s=%s\n", prefix[0] ? "cob" : "ob",
		function->module[0] ? function->module : "???");
	fprintf(out, "%s=%s\n", prefix[0] ? "cfi" : "fl",
		function->file[0] ? function->file : "???");
	fprintf(out, "%sfn=(%" PRIu32 ")", prefix, id + 1);
	if (!idmap_get(&grind->named, id, 0)) {
		idmap_put(&grind->named, id, 0, 0);
		fprintf(out, " %s", function->name);
	}
	fputc('\n', out);
}

static void write_costs(struct callgrind *grind)
{
	const struct profile *profile = grind->report->profile;

	for (size_t i = 0; i < grind->costs.len; i++) {
		const struct cost *cost = &grind->costs.data[i];
		if (i == 0 || cost->function != grind->costs.data[i - 1].function) {
			fputc('\n', grind->out);
			put_function(grind, "", cost->function);
		}
		if (cost->callee != PROFILE_NONE) {
			put_function(grind, "c", cost->callee);
			fprintf(grind->out, "calls=%" PRIu64 " %" PRIu32 "\n",
				cost->samples ? cost->samples : 1,
				profile_function(profile, cost->callee)->start_line);
		}
		fprintf(grind->out, "%" PRIu32 " %" PRIu64 "\n", cost->line, cost->value);
	}
}

static bool write_callgrind(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct callgrind grind = {
		.report = report, .metric = file_metric_of(report), .out = out};

	(void)err;
	for (size_t i = 0; i < report->n_stacks; i++)
		if (grind.metric.of(&report->stacks[i].weight))
			charge_stack(&grind, &report->stacks[i]);
	if (grind.costs.len)
		qsort(grind.costs.data, grind.costs.len, sizeof(*grind.costs.data),
			compare_costs);
	fprintf(out, "# callgrind format\nversion: 1\ncreator: %s\n", PACKAGE_STRING);
	if (facts->command)
		fprintf(out, "cmd: %s\n", facts->command);
	fprintf(out,
		"positions: line\nevent: v : %s in %s\nevents: v\nsummary: %" PRIu64 "\n",
		grind.metric.type, grind.metric.unit, grind.metric.of(&report->total));
	write_costs(&grind);
	vec_free(&grind.costs);
	vec_free(&grind.frames);
	idmap_finish(&grind.lines);
	idmap_finish(&grind.places);
	idmap_finish(&grind.named);
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
