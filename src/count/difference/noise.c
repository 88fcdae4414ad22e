/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/noise.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/difference/noise-rows.h"
#include "src/count/difference/phases.h"
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
	bool absolute = difference->normalization == NORMALIZE_NONE;
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
			.whole_squares = rows->whole_squares[side]};
		if (tally->squares > 0)
			evidence.samples += tally->part * tally->part / tally->squares;
		if (!difference->by_blocks)
			continue;
		const double *blocks = family->blocks[side] + place * n;
		estimates[side] = absolute
					  ? estimate_sum(blocks, n)
					  : estimate_share(blocks, rows->wholes[side], n);
	}
	evidence.chance_by_counts =
		significance_by_counts(&counts[0], &counts[1], absolute);
	if (!difference->by_blocks)
		return evidence;
	struct estimate change = estimate_change(&estimates[0], &estimates[1]);
	evidence.change = change.value;
	evidence.spread = (struct spread_row){
		.by_counts = counted_variance(&counts[0], &counts[1], absolute),
		.by_blocks = change.variance,
		.freedom = change.freedom,
	};
	return evidence;
}

static struct phase_row phase_row_of(
	const struct noise_rows *rows, const struct noise_family *family, size_t place)
{
	struct phase_row row;
	for (int side = 0; side < 2; side++) {
		row.blocks[side] = family->blocks[side] + place * rows->n_blocks[side];
		row.parts[side] = family->tallies[2 * place + (size_t)side].part;
	}
	return row;
}

/* What the rows of a kind, none of which is part of another, do together. NULL: nothing is
   known of times. */
static struct phases *phases_of(const struct noise_rows *rows, enum noise_kind kind)
{
	const struct difference *difference = rows->difference;
	const struct noise_family *family = &rows->families[kind];
	struct phase_whole whole = {
		.scale.n_blocks = rows->n_blocks[0],
		.absolute = difference->normalization == NORMALIZE_NONE,
	};
	if (!difference->by_blocks || rows->n_blocks[0] != rows->n_blocks[1])
		return NULL;
	for (int side = 0; side < 2; side++) {
		const struct report *report = rows->joined->sides[side];
		double all = difference->wholes[side];
		if (!(all > 0) || !(rows->whole_squares[side] > 0))
			return NULL;
		whole.values[side] = all;
		whole.blocks[side] = rows->wholes[side];
		whole.scale.lengths[side] = (double)(report->end_ns - report->start_ns);
		whole.scale.samples[side] = all * all / rows->whole_squares[side];
	}
	struct phase_row *parts = mem_alloc((family->tested.len + 1) * sizeof(*parts));
	for (size_t i = 0; i < family->tested.len; i++)
		parts[i] = phase_row_of(rows, family, i);
	struct phases *phases = phases_create(&whole, parts, family->tested.len);
	free(parts);
	return phases;
}

/* Each way in which the whole is made of rows that have nothing in common. Functions that are
   inlined into one another differ by path only; paths that recursion has splintered, by
   function only. */
static const enum noise_kind partitions[] = {NOISE_SELF, NOISE_NODE_SELF, NOISE_THREAD};
enum {
	PARTITIONS = sizeof(partitions) / sizeof(partitions[0])
};

/* What is known of phases, by each partition. */
struct courses {
	struct phases *of[PARTITIONS];
	double least_chance, pieces;
};

static void courses_init(struct courses *courses, const struct noise_rows *rows)
{
	*courses = (struct courses){.pieces = INFINITY};
	for (int i = 0; i < PARTITIONS; i++) {
		struct phases *phases = phases_of(rows, partitions[i]);
		courses->of[i] = phases;
		if (!phases)
			continue;
		courses->least_chance =
			fmax(courses->least_chance, phases_least_chance(phases));
		courses->pieces = fmin(courses->pieces, phases_pieces(phases));
	}
}

static void courses_finish(struct courses *courses)
{
	for (int i = 0; i < PARTITIONS; i++)
		phases_destroy(courses->of[i]);
}

