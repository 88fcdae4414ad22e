/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report to read: what was sampled, the functions as pprof's -top lists them, and the
 * hottest stacks, each on a line.
 */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/export/export-formats.h"
#include "src/export/export.h"
#include "src/export/quantity.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
	MIN_SHARE = 1000, /* a function with less than 1/1000 of the whole is left out */
	MAX_STACKS = 30,
};

/* What "percent" is of: the wall clock if it was sampled, else CPU time; samples if
   nothing was charged yet. Of a file, the values of the type that is shown. */
struct measure {
	uint64_t (*of)(const struct weight *weight);
	const char *name;
	enum value_kind kind;
};

static uint64_t wall_of(const struct weight *weight)
{
	return weight->wall_ns;
}

static uint64_t cpu_of(const struct weight *weight)
{
	return weight->cpu_ns;
}

static uint64_t samples_of(const struct weight *weight)
{
	return weight->samples;
}

static struct measure choose_measure(const struct report *report)
{
	const struct weight *total = &report->total;
	if (report->origin)
		return (struct measure){
			cpu_of, report_value_name(report), report_value_kind(report)};
	if (total->wall_ns)
		return (struct measure){wall_of, "wall clock", VALUE_TIME};
	return total->cpu_ns ? (struct measure){cpu_of, "CPU time", VALUE_TIME}
			     : (struct measure){samples_of, "samples", VALUE_COUNT};
}

static struct quantity say(const struct measure *measure, uint64_t value)
{
	return quantity_say(measure->kind, value);
}

