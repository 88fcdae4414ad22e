/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/noise.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/difference/noise-rows.h"
#include "src/count/difference/significance.h"
#include "src/count/difference/spread.h"

#include <math.h>
#include <stdlib.h>

enum {
	SPREAD_LEAST_SAMPLES = 40, /* about one in each block of either side */
	HZ_MAX = 10000,		   /* as the option -F has it */
};

/* What is known of the change of one row. */
struct evidence {
	double change, samples; /* of both sides together */
	double chance_by_counts; /* that chance alone makes it, if each sample is independent */
	struct spread_row spread; /* by_blocks is 0 if there are none */
};

static struct evidence evidence_of(
	const struct noise_rows *rows, const struct noise_family *family, size_t place)
{
	const struct difference *difference = rows->difference;
	struct counted counts[2];
	struct estimate estimates[2];
	struct evidence evidence = {0};
	for (int side = 0; side < 2; side++) {
		const struct noise_tally *tally =
			&family->tallies[2 * place + (size_t)side];
		size_t n = rows->n_blocks[side];
		counts[side] = (struct counted){.part = tally->part,
			.part_squares = tally->squares,
			.whole = difference->wholes[side],
			.whole_squares = rows->whole_squares[side],
			.per = difference->per[side]};
		if (tally->squares > 0)
			evidence.samples += tally->part * tally->part / tally->squares;
		if (!difference->by_blocks)
			continue;
		const double *blocks = family->blocks[side] + place * n;
		estimates[side] = difference->per[side] > 0
					  ? estimate_sum(blocks, n, difference->per[side])
					  : estimate_share(blocks, rows->wholes[side], n);
	}
	evidence.chance_by_counts = significance_by_counts(&counts[0], &counts[1]);
	if (!difference->by_blocks)
		return evidence;
	struct estimate change = estimate_change(&estimates[0], &estimates[1]);
	evidence.change = change.value;
	evidence.spread = (struct spread_row){
		.by_counts = counted_variance(&counts[0], &counts[1]),
		.by_blocks = change.variance,
		.freedom = change.freedom,
	};
	return evidence;
}

/* A row, and the test that decides on it. */
struct verdict {
	struct change *change;
	const struct noise_tally *tallies; /* of both sides */
	struct evidence evidence;
	double chance;
	size_t test; /* index into the chances of all tests */
};

/* What is decided together. */
struct verdicts {
	VEC(struct verdict) rows;
	VEC(double) tests;
};

static int compare_numbers(double x, double y)
{
	return (x > y) - (x < y);
}

static int compare_verdicts(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;
	int order = compare_numbers(x->chance, y->chance);
	for (int side = 0; side < 2 && !order; side++) {
		order = compare_numbers(x->tallies[side].part, y->tallies[side].part);
		if (!order)
			order = compare_numbers(
				x->tallies[side].squares, y->tallies[side].squares);
	}
	return order;
}

/* Rows that are of the same samples, as a function that calls nothing by self and by total, or
   main and who calls it, are one test: each test that is added makes the others harder. */
static void number_tests(struct verdicts *verdicts)
{
	struct verdict *rows = verdicts->rows.data;
	if (verdicts->rows.len)
		qsort(rows, verdicts->rows.len, sizeof(*rows), compare_verdicts);
	for (size_t i = 0; i < verdicts->rows.len; i++) {
		if (i == 0 || compare_verdicts(&rows[i - 1], &rows[i]) != 0)
			vec_push(&verdicts->tests, rows[i].chance);
		rows[i].test = verdicts->tests.len - 1;
	}
}

static void choose(const struct noise_rows *rows, struct verdicts *verdicts)
{
	double least = NOISE_LEAST_SHARE * rows->difference->whole;
	size_t n = verdicts->tests.len;
	bool *chosen = mem_alloc((n + 1) * sizeof(*chosen));
	if (n)
		significance_choose(verdicts->tests.data, n, NOISE_FALSE_SHARE, chosen);
	vec_each (&verdicts->rows, row) {
		row->change->chance = verdicts->tests.data[row->test];
		row->change->real =
			chosen[row->test] && fabs(change_of(row->change)) >= least;
	}
	free(chosen);
}

static size_t count_real(const struct noise_rows *rows)
{
	const struct difference *difference = rows->difference;
	size_t n = 0;
	for (size_t i = 0; i < rows->joined->both->n_functions; i++)
		n += difference->self[i].real || difference->total[i].real;
	return n;
}

static uint64_t shorter_ns(const struct noise_rows *rows)
{
	uint64_t shortest_ns = UINT64_MAX;
	for (int side = 0; side < 2; side++) {
		const struct report *report = rows->joined->sides[side];
		uint64_t length_ns = report->end_ns - report->start_ns;
		shortest_ns = length_ns < shortest_ns ? length_ns : shortest_ns;
	}
	return shortest_ns;
}

/* The rate at which CPU time was sampled, that of the side with the lower one; 0: it was not. */
static double rate_of(const struct noise_rows *rows)
{
	double least_hz = INFINITY;
	for (int side = 0; side < 2; side++) {
		const struct report *report = rows->joined->sides[side];
		const struct weight *all = &report->everything;
		if (report->request.wall || !all->cpu_ns ||
			report_value_kind(report) != VALUE_TIME)
			return 0;
		least_hz = fmin(least_hz,
			(double)all->samples / (double)all->cpu_ns * NS_PER_SEC);
	}
	return least_hz;
}