static double courses_chance(const struct courses *courses, const struct noise_rows *rows,
	const struct noise_family *family, size_t place)
{
	double chance = 0;
	for (int i = 0; i < PARTITIONS; i++)
		if (courses->of[i]) {
			struct phase_row row = phase_row_of(rows, family, place);
			chance = fmax(chance, phases_chance(courses->of[i], &row));
		}
	return chance;
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

/* Say which changes are real, if none is more certain than LEAST_CHANCE. */
static void choose(
	const struct noise_rows *rows, struct verdicts *verdicts, double least_chance)
{
	double least = NOISE_LEAST_SHARE * rows->difference->whole;
	size_t n = verdicts->tests.len;
	bool *chosen = mem_alloc((n + 1) * sizeof(*chosen));
	for (size_t i = 0; i < n; i++)
		verdicts->tests.data[i] = fmax(verdicts->tests.data[i], least_chance);
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

/* There were N_REAL changes until the PIECES were counted that there are of phases. */
static void say_undecided(const struct noise_rows *rows, size_t n_real, double pieces)
{
	struct difference *difference = rows->difference;
	difference->n_undecided = n_real - count_real(rows);
	difference->phase_ns = (uint64_t)((double)shorter_ns(rows) / pieces);
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
		if (worth > 0 && difference->normalization == NORMALIZE_CPU)
			samples[side] = fmin(samples[side], worth);
	}
	if (difference->normalization == NORMALIZE_NONE || !verdicts->rows.len ||
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
static void collect(const struct noise_rows *rows, const struct courses *courses,
	const struct noise_family *family, struct verdicts *verdicts)
{
	for (size_t i = 0; i < family->tested.len; i++) {
		struct verdict row = {
			.change = &family->changes[family->tested.data[i]],
			.tallies = &family->tallies[2 * i],
			.evidence = evidence_of(rows, family, i),
		};
		/* A row with a few samples may look steady from block to block by chance. */
		row.chance = fmax(row.evidence.chance_by_counts,
			courses_chance(courses, rows, family, i));
		vec_push(&verdicts->rows, row);
	}
}

/* Decide for the rows of all kinds from FIRST to LAST together. */
static void decide(struct noise_rows *rows, const struct courses *courses,
	enum noise_kind first, enum noise_kind last)
{
	struct verdicts verdicts = {0};
	for (enum noise_kind kind = first; kind <= last; kind++)
		collect(rows, courses, &rows->families[kind], &verdicts);
	struct spread spread = find_spread(&verdicts);
	if (rows->difference->by_blocks)
		vec_each (&verdicts.rows, row)
			row->chance = fmax(
				row->chance, spread_chance(&spread, &row->evidence.spread,
						     row->evidence.change));
	number_tests(&verdicts);
	choose(rows, &verdicts, 0);
	if (courses->least_chance > 0) {
		size_t n_real = count_real(rows);
		choose(rows, &verdicts, courses->least_chance);
		if (first == NOISE_SELF)
			say_undecided(rows, n_real, courses->pieces);
	}
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
	struct courses courses;
	courses_init(&courses, &rows);
	decide(&rows, &courses, NOISE_SELF, NOISE_TOTAL); /* one screen shows both */
	decide(&rows, &courses, NOISE_NODE, NOISE_NODE);
	decide(&rows, &courses, NOISE_NODE_SELF, NOISE_NODE_SELF);
	decide(&rows, &courses, NOISE_THREAD, NOISE_THREAD);
	courses_finish(&courses);
	difference->n_real = count_real(&rows);
	difference->unseen_ns = difference->by_blocks ? shorter_ns(&rows) / 2 : 0;
	for (size_t i = 0; i < joined->both->n_functions; i++)
		difference->largest_self = fmax(
			difference->largest_self, fabs(change_of(&difference->self[i])));
	noise_rows_finish(&rows);
}
