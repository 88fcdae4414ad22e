/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report-build.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/model/snapshot.h"
#include "src/report/calltree.h"
#include "src/report/moments.h"
#include "src/report/report-blocks.h"
#include "src/report/rewritten.h"
#include "src/report/selection.h"

#include <stdlib.h>
#include <string.h>

/* Choose the range of time: as requested, but not before the oldest sample or mark. */
static void choose_range(struct report *report, const struct report_input *input)
{
	const struct report_request *request = &report->request;
	const struct sample_log *samples = input->samples;
	report->end_ns = request->until_ns ? request->until_ns : input->now_ns;
	uint64_t oldest =
		samples->len ? sample_log_at(samples, 0)->time_ns : report->end_ns;
	if (input->n_marks && input->marks[0].time_ns < oldest)
		oldest = input->marks[0].time_ns;
	if (input->since_ns)
		oldest = input->since_ns;
	if (oldest > report->end_ns)
		oldest = report->end_ns;
	report->oldest_ns = report->start_ns = oldest;
	if (request->window_ns && report->end_ns - oldest > request->window_ns)
		report->start_ns = report->end_ns - request->window_ns;
	if (request->since_ns > report->start_ns && request->since_ns < report->end_ns)
		report->start_ns = request->since_ns;
	report->start_wall_ns = input->now_wall_ns - (input->now_ns - report->start_ns);
	report->history_ns = input->now_ns > oldest ? input->now_ns - oldest : 0;
	report->history_bytes = samples->cap * sizeof(struct sample);
}

static size_t slice_at(const struct report *report, uint64_t time_ns)
{
	uint64_t length = report->end_ns - report->start_ns;
	return length ? (size_t)((time_ns - report->start_ns) * REPORT_TIMELINE / length)
		      : 0;
}

/* Count the samples of the range into report->stacks, the totals and the timeline. */
static void count_samples(struct report *report, const struct report_input *input)
{
	struct selection selection;
	selection_init(&selection, report);
	struct idmap places = {0};
	VEC(struct report_stack) stacks = {0};

	for (size_t i = sample_log_search(input->samples, report->start_ns);
		i < input->samples->len; i++) {
		const struct sample *sample = sample_log_at(input->samples, i);
		if (sample->time_ns >= report->end_ns)
			break;
		if (!report->request.wall && sample->state != THREAD_RUNNING)
			continue;
		struct weight weight = {
			.samples = sample->count,
			.cpu_ns = sample->cpu_ns,
			.wall_ns = report->request.wall ? sample->wall_ns : 0,
		};
		weight_add(&report->everything, &weight);
		report->timeline[slice_at(report, sample->time_ns)].sampled_cpu_ns +=
			sample->cpu_ns;
		enum selected selected = selection_has(&selection, sample);
		if (selected == SELECTED_NOT)
			continue;
		weight_add(&report->around, &weight);
		if (selected == SELECTED_AROUND)
			continue;
		weight_add(&report->total, &weight);
		uint64_t who = (uint64_t)sample->state << 32 | sample->thread;
		uint32_t *place = idmap_get(&places, who, sample->stack);
		if (place) {
			weight_add(&stacks.data[*place].weight, &weight);
			continue;
		}
		idmap_put(&places, who, sample->stack, (uint32_t)stacks.len);
		vec_push(&stacks, (struct report_stack){
					  .thread = sample->thread,
					  .stack = sample->stack,
					  .state = sample->state,
					  .weight = weight,
				  });
	}
	if (stacks.len)
		qsort(stacks.data, stacks.len, sizeof(*stacks.data),
			report_compare_stacks);
	report->stacks = stacks.data;
	report->n_stacks = stacks.len;
	idmap_finish(&places);
	selection_finish(&selection);
}

static bool is_counted(void *selection, const struct sample *sample)
{
	return selection_has(selection, sample) == SELECTED;
}

