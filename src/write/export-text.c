/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report for a person: what was sampled, the functions as pprof's -top lists them, each
 * between its callers and callees as gprof prints them, and the heaviest stacks with their
 * threads, one on a line.
 */
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/count/stack-frames.h"
#include "src/facts/text/quantity.h"
#include "src/write/call-listing.h"
#include "src/write/export.h"
#include "src/write/listing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
	MIN_SHARE = 1000, /* a function with less than 1/1000 of the whole is left out */
	MAX_STACKS = 30,
	GRAPH_SHARE = 200,    /* the same for the call graph, and for calls in it */
	GRAPH_FUNCTIONS = 80, /* as pprof has it */
};

static struct quantity say_time(uint64_t ns)
{
	return quantity_say(VALUE_TIME, ns);
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
static void write_file_header(
	const struct report *report, const struct export_facts *facts, FILE *out)
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
	for (size_t i = 0; i < facts->n_comments; i++)
		fprintf(out, "%s\n", facts->comments[i]);
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
	if (report_counts_event(report))
		fprintf(out, "\nValues:   %s, %s in all\n", report->event.name,
			quantity_say(report_value_kind(report), report->total.cpu_ns)
				.text);
	else
		fprintf(out, "\nCPU time: %s, %.2f CPUs on average\n",
			say_time(report->total.cpu_ns).text,
			file_metric_percent(report->total.cpu_ns, duration_ns) / 100);
	struct report_thread time = report_process_time(report);
	uint64_t known = time.cpu_ns + time.runq_ns + time.blocked_ns;
	if (known)
		fprintf(out,
			"Threads:  %.1f%% on a CPU, %.1f%% waiting for one, %.1f%% "
			"blocked\n",
			file_metric_percent(time.cpu_ns, known),
			file_metric_percent(time.runq_ns, known),
			file_metric_percent(time.blocked_ns, known));
	write_stack_health(report, out);
	for (size_t i = 0; i < facts->n_comments; i++)
		fprintf(out, "%s\n", facts->comments[i]);
}

static void write_functions(const struct listing *listing, FILE *out)
{
	static const char *const kinds[NAMING_GRANULARITIES] = {
		[NAMING_FUNCTION] = "Functions",
		[NAMING_LINE] = "Lines",
		[NAMING_MODULE] = "Modules",
		[NAMING_ADDRESS] = "Addresses",
	};
	const char *kind = kinds[listing->report->request.naming.granularity];

	fprintf(out, "\n%s by %s\n", kind, listing->metric.name);
	size_t left_out =
		listing_write_text(listing, SIZE_MAX, listing->whole / MIN_SHARE, out);
	if (left_out)
		fprintf(out, "%zu %c%s of less than 0.1%% are left out\n", left_out,
			tolower(kind[0]), kind + 1);
}

static void write_graph(const struct listing *listing, FILE *out)
{
	struct call_listing graph;

	call_listing_init(&graph, listing, false);
	fprintf(out, "\nCall graph by %s: callers above, callees below\n",
		listing->metric.name);
	call_listing_write_text(
		&graph, GRAPH_FUNCTIONS, listing->whole / GRAPH_SHARE + 1, out);
	call_listing_finish(&graph);
}

/* The samples of all threads of one name with the same functions on their stacks. */
struct text_stack {
	const char *thread;
	uint32_t stack; /* one of them, in the stack table */
	struct weight weight;
};

struct text_stacks {
	const struct listing *listing;
	VEC(struct text_stack) list;
	struct idmap paths;  /* (path, function) -> path, from the leaf on */
	struct idmap places; /* (path, address of the thread's name) -> stack */
	struct stack_frames frames;
};

static uint32_t path_of(struct text_stacks *stacks, uint32_t stack)
{
	uint32_t path = 0;

	stack_frames_of(stacks->listing->report, stack, &stacks->frames);
	vec_each (&stacks->frames, frame) {
		uint32_t *known = idmap_get(&stacks->paths, path, frame->function);
		uint32_t next = known ? *known : (uint32_t)stacks->paths.len + 1;
		if (!known)
			idmap_put(&stacks->paths, path, frame->function, next);
		path = next;
	}
	return path;
}