static struct quantity say_time(uint64_t ns)
{
	return quantity_say(VALUE_TIME, ns);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_stack_health(const struct report *report, FILE *out)
{
	const char *separator = " (";

	fprintf(out, "Stacks:   %.1f%% complete", 100 * report_complete_share(report));
	for (enum unwind_end end = 0; end < UNWIND_END_COUNT; end++) {
		if (end == UNWIND_ROOT || !report->ends[end])
			continue;
		fprintf(out, "%s%s: %" PRIu64, separator, unwind_end_name(end),
			report->ends[end]);
		separator = ", ";
	}
	fputs(separator[0] == ',' ? ")\n" : "\n", out);
}

static void write_time(uint64_t start_wall_ns, uint64_t duration_ns, FILE *out)
{
	time_t start = (time_t)(start_wall_ns / NS_PER_SEC);
	struct tm utc;
	char date[32] = "";

	if (gmtime_r(&start, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &utc);
	fprintf(out, "Time:     %s UTC", date);
	if (duration_ns)
		fprintf(out, ", for %s", say_time(duration_ns).text);
	fputc('\n', out);
}

/* What a file says of itself, as far as it says anything. */
static void write_file_header(const struct report *report, FILE *out)
{
	const struct origin *origin = report->origin;
	const struct value_type *type = &origin->types.data[report->shown_type];

	fprintf(out, "Values:   %s in %s, %s in all\n", type->type, type->unit,
		quantity_say(report_value_kind(report), report->total.cpu_ns).text);
	if (origin->time_ns > 0)
		write_time((uint64_t)origin->time_ns,
			origin->duration_ns > 0 ? (uint64_t)origin->duration_ns : 0, out);
	vec_each (&origin->comments, comment)
		fprintf(out, "%s\n", *comment);
}

static void write_header(
	const struct report *report, const struct export_facts *facts, FILE *out)
{
	uint64_t duration_ns = report->end_ns - report->start_ns;

	fprintf(out, "Command:  %s", facts->command);
	if (facts->pid)
		fprintf(out, " (pid %d)", (int)facts->pid);
	fputc('\n', out);
	write_time(report->start_wall_ns, duration_ns, out);
	fprintf(out, "Samples:  %" PRIu64, report->total.samples);
	if (facts->frequency_hz)
		fprintf(out, " at %u Hz", facts->frequency_hz);
	fprintf(out, "\nCPU time: %s, %.2f CPUs on average\n",
		say_time(report->total.cpu_ns).text,
		percent(report->total.cpu_ns, duration_ns) / 100);
	struct report_thread time = report_process_time(report);
	uint64_t known = time.cpu_ns + time.runq_ns + time.blocked_ns;
	if (known)
		fprintf(out,
			"Threads:  %.1f%% on a CPU, %.1f%% waiting for one, %.1f%% "
			"blocked\n",
			percent(time.cpu_ns, known), percent(time.runq_ns, known),
			percent(time.blocked_ns, known));
	write_stack_health(report, out);
	for (size_t i = 0; i < facts->n_comments; i++)
		fprintf(out, "%s\n", facts->comments[i]);
}

struct ranking {
	const struct measure *measure;
	uint64_t whole;
	VEC(const struct report_function *) functions;
	VEC(const struct report_node *) nodes;
};

/* Largest first. Of equals, the one that comes first in the report, whose order does not
   depend on chance. */
static int compare_self(const struct weight *a, const struct weight *b,
	const struct measure *measure, bool before)
{
	uint64_t x = measure->of(a), y = measure->of(b);
	return x != y ? (x < y ? 1 : -1) : before ? -1 : 1;
}

static int compare_functions(const void *a, const void *b, void *measure)
{
	const struct report_function *const *x = a, *const *y = b;
	return compare_self(&(*x)->self, &(*y)->self, measure, *x < *y);
}

static int compare_nodes(const void *a, const void *b, void *measure)
{
	const struct report_node *const *x = a, *const *y = b;
	return compare_self(&(*x)->self, &(*y)->self, measure, *x < *y);
}

static void rank(struct ranking *ranking, const struct report *report)
{
	const struct measure *measure = ranking->measure;
	for (size_t i = 0; i < report->n_functions; i++)
		vec_push(&ranking->functions, &report->functions[i]);
	for (size_t i = 0; i < report->n_nodes; i++)
		if (measure->of(&report->nodes[i].self))
			vec_push(&ranking->nodes, &report->nodes[i]);
	if (ranking->functions.len)
		qsort_r(ranking->functions.data, ranking->functions.len,
			sizeof(*ranking->functions.data), compare_functions,
			(void *)measure);
	if (ranking->nodes.len)
		qsort_r(ranking->nodes.data, ranking->nodes.len,
			sizeof(*ranking->nodes.data), compare_nodes, (void *)measure);
}

static void write_functions(
	const struct ranking *ranking, const struct report *report, FILE *out)
{
	static const char *const kinds[NAMING_GRANULARITIES][2] = {
		[NAMING_FUNCTION] = {"Functions", "function (module)"},
		[NAMING_LINE] = {"Lines", "function and line (module)"},
		[NAMING_MODULE] = {"Modules", "module"},
		[NAMING_ADDRESS] = {"Addresses", "function and address (module)"},
	};
	const struct profile *profile = report->profile;
	const char *const *kind = kinds[report->request.naming.granularity];
	const struct measure *measure = ranking->measure;
	uint64_t sum = 0;
	size_t left_out = 0;

	fprintf(out, "\n%s by %s\n", kind[0], measure->name);
	fprintf(out, "%9s %7s %7s %9s %7s  %s\n", "self", "self%", "sum%", "total",
		"total%", kind[1]);
	for (size_t i = 0; i < ranking->functions.len; i++) {
		const struct report_function *row = ranking->functions.data[i];
		const struct function *function =
			profile_function(profile, row->function);
		uint64_t self = measure->of(&row->self), total = measure->of(&row->total);
		sum += self;
		if (total < ranking->whole / MIN_SHARE || !total) {
			left_out++;
			continue;
		}
		fprintf(out, "%9s %6.2f%% %6.2f%% %9s %6.2f%%  %s",
			say(measure, self).text, percent(self, ranking->whole),
			percent(sum, ranking->whole), say(measure, total).text,
			percent(total, ranking->whole), function->name);
		if (function->module[0] && function->module != function->name)
			fprintf(out, " (%s)", function->module);
		fputc('\n', out);
	}
	if (left_out)
		fprintf(out, "%zu %c%s of less than 0.1%% are left out\n", left_out,
			tolower(kind[0][0]), kind[0] + 1);
}

static void write_path(
	const struct report *report, const struct report_node *node, FILE *out)
{
	VEC(uint32_t) functions = {0};

	for (; node != report->nodes; node = &report->nodes[node->parent])
		vec_push(&functions, node->function);
	while (functions.len) {
		uint32_t function = functions.data[--functions.len];
		fputs(profile_function(report->profile, function)->name, out);
		fputs(functions.len ? "; " : "\n", out);
	}
	vec_free(&functions);
}

static void write_stacks(
	const struct ranking *ranking, const struct report *report, FILE *out)
{
	uint64_t rest = 0;

	fprintf(out, "\nStacks by %s\n", ranking->measure->name);
	for (size_t i = 0; i < ranking->nodes.len; i++) {
		const struct report_node *node = ranking->nodes.data[i];
		uint64_t self = ranking->measure->of(&node->self);
		if (i >= MAX_STACKS) {
			rest += self;
			continue;
		}
		fprintf(out, "%6.2f%%  ", percent(self, ranking->whole));
		write_path(report, node, out);
	}
	if (ranking->nodes.len > MAX_STACKS)
		fprintf(out, "%6.2f%%  in %zu more stacks\n",
			percent(rest, ranking->whole), ranking->nodes.len - MAX_STACKS);
}

/* Where the time of each thread went, where the kernel's accounts are known. */
static void write_threads(const struct report *report, FILE *out)
{
	size_t written = 0, left_out = 0;

	for (size_t i = 0; i < report->n_threads; i++) {
		const struct report_thread *row = &report->threads[i];
		const struct thread *thread =
			profile_thread(report->profile, row->thread);
		uint64_t known = row->cpu_ns + row->runq_ns + row->blocked_ns;
		if (!known)
			continue;
		if (written >= MAX_STACKS) {
			left_out++;
			continue;
		}
		if (written++ == 0)
			fprintf(out, "\nThreads\n%9s %9s %9s  %s\n", "on CPU", "waiting",
				"blocked", "thread (tid)");
		fprintf(out, "%8.2f%% %8.2f%% %8.2f%%  %s (%d)\n",
			percent(row->cpu_ns, known), percent(row->runq_ns, known),
			percent(row->blocked_ns, known), thread->name, (int)thread->tid);
	}
	if (left_out)
		fprintf(out, "%zu threads with less CPU time are left out\n", left_out);
}

bool export_text(const struct report *report, const struct export_facts *facts, FILE *out,
	struct error *err)
{
	const struct measure measure = choose_measure(report);
	struct ranking ranking = {.measure = &measure};

	(void)err;
	ranking.whole = ranking.measure->of(&report->total);
	rank(&ranking, report);
	if (report->origin)
		write_file_header(report, out);
	else
		write_header(report, facts, out);
	if (ranking.whole) {
		write_functions(&ranking, report, out);
		write_stacks(&ranking, report, out);
	} else {
		fputs(report->origin ? "\nNothing was counted.\n" : "\nNothing ran.\n",
			out);
	}
	write_threads(report, out);
	vec_free(&ranking.functions);
	vec_free(&ranking.nodes);
	return true;
}