/* Of all that is kept, up to the newest record. */
static void build_timeline(struct report *report, const struct report_input *input)
{
	const struct sample_log *samples = input->samples;
	struct selection selection;
	struct timeline_input of = {
		.start_ns = report->oldest_ns,
		.end_ns = input->now_ns,
		.start_wall_ns = input->now_wall_ns - (input->now_ns - report->oldest_ns),
		.samples = samples,
		.is_time = report_value_kind(report) == VALUE_TIME,
		.counts = is_counted,
		.context = &selection,
		.marks = input->marks,
		.n_marks = input->n_marks,
		.strains = input->strains,
		.notes = input->time_marks,
		.n_notes = input->n_time_marks,
	};
	if (samples->merged || (input->origin && !input->origin->moments.len))
		return;
	if (input->n_marks) {
		of.end_ns = input->marks[input->n_marks - 1].time_ns;
		uint64_t last_ns =
			samples->len ? sample_log_at(samples, samples->len - 1)->time_ns
				     : 0;
		if (last_ns >= of.end_ns)
			of.end_ns = last_ns + 1;
	}
	selection_init(&selection, report);
	report->kept = timeline_build(&of);
	selection_finish(&selection);
}

static void count_ends(struct report *report)
{
	for (size_t i = 0; i < report->n_stacks; i++) {
		enum unwind_end end =
			stacktab_end(report->stacktab, report->stacks[i].stack);
		report->ends[end] += report->stacks[i].weight.samples;
	}
}

/* Spread the CPU time that the kernel charged between two marks over the slices between
   them. */
static void spread_marks(struct report *report, const struct report_input *input)
{
	for (size_t i = 1; i < input->n_marks; i++) {
		const struct cpu_mark *from = &input->marks[i - 1],
				      *to = &input->marks[i];
		if (to->time_ns <= report->start_ns || from->time_ns >= report->end_ns ||
			to->time_ns <= from->time_ns || to->cpu_ns < from->cpu_ns)
			continue;
		uint64_t start = from->time_ns < report->start_ns ? report->start_ns
								  : from->time_ns;
		uint64_t end =
			to->time_ns < report->end_ns ? to->time_ns : report->end_ns;
		size_t first = slice_at(report, start), last = slice_at(report, end - 1);
		double share =
			(double)(end - start) / (double)(to->time_ns - from->time_ns);
		double charged = (double)(to->cpu_ns - from->cpu_ns) * share;
		for (size_t slice = first; slice <= last; slice++)
			report->timeline[slice].kernel_cpu_ns +=
				(uint64_t)(charged / (double)(last - first + 1));
	}
}

/* The function with the most self weight in stacks[from..to), all of one thread. */
static uint32_t top_function(const struct report *report, size_t from, size_t to)
{
	struct idmap places = {0};
	VEC(struct report_function) rows = {0};
	for (size_t i = from; i < to; i++) {
		uint32_t stack = report->stacks[i].stack;
		if (stacktab_is_root(stack))
			continue;
		uint32_t leaf = stacktab_node(report->stacktab, stack)->location;
		uint32_t function = report_counted(report, leaf)->lines[0].function;
		function = profile_function(report->profile, function)->kin;
		uint32_t *place = idmap_get(&places, function, 0);
		if (!place) {
			idmap_put(&places, function, 0, (uint32_t)rows.len);
			vec_push(&rows, (struct report_function){.function = function});
			place = idmap_get(&places, function, 0);
		}
		weight_add(&rows.data[*place].self, &report->stacks[i].weight);
	}
	const struct report_function *top = rows.data;
	vec_each (&rows, row) {
		const struct weight *x = &row->self, *y = &top->self;
		uint64_t time_x = report->request.wall ? x->wall_ns : x->cpu_ns;
		uint64_t time_y = report->request.wall ? y->wall_ns : y->cpu_ns;
		if (time_x > time_y || (time_x == time_y && x->samples > y->samples))
			top = row;
	}
	uint32_t function = top ? top->function : PROFILE_NONE;
	vec_free(&rows);
	idmap_finish(&places);
	return function;
}

