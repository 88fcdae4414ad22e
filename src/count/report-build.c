/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/report-build.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"
#include "src/count/report-blocks.h"
#include "src/count/report-threads.h"
#include "src/count/rewritten.h"
#include "src/count/selection.h"
#include "src/facts/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define NO_DATA_NS (2 * NS_PER_SEC) /* between two marks: nothing was sampled */

/* The date of TIME_NS; 0 for a file without a date. */
static uint64_t wall_of(const struct report_input *input, uint64_t time_ns)
{
	return input->now_wall_ns ? input->now_wall_ns - (input->now_ns - time_ns) : 0;
}

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
	report->start_wall_ns = wall_of(input, report->start_ns);
	report->history_ns = input->now_ns > oldest ? input->now_ns - oldest : 0;
	report->history_bytes = samples->cap * sizeof(struct sample);
}

static size_t slice_at(const struct report *report, uint64_t time_ns)
{
	uint64_t length = report->end_ns - report->start_ns;
	return length ? (size_t)((time_ns - report->start_ns) * REPORT_TIMELINE / length)
		      : 0;
}

/* Stacks while they are counted. */
struct tally {
	struct idmap places; /* (state and thread, stack) -> index */
	VEC(struct report_stack) stacks;
};

static void tally_add(
	struct tally *tally, const struct sample *sample, const struct weight *weight)
{
	uint64_t who = (uint64_t)sample->state << 32 | sample->thread;
	uint32_t *place = idmap_get(&tally->places, who, sample->stack);
	if (place) {
		weight_add(&tally->stacks.data[*place].weight, weight);
		return;
	}
	idmap_put(&tally->places, who, sample->stack, (uint32_t)tally->stacks.len);
	vec_push(&tally->stacks, (struct report_stack){
					 .thread = sample->thread,
					 .stack = sample->stack,
					 .state = sample->state,
					 .weight = *weight,
				 });
}

static void tally_end(struct tally *tally)
{
	if (tally->stacks.len)
		qsort(tally->stacks.data, tally->stacks.len, sizeof(*tally->stacks.data),
			report_compare_stacks);
	idmap_finish(&tally->places);
}

/* Count the samples of the range into report->stacks, the totals and the timeline, and those
   of threads that were not chosen into OUTSIDE. */
static void count_samples(
	struct report *report, const struct report_range *range, struct tally *outside)
{
	struct selection selection;
	selection_init(&selection, report);
	struct tally counted = {0};

	for (size_t i = 0; i < range->n; i++) {
		const struct sample *sample =
			sample_log_at(range->samples, range->first + i);
		if (!report->request.wall && sample->state != THREAD_RUNNING)
			continue;
		struct weight weight = {
			.samples = sample->count,
			.instants = sample_instants(sample),
			.cpu_ns = report_range_cpu_ns(range, i),
			.wall_ns = report->request.wall ? sample->wall_ns : 0,
		};
		weight_add(&report->everything, &weight);
		report->timeline[slice_at(report, sample->time_ns)].sampled_cpu_ns +=
			weight.cpu_ns;
		enum selected selected = selection_has_stack(&selection, sample->stack);
		if (selected == SELECTED_NOT)
			continue;
		if (!selection_has_thread(&selection, sample->thread)) {
			if (selected == SELECTED)
				tally_add(outside, sample, &weight);
			continue;
		}
		weight_add(&report->around, &weight);
		if (selected == SELECTED_AROUND)
			continue;
		weight_add(&report->total, &weight);
		tally_add(&counted, sample, &weight);
	}
	tally_end(&counted);
	tally_end(outside);
	report->stacks = counted.stacks.data;
	report->n_stacks = counted.stacks.len;
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
		.start_wall_ns = wall_of(input, report->oldest_ns),
		.samples = samples,
		.is_time = report_value_kind(report) == VALUE_TIME,
		.counts = is_counted,
		.context = &selection,
		.marks = input->marks,
		/* they are of CPU time */
		.n_marks = report_counts_event(report) ? 0 : input->n_marks,
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

/* For how long of the range there are marks, which come ten times a second while there is
   sampling; of wall clock, since it was first sampled. A file has no marks. */
static uint64_t sampled_ns(const struct report *report, const struct report_input *input)
{
	uint64_t since_ns = report->start_ns, sum_ns = 0;
	if (input->n_marks == 0 || report->end_ns <= report->start_ns)
		return report->end_ns - report->start_ns;
	if (report->request.wall && report->everything.wall_ns == 0)
		return 0;
	for (size_t i = sample_log_search(input->samples, report->start_ns);
		report->request.wall && i < input->samples->len; i++) {
		since_ns = sample_log_at(input->samples, i)->time_ns;
		if (sample_log_at(input->samples, i)->wall_ns)
			break;
	}
	for (size_t i = 1; i < input->n_marks; i++) {
		uint64_t from_ns = input->marks[i - 1].time_ns,
			 to_ns = input->marks[i].time_ns;
		if (to_ns - from_ns < NO_DATA_NS)
			sum_ns += accounts_share(to_ns - from_ns, from_ns, to_ns,
				since_ns, report->end_ns);
	}
	return sum_ns;
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

/* Exporters name the main executable even if no sample is in it. They must not search a
   table to which the analyst adds entries, so it is found here. */
static uint32_t newest_main_mapping(const struct profile *profile)
{
	for (uint32_t id = profile->mappings->len; id-- > 0;)
		if (profile_mapping(profile, id)->is_main)
			return id;
	return PROFILE_NONE;
}

static void list_threads(struct report *report, const struct report_input *input,
	const struct tally *outside)
{
	report_list_threads(report, &(struct thread_sources){
					    .alive = input->alive,
					    .n_alive = input->n_alive,
					    .samples = input->samples,
					    .accounts = input->accounts,
					    .outside = outside->stacks.data,
					    .n_outside = outside->stacks.len,
				    });
}

/* All that is said of the range itself. */
static void describe_range(struct report *report, const struct report_input *input)
{
	struct tally outside = {0};
	struct report_range range =
		report_range_of(report, input->samples, input->evens_cpu);
	count_samples(report, &range, &outside);
	report->data_ns = sampled_ns(report, input);
	if (report->request.moments)
		report_list_moments(report, &range);
	report_cut_blocks(report, &range);
	report_range_finish(&range);
	rewritten_apply(report);
	count_ends(report);
	spread_marks(report, input);
	report->time_marks = time_marks_between(input->time_marks, input->n_time_marks,
		report->start_ns, report->end_ns, &report->n_time_marks);
	list_threads(report, input, &outside);
	vec_free(&outside.stacks);
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
	if (input->event)
		report->event = *input->event;
	if (input->naming)
		report->naming = naming_tables(input->naming, &request->naming);
	report->main_mapping = newest_main_mapping(input->profile);
	choose_range(report, input);
	if (request->timeline != TIMELINE_NONE)
		build_timeline(report, input);
	if (request->timeline != TIMELINE_ONLY)
		describe_range(report, input);
	calltree_build(report); /* which has a root in any case */
	report->n_profile_functions = input->profile->functions->len;
	return report;
}