static struct needed needed_of(const struct noise_rows *rows,
	const struct sensitivity *sensitivity, double share)
{
	double times = spread_samples_needed(sensitivity, share, DIFFERENCE_GOAL);
	double hz = ceil(rate_of(rows) * times / 10) * 10; /* no finer than it is known */
	return (struct needed){
		.times = times,
		.ns = (uint64_t)fmin((double)shorter_ns(rows) * times, 9e18),
		.hz = hz <= HZ_MAX ? hz : 0,
	};
}

/* How small a change would be overlooked, if it were one more than those that were found, and
   how much would be needed to find a larger one. */
static void say_hidden(const struct noise_rows *rows, const struct verdicts *verdicts,
	const struct spread *spread)
{
	struct difference *difference = rows->difference;
	double samples[2], n_found = 0;
	for (int side = 0; side < 2; side++) {
		double whole = difference->wholes[side];
		double worth = rows->joined->sides[side]->worth_samples;
		samples[side] = rows->whole_squares[side] > 0
					? whole * whole / rows->whole_squares[side]
					: 0;
		/* Known where there are times: how much samples of one stack differ. */
		if (worth > 0)
			samples[side] = fmin(samples[side], worth);
	}
	if (difference->normalization != NORMALIZE_CPU || !verdicts->rows.len ||
		!(samples[0] > 0) || !(samples[1] > 0))
		return;
	for (size_t i = 0; i < verdicts->rows.len; i++) {
		const struct verdict *row = &verdicts->rows.data[i];
		bool is_first = i == 0 || row[-1].test != row->test;
		n_found += is_first && row->change->real;
	}
	double n = (double)verdicts->tests.len;
	struct sensitivity sensitivity = {
		.samples = {samples[0], samples[1]},
		.chance = NOISE_FALSE_SHARE * fmin(n_found + 1, n) / n,
		.n_blocks = difference->by_blocks ? rows->n_blocks[0] : 0,
		.spread = *spread,
	};
	difference->hidden_of_few = spread_least_change(&sensitivity, DIFFERENCE_FEW);
	difference->hidden_of_half = spread_least_change(&sensitivity, 0.5);
	difference->needed_of_few = needed_of(rows, &sensitivity, DIFFERENCE_FEW);
	difference->needed_of_half = needed_of(rows, &sensitivity, 0.5);
}

/* How rows vary from block to block; those with few samples vary by leaps. */
static struct spread find_spread(const struct verdicts *verdicts)
{
	VEC(struct spread_row) steady = {0};
	vec_each (&verdicts->rows, row)
		if (row->evidence.samples >= SPREAD_LEAST_SAMPLES)
			vec_push(&steady, row->evidence.spread);
	struct spread spread = spread_of(steady.data, steady.len);
	vec_free(&steady);
	return spread;
}

/* Add the rows of FAMILY, with what is known of each. */
static void collect(const struct noise_rows *rows, const struct noise_family *family,
	struct verdicts *verdicts)
{
	for (size_t i = 0; i < family->tested.len; i++) {
		struct verdict row = {
			.change = &family->changes[family->tested.data[i]],
			.tallies = &family->tallies[2 * i],
			.evidence = evidence_of(rows, family, i),
		};
		/* A row with a few samples may look steady from block to block by chance. */
		row.chance = row.evidence.chance_by_counts;
		vec_push(&verdicts->rows, row);
	}
}

/* Decide for the rows of all kinds from FIRST to LAST together. */
static void decide(struct noise_rows *rows, enum noise_kind first, enum noise_kind last)
{
	struct verdicts verdicts = {0};
	for (enum noise_kind kind = first; kind <= last; kind++)
		collect(rows, &rows->families[kind], &verdicts);
	struct spread spread = find_spread(&verdicts);
	if (rows->difference->by_blocks)
		vec_each (&verdicts.rows, row)
			row->chance = fmax(
				row->chance, spread_chance(&spread, &row->evidence.spread,
						     row->evidence.change));
	number_tests(&verdicts);
	choose(rows, &verdicts);
	if (first == NOISE_SELF)
		say_hidden(rows, &verdicts, &spread);
	vec_free(&verdicts.rows);
	vec_free(&verdicts.tests);
}

void noise_judge(struct difference *difference, const struct report_union *joined,
	uint64_t (*value)(const struct weight *weight))
{
	struct noise_rows rows;
	noise_rows_init(&rows, difference, joined, value);
	decide(&rows, NOISE_SELF, NOISE_TOTAL); /* one screen shows both */
	decide(&rows, NOISE_NODE, NOISE_NODE);
	decide(&rows, NOISE_NODE_SELF, NOISE_NODE_SELF);
	decide(&rows, NOISE_THREAD, NOISE_THREAD);
	difference->n_real = count_real(&rows);
	for (size_t i = 0; i < joined->both->n_functions; i++)
		difference->largest_self = fmax(
			difference->largest_self, fabs(change_of(&difference->self[i])));
	noise_rows_finish(&rows);
}
