/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/report-blocks.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/facts/snapshot.h"
#include "src/keep/evened.h"

#include <stdlib.h>
#include <string.h>

static bool have_times(const struct report *report, const struct sample_log *samples)
{
	size_t first = sample_log_search(samples, report->start_ns);
	if (first >= samples->len)
		return false;
	uint64_t earliest_ns = sample_log_at(samples, first)->time_ns;
	uint64_t last_ns = sample_log_at(samples, samples->len - 1)->time_ns;
	return last_ns > earliest_ns && report->end_ns > report->start_ns;
}

/* Is the CPU time what a sample stands for, and not what it has by itself, as an allocation
   has its bytes? */
static bool is_cpu_since_last(const struct report *report)
{
	return !report->request.wall && report_value_kind(report) == VALUE_TIME &&
	       strcmp(report_value_name(report), "cpu") == 0;
}

struct report_range report_range_of(
	const struct report *report, const struct sample_log *samples, bool evens)
{
	struct report_range range = {
		.samples = samples,
		.first = sample_log_search(samples, report->start_ns),
	};
	size_t end = sample_log_search(samples, report->end_ns);
	range.n = end > range.first ? end - range.first : 0;
	if ((report->request.blocks || evens) && !samples->merged &&
		have_times(report, samples) && is_cpu_since_last(report))
		range.evened = evened_cpu_ns(samples, range.first, range.n);
	return range;
}

void report_range_finish(struct report_range *range)
{
	free(range->evened);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct report_piece *x = a, *y = b;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

/* Add up what is of the same stack and block. */
size_t report_merge_pieces(struct report_piece *pieces, size_t n)
{
	size_t kept = 0;
	if (n)
		qsort(pieces, n, sizeof(*pieces), compare_pieces);
	for (size_t i = 0; i < n; i++) {
		if (kept && compare_pieces(&pieces[kept - 1], &pieces[i]) == 0)
			weight_add(&pieces[kept - 1].weight, &pieces[i].weight);
		else
			pieces[kept++] = pieces[i];
	}
	return kept;
}

void report_cut_blocks(struct report *report, const struct report_range *range)
{
	const struct report_request *request = &report->request;
	VEC(struct report_piece) pieces = {0};
	double sum = 0, squares = 0;

	if (!request->blocks || !have_times(report, range->samples))
		return;
	double length = (double)(report->end_ns - report->start_ns);
	report->n_blocks = request->blocks;
	report->blocks = mem_zalloc(report->n_blocks * sizeof(*report->blocks));
	for (size_t i = 0; i < range->n; i++) {
		const struct sample *sample =
			sample_log_at(range->samples, range->first + i);
		if (!request->wall && sample->state != THREAD_RUNNING)
			continue;
		struct report_piece piece = {
			.block = (uint32_t)((double)(sample->time_ns - report->start_ns) /
					    length * report->n_blocks),
			.weight = {.samples = sample->count,
				.cpu_ns = report_range_cpu_ns(range, i),
				.wall_ns = request->wall ? sample->wall_ns : 0},
		};
		if (piece.block >= report->n_blocks)
			piece.block = report->n_blocks - 1;
		weight_add(&report->blocks[piece.block], &piece.weight);
		double value =
			(double)(request->wall ? sample->wall_ns : piece.weight.cpu_ns);
		sum += value;
		squares += value * value / (sample->count ? sample->count : 1);
		size_t row = report_find_stack(
			report, sample->thread, sample->stack, sample->state);
		piece.stack = (uint32_t)row;
		if (row < report->n_stacks) /* else a filter has left it out */
			vec_push(&pieces, piece);
	}
	report->n_pieces = report_merge_pieces(pieces.data, pieces.len);
	report->pieces = pieces.data;
	report->worth_samples = squares > 0 ? sum * sum / squares : 0;
}

/* Whether a sample is counted depends on its thread, its stack and its state, so it is if
   and only if the report has such a stack. */
void report_list_moments(struct report *report, const struct report_range *range)
{
	bool wall = report->request.wall || report->origin;
	VEC(struct report_moment) moments = {0};

	if (range->samples->merged)
		return;
	for (size_t i = 0; i < range->n; i++) {
		const struct sample *sample =
			sample_log_at(range->samples, range->first + i);
		size_t stack = report_find_stack(
			report, sample->thread, sample->stack, sample->state);
		if (stack == report->n_stacks)
			continue;
		vec_push(&moments,
			(struct report_moment){
				.time_ns = sample->time_ns,
				.stack = (uint32_t)stack,
				.samples = sample->count,
				.weight_ns = wall ? sample->wall_ns
						  : report_range_cpu_ns(range, i),
			});
	}
	report->moments = moments.data;
	report->n_moments = moments.len;
}