static int compare_threads(const void *a, const void *b, void *profile)
{
	const struct report_thread *x = a, *y = b;
	if (x->weight.cpu_ns != y->weight.cpu_ns)
		return x->weight.cpu_ns < y->weight.cpu_ns ? 1 : -1;
	pid_t tid_x = profile_thread(profile, x->thread)->tid;
	pid_t tid_y = profile_thread(profile, y->thread)->tid;
	return (tid_x > tid_y) - (tid_x < tid_y);
}

struct thread_list {
	struct idmap places; /* tid -> row */
	VEC(struct report_thread) rows;
};

static struct report_thread *listed(struct thread_list *list, pid_t tid)
{
	uint32_t *place = idmap_get(&list->places, (uint64_t)tid, 0);
	return place ? &list->rows.data[*place] : NULL;
}

static struct report_thread *list_thread(
	struct thread_list *list, pid_t tid, struct report_thread row)
{
	idmap_put(&list->places, (uint64_t)tid, 0, (uint32_t)list->rows.len);
	vec_push(&list->rows, row);
	return &list->rows.data[list->rows.len - 1];
}

/* Where each thread's time went. Time charged to neither the CPU nor the run queue was
   blocked. */
static void add_times(struct thread_list *list, const struct accounts *accounts,
	uint64_t start_ns, uint64_t end_ns)
{
	vec_each (&accounts->slices, slice) {
		struct report_thread *row = listed(list, slice->tid);
		if (!row)
			continue;
		row->cpu_ns += accounts_share(
			slice->cpu_ns, slice->from_ns, slice->to_ns, start_ns, end_ns);
		row->runq_ns += accounts_share(
			slice->runq_ns, slice->from_ns, slice->to_ns, start_ns, end_ns);
	}
	vec_each (&accounts->lives, life) {
		struct report_thread *row = listed(list, life->tid);
		if (!row)
			continue;
		uint64_t to_ns = life->to_ns ? life->to_ns : accounts->surveyed_ns;
		uint64_t length_ns = to_ns > life->from_ns ? to_ns - life->from_ns : 0;
		uint64_t lived_ns =
			accounts_share(length_ns, life->from_ns, to_ns, start_ns, end_ns);
		uint64_t busy_ns = row->cpu_ns + row->runq_ns;
		row->blocked_ns = lived_ns > busy_ns ? lived_ns - busy_ns : 0;
	}
	/* The threads that were merged. Only a recording merges threads, and it counts
	   from its beginning. */
	struct report_thread *merged = listed(list, 0);
	if (merged && accounts->merged_ns > merged->cpu_ns + merged->runq_ns)
		merged->blocked_ns =
			accounts->merged_ns - merged->cpu_ns - merged->runq_ns;
}

/* Of a file, in which one thread may have many sets of labels, and so many entries. */
static void find_top_functions(struct thread_list *list, const struct report *report)
{
	struct idmap places = {0}; /* (tid, function) -> its sum */
	VEC(uint64_t) sums = {0};
	uint64_t *best = mem_zalloc(list->rows.len * sizeof(*best));
	vec_each (&list->rows, row)
		row->top_function = PROFILE_NONE;
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		if (stacktab_is_root(stack->stack))
			continue;
		pid_t tid = profile_thread(report->profile, stack->thread)->tid;
		uint32_t leaf = stacktab_node(report->stacktab, stack->stack)->location;
		uint32_t function = report_counted(report, leaf)->lines[0].function;
		function = profile_function(report->profile, function)->kin;
		uint32_t *place = idmap_get(&places, (uint64_t)tid, function);
		if (!place) {
			idmap_put(&places, (uint64_t)tid, function, (uint32_t)sums.len);
			vec_push(&sums, 0);
			place = idmap_get(&places, (uint64_t)tid, function);
		}
		uint64_t *sum = &sums.data[*place];
		*sum += stack->weight.cpu_ns;
		struct report_thread *row = listed(list, tid);
		if (*sum > best[row - list->rows.data] ||
			row->top_function == PROFILE_NONE) {
			best[row - list->rows.data] = *sum;
			row->top_function = function;
		}
	}
	vec_free(&sums);
	idmap_finish(&places);
	free(best);
}

