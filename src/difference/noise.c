/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/difference/noise.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/difference/noise-rows.h"
#include "src/difference/phases.h"
#include "src/difference/significance.h"

#include <math.h>
#include <stdlib.h>

static double chance_of(
	const struct noise_rows *rows, const struct noise_family *family, size_t place)
{
	const struct difference *difference = rows->difference;
	bool absolute = difference->normalization == NORMALIZE_NONE;
	struct counted counts[2];
	struct estimate estimates[2];
	for (int side = 0; side < 2; side++) {
		const struct noise_tally *tally =
			&family->tallies[2 * place + (size_t)side];
		size_t n = rows->n_blocks[side];
		counts[side] = (struct counted){.part = tally->part,
			.part_squares = tally->squares,
			.whole = difference->wholes[side],
			.whole_squares = rows->whole_squares[side]};
		if (!difference->by_blocks)
			continue;
		const double *blocks = family->blocks[side] + place * n;
		estimates[side] = absolute
					  ? estimate_sum(blocks, n)
					  : estimate_share(blocks, rows->wholes[side], n);
	}
	double chance = significance_by_counts(&counts[0], &counts[1], absolute);
	if (!difference->by_blocks)
		return chance;
	/* A row with a few samples may look steady from block to block by chance. */
	return fmax(chance, significance_by_blocks(&estimates[0], &estimates[1]));
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

/* What is decided together. */
struct verdicts {
	VEC(double) chances;
	VEC(struct change *) changes;
};

/* Say which changes are real, if none is more certain than LEAST_CHANCE. */
static void choose(
	const struct noise_rows *rows, struct verdicts *verdicts, double least_chance)
{
	double least = NOISE_LEAST_SHARE * rows->difference->whole;
	size_t n = verdicts->changes.len;
	bool *chosen = mem_alloc((n + 1) * sizeof(*chosen));
	for (size_t i = 0; i < n; i++)
		verdicts->chances.data[i] = fmax(verdicts->chances.data[i], least_chance);
	if (n)
		significance_choose(verdicts->chances.data, n, NOISE_FALSE_SHARE, chosen);
	for (size_t i = 0; i < n; i++) {
		struct change *change = verdicts->changes.data[i];
		change->chance = verdicts->chances.data[i];
		change->real = chosen[i] && fabs(change_of(change)) >= least;
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

/* How small a change would be overlooked, if it were one more than those that were found. */
static void say_hidden(const struct noise_rows *rows, const struct verdicts *verdicts)
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
	if (difference->normalization == NORMALIZE_NONE || !verdicts->changes.len ||
		!(samples[0] > 0) || !(samples[1] > 0))
		return;
	for (size_t i = 0; i < verdicts->changes.len; i++)
		n_found += verdicts->changes.data[i]->real;
	double n = (double)verdicts->changes.len;
	double chance = NOISE_FALSE_SHARE * fmin(n_found + 1, n) / n;
	size_t n_blocks = difference->by_blocks ? rows->n_blocks[0] : 0;
	difference->hidden_of_few =
		significance_least_change(DIFFERENCE_FEW, samples, n_blocks, chance);
	difference->hidden_of_half =
		significance_least_change(0.5, samples, n_blocks, chance);
}

/* Decide for the rows of all kinds from FIRST to LAST together. */
static void decide(struct noise_rows *rows, const struct courses *courses,
	enum noise_kind first, enum noise_kind last)
{
	struct verdicts verdicts = {0};
	for (enum noise_kind kind = first; kind <= last; kind++) {
		const struct noise_family *family = &rows->families[kind];
		for (size_t i = 0; i < family->tested.len; i++) {
			vec_push(&verdicts.changes,
				&family->changes[family->tested.data[i]]);
			vec_push(&verdicts.chances,
				fmax(chance_of(rows, family, i),
					courses_chance(courses, rows, family, i)));
		}
	}
	choose(rows, &verdicts, 0);
	if (courses->least_chance > 0) {
		size_t n_real = count_real(rows);
		choose(rows, &verdicts, courses->least_chance);
		if (first == NOISE_SELF)
			say_undecided(rows, n_real, courses->pieces);
	}
	if (first == NOISE_SELF)
		say_hidden(rows, &verdicts);
	vec_free(&verdicts.chances);
	vec_free(&verdicts.changes);
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