static void add_stack(struct text_stacks *stacks, const struct report_stack *stack)
{
	const struct profile *profile = stacks->listing->report->profile;
	const char *thread = profile_thread(profile, stack->thread)->name;
	uint32_t path = path_of(stacks, stack->stack);
	uint32_t *place = idmap_get(&stacks->places, path, (uint64_t)(uintptr_t)thread);

	if (place) {
		weight_add(&stacks->list.data[*place].weight, &stack->weight);
		return;
	}
	idmap_put(&stacks->places, path, (uint64_t)(uintptr_t)thread,
		(uint32_t)stacks->list.len);
	vec_push(&stacks->list, (struct text_stack){thread, stack->stack, stack->weight});
}

static void write_stack(
	struct text_stacks *stacks, const struct text_stack *stack, FILE *out)
{
	const struct report *report = stacks->listing->report;
	const struct file_metric *metric = &stacks->listing->metric;

	fprintf(out, "%6.2f%% %9" PRIu64 "  %s:",
		file_metric_percent(metric->of(&stack->weight), stacks->listing->whole),
		stack->weight.samples, stack->thread[0] ? stack->thread : "-");
	stack_frames_of(report, stack->stack, &stacks->frames);
	for (size_t i = stacks->frames.len; i-- > 0;)
		fprintf(out, " %s%s",
			profile_function(report->profile, stacks->frames.data[i].function)
				->name,
			i ? ";" : "");
	fputc('\n', out);
}

/* Largest first. Equal weights keep the order of the report, which is the same for the
   same samples. */
static int compare_stacks(const void *a, const void *b, void *metric)
{
	const struct text_stack *const *x = a, *const *y = b;
	uint64_t weight_x = ((const struct file_metric *)metric)->of(&(*x)->weight),
		 weight_y = ((const struct file_metric *)metric)->of(&(*y)->weight);
	if (weight_x != weight_y)
		return weight_x < weight_y ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

static void write_sorted(struct text_stacks *stacks, FILE *out)
{
	const struct listing *listing = stacks->listing;
	const struct file_metric *metric = &listing->metric;
	VEC(const struct text_stack *) sorted = {0};
	uint64_t rest = 0;

	vec_each (&stacks->list, stack)
		if (metric->of(&stack->weight))
			vec_push(&sorted, stack);
	if (sorted.len)
		qsort_r(sorted.data, sorted.len, sizeof(*sorted.data), compare_stacks,
			(void *)metric);
	for (size_t i = 0; i < sorted.len; i++)
		if (i < MAX_STACKS)
			write_stack(stacks, sorted.data[i], out);
		else
			rest += metric->of(&sorted.data[i]->weight);
	if (sorted.len > MAX_STACKS)
		fprintf(out, "%6.2f%%  in %zu more stacks\n",
			file_metric_percent(rest, listing->whole),
			sorted.len - MAX_STACKS);
	vec_free(&sorted);
}

static void write_stacks(const struct listing *listing, FILE *out)
{
	const struct report *report = listing->report;
	struct text_stacks stacks = {.listing = listing};

	for (size_t i = 0; i < report->n_stacks; i++)
		add_stack(&stacks, &report->stacks[i]);
	fprintf(out, "\nStacks by %s: share, samples, thread: functions\n",
		listing->metric.name);
	write_sorted(&stacks, out);
	vec_free(&stacks.list);
	vec_free(&stacks.frames);
	idmap_finish(&stacks.paths);
	idmap_finish(&stacks.places);
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
			file_metric_percent(row->cpu_ns, known),
			file_metric_percent(row->runq_ns, known),
			file_metric_percent(row->blocked_ns, known), thread->name,
			(int)thread->tid);
	}
	if (left_out)
		fprintf(out, "%zu threads with less CPU time are left out\n", left_out);
}

static bool write_text(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	struct listing listing;

	(void)err;
	listing_init(&listing, report, LISTING_BY_SELF);
	if (report->origin)
		write_file_header(report, facts, out);
	else
		write_header(report, facts, out);
	if (listing.whole) {
		write_functions(&listing, out);
		write_graph(&listing, out);
		write_stacks(&listing, out);
	} else {
		fputs(report->origin ? "\nNothing was counted.\n" : "\nNothing ran.\n",
			out);
	}
	write_threads(report, out);
	listing_finish(&listing);
	return true;
}

const struct export_format export_text = {
	.name = "text",
	.suffix = ".txt",
	.aliases = {".text"},
	.description = "a report to read: the functions, then the hottest stacks",
	.open_with = "less %s",
	.write = write_text,
};