/* One row per tid: the threads alive, and those that were sampled. A thread that changed
   its name has several entries in the profile; the newest names the row. */
static void list_threads(struct report *report, const struct report_input *input)
{
	struct thread_list list = {0};
	for (size_t i = 0; i < input->n_alive; i++) {
		struct report_thread row = input->alive[i];
		row.weight = (struct weight){0};
		row.top_function = PROFILE_NONE;
		if (report->naming_owner)
			row.thread = naming_thread(report->naming_owner,
				&report->request.naming, row.thread);
		pid_t tid = profile_thread(report->profile, row.thread)->tid;
		list_thread(&list, tid, row);
	}
	for (size_t from = 0, to; from < report->n_stacks; from = to) {
		uint32_t thread = report->stacks[from].thread;
		struct weight weight = {0};
		for (to = from;
			to < report->n_stacks && report->stacks[to].thread == thread;
			to++)
			weight_add(&weight, &report->stacks[to].weight);
		pid_t tid = profile_thread(report->profile, thread)->tid;
		struct report_thread *row = listed(&list, tid);
		if (!row) {
			struct report_thread gone = {
				.thread = thread, .state = input->origin ? '?' : 'X'};
			row = list_thread(&list, tid, gone);
		}
		if (!input->origin)
			row->top_function = top_function(report, from, to);
		weight_add(&row->weight, &weight);
		if (thread > row->thread)
			row->thread = thread;
	}
	if (input->accounts)
		add_times(&list, input->accounts, report->start_ns, report->end_ns);
	if (input->origin)
		find_top_functions(&list, report);
	if (list.rows.len)
		qsort_r(list.rows.data, list.rows.len, sizeof(*list.rows.data),
			compare_threads, (void *)report->profile);
	report->threads = list.rows.data;
	report->n_threads = list.rows.len;
	idmap_finish(&list.places);
}

/* Exporters name the main executable even if no sample is in it. They must not search a
   table to which the analyst adds entries, so it is found here. */
static uint32_t newest_main_mapping(const struct profile *profile)
{
	for (uint32_t id = profile->mappings->len; id-- > 0;)
		if (profile_mapping(profile, id)->is_main)
			return id;
	return PROFILE_NONE;
}

struct report *report_build(
	const struct report_input *input, const struct report_request *request)
{
	struct report *report = mem_zalloc(sizeof(*report));
	report->profile = profile_ref(input->profile);
	report->naming_owner = naming_ref(input->naming);
	report->stacktab = stacktab_ref(input->stacktab);
	report->request = *request;
	if (request->zoom.names != input->profile)
		report->request.zoom.length = 0;
	report->several = input->several;
	report->origin = origin_ref(input->origin);
	report->shown_type = input->shown_type;
	if (input->naming)
		report->naming = naming_tables(input->naming, &request->naming);
	report->main_mapping = newest_main_mapping(input->profile);
	choose_range(report, input);
	if (request->timeline != TIMELINE_NONE)
		build_timeline(report, input);
	if (request->timeline != TIMELINE_ONLY)
		count_samples(report, input);
	if (request->moments)
		moments_build(report, input->samples);
	report_cut_blocks(report, input->samples);
	rewritten_apply(report);
	count_ends(report);
	spread_marks(report, input);
	report->time_marks = time_marks_between(input->time_marks, input->n_time_marks,
		report->start_ns, report->end_ns, &report->n_time_marks);
	calltree_build(report);
	list_threads(report, input);
	report->n_profile_functions = input->profile->functions->len;
	return report;
}
