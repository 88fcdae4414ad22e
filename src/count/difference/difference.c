/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/difference.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/count/difference/noise.h"
#include "src/count/difference/union.h"

#include <math.h>

static uint64_t cpu_of(const struct weight *weight)
{
	return weight->cpu_ns;
}

static uint64_t wall_of(const struct weight *weight)
{
	return weight->wall_ns;
}

static uint64_t samples_of(const struct weight *weight)
{
	return weight->samples;
}

typedef uint64_t value_function(const struct weight *weight);

static value_function *value_of(const struct report *before, const struct report *after)
{
	if (after->request.wall)
		return wall_of;
	return before->everything.cpu_ns || after->everything.cpu_ns ? cpu_of
								     : samples_of;
}

/* Without two lengths of time nothing is known per second. */
static enum normalization possible_normalization(enum normalization normalization,
	const struct report *before, const struct report *after)
{
	bool has_lengths =
		before->end_ns > before->start_ns && after->end_ns > after->start_ns;
	return normalization == NORMALIZE_TIME && !has_lengths ? NORMALIZE_NONE
							       : normalization;
}

static double divisor_of(enum normalization normalization, const struct report *report)
{
	return normalization == NORMALIZE_CPU ? 0
	       : normalization == NORMALIZE_NONE
		       ? 1
		       : (double)(report->end_ns - report->start_ns) / NS_PER_SEC;
}

static double factor_of(const struct difference *difference)
{
	const double *wholes = difference->wholes, *per = difference->per;
	if (difference->normalization != NORMALIZE_CPU)
		return per[1] / per[0];
	return wholes[0] > 0 && wholes[1] > 0 ? wholes[1] / wholes[0] : 1;
}

/* VALUE of a node, and so on, once for every stack of both sides. */
static void add_values(struct difference *difference, const struct report_union *joined,
	value_function *value)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < joined->sides[side]->n_stacks; i++) {
			struct change *change =
				&difference->stacks[joined->rows[side][i]];
			double amount =
				(double)value(&joined->sides[side]->stacks[i].weight);
			if (side)
				change->after += amount;
			else
				change->before += amount * difference->factor;
		}
}

static void add_change(struct change *sum, const struct change *part)
{
	sum->before += part->before;
	sum->after += part->after;
}

/* Children come after their parent. */
static void add_up(struct difference *difference, const struct report_union *joined)
{
	const struct report *both = joined->both;
	for (size_t i = 0; i < both->n_stacks; i++) {
		const struct change *change = &difference->stacks[i];
		add_change(&difference->node_self[joined->leaves[i]], change);
		add_change(&difference->threads[joined->threads[i]], change);
	}
	for (size_t i = both->n_nodes; i-- > 0;) {
		add_change(&difference->node[i], &difference->node_self[i]);
		if (i)
			add_change(&difference->node[both->nodes[i].parent],
				&difference->node[i]);
	}
}

static struct change *no_changes(size_t n)
{
	struct change *changes = mem_zalloc((n + 1) * sizeof(*changes));
	for (size_t i = 0; i < n; i++)
		changes[i].chance = 1;
	return changes;
}

struct report *difference_build(struct report *before, struct report *after,
	enum normalization normalization, bool same_process)
{
	value_function *value = value_of(before, after);
	double wholes[2] = {
		(double)value(&before->everything), (double)value(&after->everything)};
	normalization = possible_normalization(normalization, before, after);
	struct difference *difference = mem_zalloc(sizeof(*difference));
	*difference = (struct difference){
		.before = report_share(before),
		.after = report_share(after),
		.normalization = normalization,
		.wholes = {wholes[0], wholes[1]},
		.per = {divisor_of(normalization, before),
			divisor_of(normalization, after)},
		.whole = wholes[1] > 0 ? wholes[1] : wholes[0],
	};
	difference->factor = factor_of(difference);
	if (normalization != NORMALIZE_CPU)
		difference->whole = fmax(wholes[0] * difference->factor, wholes[1]);

	struct report_union joined;
	report_union_init(
		&joined, before, after, same_process, value, difference->factor);
	struct report *both = joined.both;
	both->everything = (struct weight){
		.samples = before->everything.samples + after->everything.samples,
		.cpu_ns = (uint64_t)(wholes[0] * difference->factor + wholes[1] + 0.5)};
	both->everything.wall_ns = both->request.wall ? both->everything.cpu_ns : 0;
	difference->self = no_changes(both->n_functions);
	difference->total = no_changes(both->n_functions);
	difference->node = no_changes(both->n_nodes);
	difference->node_self = no_changes(both->n_nodes);
	difference->threads = no_changes(both->n_threads);
	difference->stacks = no_changes(both->n_stacks);
	both->difference = difference;
	add_values(difference, &joined, value);
	add_up(difference, &joined);
	noise_judge(difference, &joined, value);
	difference->all = difference->node[0];
	report_union_finish(&joined);
	return both;
}
