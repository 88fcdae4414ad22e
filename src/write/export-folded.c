/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the format of Brendan Gregg's flame graph tools: one line for each
 * distinct stack, "thread name;outermost;...;leaf N", with "process;" before that if there
 * are several processes, named as the report's rules say. Threads of one name share their
 * lines. Inlined functions are frames like any other. What was read from a file without
 * threads has none here.
 */
#include "src/base/clock.h"
#include "src/base/vec.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct folded_line {
	char *stack;
	uint64_t weight; /* samples, or ns */
};

struct folded {
	const struct report *report;
	int64_t *part; /* of what the file says: the report's range of time; NULL: all */
	VEC(struct folded_line) lines;
};

struct function_ids {
	uint32_t *data;
	size_t len, cap;
};

/* A ';' in a name would split it in two, and a line break would end the stack. The format
   has no escape, so both are replaced by similar characters. */
static void put_name(const char *name, FILE *out)
{
	for (;;) {
		size_t plain = strcspn(name, ";\r\n");
		fwrite(name, 1, plain, out);
		name += plain;
		if (!*name)
			return;
		fputc(*name++ == ';' ? ':' : ' ', out);
	}
}

/* Add the next caller, unless the report joins it with the last one. */
static void put_function(
	const struct report *report, uint32_t function, struct function_ids *ids)
{
	if (!ids->len || !report_joins(report, function, ids->data[ids->len - 1]))
		vec_push(ids, function);
}

/* STACK as folded stacks have it, to be freed; NULL: out of memory. */
static char *spell(const struct report *report, const struct report_stack *stack)
{
	const struct profile *profile = report->profile;
	uint32_t process =
		PROFILE_NONE; /* a function: the process is before the thread */

	struct function_ids ids = {0}; /* leaf first */
	for (uint32_t node = stack->stack; !stacktab_is_root(node);
		node = stacktab_node(report->stacktab, node)->parent) {
		uint32_t id = stacktab_node(report->stacktab, node)->location;
		const struct location *location = report_counted(report, id);
		bool is_outermost =
			stacktab_is_root(stacktab_node(report->stacktab, node)->parent);
		if (is_outermost && location->n_lines == 1 &&
			profile_function(profile, location->lines[0].function)
				->is_process) {
			process = location->lines[0].function;
			continue;
		}
		for (uint32_t i = 0; i < location->n_lines; i++)
			put_function(report, location->lines[i].function, &ids);
	}

	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out) {
		vec_free(&ids);
		return NULL;
	}
	if (process != PROFILE_NONE) {
		put_name(profile_function(profile, process)->name, out);
		fputc(';', out);
	}
	const char *separator = "",
		   *thread = profile_thread(profile, stack->thread)->name;
	if (*thread || !report->origin) {
		put_name(thread, out);
		separator = ";";
	}
	for (size_t i = ids.len; i-- > 0;) {
		fputs(separator, out);
		separator = ";";
		put_name(profile_function(profile, ids.data[i])->name, out);
	}
	vec_free(&ids);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct folded_line *)a)->stack,
		((const struct folded_line *)b)->stack);
}

static void write_lines(struct folded *folded, bool weigh_time, FILE *out)
{
	size_t n = folded->lines.len;
	if (n)
		qsort(folded->lines.data, n, sizeof(*folded->lines.data), compare_lines);
	for (size_t i = 0, same; i < n; i = same) {
		const struct folded_line *line = &folded->lines.data[i];
		uint64_t weight = 0;
		for (same = i; same < n &&
			       strcmp(folded->lines.data[same].stack, line->stack) == 0;
			same++)
			weight += folded->lines.data[same].weight;
		if (weigh_time)
			weight = (weight + NS_PER_US / 2) / NS_PER_US;
		if (weight)
			fprintf(out, "%s %" PRIu64 "\n", line->stack, weight);
	}
}

/* What the file says, in its own unit. */
static uint64_t file_weight(const struct folded *folded, const struct report_stack *stack)
{
	const struct report *report = folded->report;
	int64_t value = origin_values(report->origin, folded->part, stack->thread,
		stack->stack)[report->shown_type];
	return value > 0 ? (uint64_t)value : 0;
}

/* Are the weights nanoseconds, of which microseconds are to be made? */
static bool is_scaled(const struct report *report, const struct export_facts *facts)
{
	const char *unit = report->origin
				   ? report->origin->types.data[report->shown_type].unit
				   : file_metric_of(report).unit;
	return (facts->weigh_cpu || facts->weigh_wall) &&
	       strcmp(unit, "nanoseconds") == 0;
}

static bool write_folded(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct folded folded = {.report = report};
	bool spelled = true;

	if (report->origin)
		folded.part =
			origin_part(report->origin, report->start_ns, report->end_ns);
	for (size_t i = 0; i < report->n_stacks && spelled; i++) {
		const struct report_stack *stack = &report->stacks[i];
		struct folded_line line = {
			.stack = spell(report, stack),
			.weight = report->origin ? file_weight(&folded, stack)
				  : facts->weigh_cpu || report_counts_event(report)
					  ? stack->weight.cpu_ns
				  : facts->weigh_wall ? stack->weight.wall_ns
						      : stack->weight.instants,
		};
		spelled = line.stack != NULL;
		if (spelled)
			vec_push(&folded.lines, line);
	}
	if (spelled)
		write_lines(&folded, is_scaled(report, facts), out);
	vec_each (&folded.lines, line)
		free(line->stack);
	vec_free(&folded.lines);
	free(folded.part);
	return spelled || error_set(err, "out of memory");
}

const struct export_format export_folded = {
	.name = "folded",
	.reads_back = true,
	.suffix = ".folded",
	.aliases = {".collapsed"},
	.description = "one stack and its count a line, for flame graph tools",
	.open_with = "flamegraph.pl %s > flame.svg",
	.write = write_folded,
};
