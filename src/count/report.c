/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/report.h"

#include "src/base/mem.h"
#include "src/base/pattern.h"
#include "src/count/change.h"

#include <stdlib.h>
#include <string.h>

static void destroy_difference(struct difference *difference)
{
	if (!difference)
		return;
	report_destroy(difference->before);
	report_destroy(difference->after);
	free(difference->self);
	free(difference->total);
	free(difference->node);
	free(difference->node_self);
	free(difference->threads);
	free(difference->stacks);
	free(difference);
}

void report_destroy(struct report *report)
{
	if (!report)
		return;
	if (report->shared) {
		report->shared--;
		return;
	}
	destroy_difference(report->difference);
	timeline_destroy(report->kept);
	free(report->time_marks);
	free(report->pieces);
	free(report->blocks);
	stacktab_unref(report->stacktab);
	naming_unref(report->naming_owner);
	profile_unref(report->profile);
	origin_unref(report->origin);
	free(report->functions);
	free(report->nodes);
	free(report->threads);
	free(report->stacks);
	free(report->moments);
	free(report);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct report *report = context;
	const struct report_stack *x = &report->stacks[*(const uint32_t *)a],
				  *y = &report->stacks[*(const uint32_t *)b];
	uint32_t row_x = origin_row(report->origin, x->thread, x->stack),
		 row_y = origin_row(report->origin, y->thread, y->stack);
	return (row_x > row_y) - (row_x < row_y);
}

uint32_t *report_stack_order(const struct report *report)
{
	uint32_t *order = mem_alloc((report->n_stacks + 1) * sizeof(*order));
	for (uint32_t i = 0; i < report->n_stacks; i++)
		order[i] = i;
	if (report->origin && report->n_stacks)
		qsort_r(order, report->n_stacks, sizeof(*order), compare_rows,
			(void *)report);
	return order;
}

struct report *report_share(struct report *report)
{
	report->shared++;
	return report;
}

const char *report_value_name(const struct report *report)
{
	if (report->origin)
		return report->origin->types.data[report->shown_type].type;
	return report_counts_event(report) ? report->event.name : "cpu";
}

enum value_kind report_value_kind(const struct report *report)
{
	uint64_t scale;
	if (report->origin)
		return value_kind(
			&report->origin->types.data[report->shown_type], &scale);
	return !report_counts_event(report) ? VALUE_TIME
	       : report->event.argument	    ? VALUE_BYTES
					    : VALUE_COUNT;
}

int report_compare_stacks(const void *a, const void *b)
{
	const struct report_stack *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->state > y->state) - (x->state < y->state);
}

uint32_t report_stack_ids(const struct report *report)
{
	uint32_t n = UNWIND_END_COUNT;
	for (size_t i = 0; i < report->n_stacks; i++)
		if (report->stacks[i].stack >= n)
			n = report->stacks[i].stack + 1;
	return n;
}

size_t report_find_stack(
	const struct report *report, uint32_t thread, uint32_t stack, uint32_t state)
{
	struct report_stack key = {.thread = thread, .stack = stack, .state = state};
	const struct report_stack *found =
		report->n_stacks ? bsearch(&key, report->stacks, report->n_stacks,
					   sizeof(key), report_compare_stacks)
				 : NULL;
	return found ? (size_t)(found - report->stacks) : report->n_stacks;
}

bool report_pattern_valid(const char *text, size_t *offset, char *why, size_t why_size)
{
	struct pattern *pattern = pattern_create(text, offset, why, why_size);
	bool valid = why[0] == '\0';
	pattern_destroy(pattern);
	return valid;
}

double report_complete_share(const struct report *report)
{
	uint64_t all = 0;
	for (int end = 0; end < UNWIND_END_COUNT; end++)
		all += report->ends[end];
	return all ? (double)report->ends[UNWIND_ROOT] / (double)all : 1.0;
}

struct report_thread report_process_time(const struct report *report)
{
	struct report_thread sum = {.thread = PROFILE_NONE, .top_function = PROFILE_NONE};
	for (size_t i = 0; i < report->n_threads; i++) {
		sum.cpu_ns += report->threads[i].cpu_ns;
		sum.runq_ns += report->threads[i].runq_ns;
		sum.blocked_ns += report->threads[i].blocked_ns;
	}
	return sum;
}

bool report_request_alike(const struct report_request *a, const struct report_request *b)
{
	return strcmp(a->filter, b->filter) == 0 && strcmp(a->ignore, b->ignore) == 0 &&
	       strcmp(a->module, b->module) == 0 &&
	       strcmp(a->thread_pattern, b->thread_pattern) == 0 &&
	       a->n_tids == b->n_tids &&
	       memcmp(a->tids, b->tids, a->n_tids * sizeof(a->tids[0])) == 0 &&
	       a->wall == b->wall && a->sample_type == b->sample_type &&
	       report_zoom_same(&a->zoom, &b->zoom) &&
	       naming_rules_same(&a->naming, &b->naming);
}

uint64_t report_charged_ns(const struct report *report)
{
	uint64_t sum_ns = 0;
	for (size_t i = 0; i < REPORT_TIMELINE; i++)
		sum_ns += report->timeline[i].kernel_cpu_ns;
	return sum_ns;
}

uint64_t report_begin_ns(const struct report *report)
{
	return report->origin ? report->oldest_ns : report->start_ns;
}

const struct profile_process *report_process(const struct report *report, uint32_t thread)
{
	uint32_t process = profile_thread(report->profile, thread)->process;
	return report->several && process != PROFILE_NONE
		       ? profile_process(report->profile, process)
		       : NULL;
}

bool report_zoom_same(const struct report_zoom *a, const struct report_zoom *b)
{
	return a->length == b->length &&
	       (a->length == 0 || (a->names == b->names &&
					  memcmp(a->path, b->path,
						  a->length * sizeof(a->path[0])) == 0));
}
