/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/report-threads.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/facts/snapshot.h"

#include <stdlib.h>

/* The innermost of the program's own functions on STACK; what it waits for; if there is neither, the
   innermost of all. */
static uint32_t innermost_own(const struct report *report, uint32_t stack)
{
	uint32_t innermost = PROFILE_NONE;
	bool by_module = report->request.naming.granularity == NAMING_MODULE;
	for (; !stacktab_is_root(stack);
		stack = stacktab_node(report->stacktab, stack)->parent) {
		const struct location *location = report_counted(
			report, stacktab_node(report->stacktab, stack)->location);
		for (uint32_t i = 0; i < location->n_lines; i++) {
			uint32_t id = location->lines[i].function;
			const struct function *function =
				profile_function(report->profile, id);
			bool is_first = innermost == PROFILE_NONE;
			if (is_first)
				innermost = function->kin;
			if (by_module || function_is_own(function) ||
				(is_first && !function->module[0]))
				return function->kin;
		}
	}
	return innermost;
}

/* The function with the most of its own in N STACKS, all of one thread. */
static uint32_t top_function(
	const struct report *report, const struct report_stack *stacks, size_t n)
{
	struct idmap places = {0};
	VEC(struct report_function) rows = {0};
	for (size_t i = 0; i < n; i++) {
		uint32_t stack = stacks[i].stack;
		if (stacktab_is_root(stack))
			continue;
		uint32_t function = innermost_own(report, stack);
		uint32_t *place = idmap_get(&places, function, 0);
		if (!place) {
			idmap_put(&places, function, 0, (uint32_t)rows.len);
			vec_push(&rows, (struct report_function){.function = function});
			place = idmap_get(&places, function, 0);
		}
		weight_add(&rows.data[*place].self, &stacks[i].weight);
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

/* If wall clock is counted, the samples say where the time went: what is in the rows of a view
   is then what is told of the threads. */
static void add_wall_times(struct thread_list *list, const struct report *report,
	const struct sample_log *samples)
{
	for (size_t i = sample_log_search(samples, report->start_ns); i < samples->len;
		i++) {
		const struct sample *sample = sample_log_at(samples, i);
		if (sample->time_ns >= report->end_ns)
			break;
		struct report_thread *row = listed(
			list, profile_thread(report->profile, sample->thread)->tid);
		if (!row)
			continue;
		*(sample->state == THREAD_RUNNING	   ? &row->cpu_ns
			: sample->state == THREAD_RUNNABLE ? &row->runq_ns
							   : &row->blocked_ns) +=
			sample->wall_ns;
	}
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
		uint32_t function = innermost_own(report, stack->stack);
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

/* N STACKS, in the order of their threads: of those that count, or OUTSIDE. */
static void add_stacks(struct thread_list *list, const struct report *report,
	const struct report_stack *stacks, size_t n, bool outside)
{
	for (size_t from = 0, to; from < n; from = to) {
		uint32_t thread = stacks[from].thread;
		struct weight weight = {0};
		for (to = from; to < n && stacks[to].thread == thread; to++)
			weight_add(&weight, &stacks[to].weight);
		pid_t tid = profile_thread(report->profile, thread)->tid;
		struct report_thread *row = listed(list, tid);
		if (!row) {
			struct report_thread gone = {
				.thread = thread, .state = report->origin ? '?' : 'X'};
			row = list_thread(list, tid, gone);
		}
		/* Under an earlier name it was not chosen, under a later one it was. */
		if (outside && row->weight.samples > 0)
			continue;
		if (!report->origin)
			row->top_function =
				top_function(report, stacks + from, to - from);
		weight_add(outside ? &row->outside : &row->weight, &weight);
		row->is_outside = outside;
		if (thread > row->thread)
			row->thread = thread;
	}
}

/* One row per tid: the threads alive, and those that were sampled. A thread that changed
   its name has several entries in the profile; the newest names the row. */
void report_list_threads(struct report *report, const struct thread_sources *sources)
{
	struct thread_list list = {0};
	for (size_t i = 0; i < sources->n_alive; i++) {
		struct report_thread row = sources->alive[i];
		row.weight = (struct weight){0};
		row.top_function = PROFILE_NONE;
		if (report->naming_owner)
			row.thread = naming_thread(report->naming_owner,
				&report->request.naming, row.thread);
		pid_t tid = profile_thread(report->profile, row.thread)->tid;
		list_thread(&list, tid, row);
	}
	add_stacks(&list, report, report->stacks, report->n_stacks, false);
	add_stacks(&list, report, sources->outside, sources->n_outside, true);
	if (report->request.wall && !report->origin)
		add_wall_times(&list, report, sources->samples);
	else if (sources->accounts)
		add_times(&list, sources->accounts, report->start_ns, report->end_ns);
	if (report->origin)
		find_top_functions(&list, report);
	if (list.rows.len)
		qsort_r(list.rows.data, list.rows.len, sizeof(*list.rows.data),
			compare_threads, (void *)report->profile);
	report->threads = list.rows.data;
	report->n_threads = list.rows.len;
	idmap_finish(&list.places);
}
