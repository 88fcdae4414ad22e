/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/difference/noise.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/difference/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNTESTED = UINT32_MAX
};

/* What is known of one row on one side. The blocks are in one array for all rows. */
struct tally {
	double part, squares;
};

/* Rows of one kind. */
struct family {
	struct change *changes;
	size_t n;
	uint32_t *places;      /* row -> its place among those tested, or UNTESTED */
	VEC(uint32_t) tested;  /* rows */
	struct tally *tallies; /* two for each tested row, the earlier side first */
	double *blocks[2];     /* n_blocks for each tested row; NULL: by counts */
};

/* A family for each kind; the rows that one stack counts for. */
enum kind {
	SELF,
	TOTAL,
	NODE,
	NODE_SELF,
	THREAD,
	KINDS
};

struct judge {
	struct difference *difference;
	const struct report_union *joined;
	uint64_t (*value)(const struct weight *weight);
	struct family families[KINDS];
	uint32_t *function_rows; /* by id of the profile of both */
	uint32_t *stamps;	 /* by function row: the last stack that it was met on */
	double whole_squares[2];
	double *wholes[2]; /* of each block */
	size_t n_blocks[2];
};

/* --- which rows ------------------------------------------------------------------------ */

/* The mean of both sides says whether a row is tested, so that a row cannot be chosen for
   its change; half of the least share, as a row that is new has all of its change on one
   side. */
static void family_init(struct family *family, const struct judge *judge,
	struct change *changes, size_t n)
{
	double least = NOISE_LEAST_SHARE / 2 * judge->difference->whole;
	*family = (struct family){.changes = changes,
		.n = n,
		.places = mem_alloc((n + 1) * sizeof(uint32_t))};
	for (size_t i = 0; i < n; i++) {
		double mean = (changes[i].before + changes[i].after) / 2;
		bool is_tested = mean > 0 && mean >= least;
		family->places[i] = is_tested ? (uint32_t)family->tested.len : UNTESTED;
		if (is_tested)
			vec_push(&family->tested, (uint32_t)i);
	}
	family->tallies = mem_zalloc((family->tested.len + 1) * 2 * sizeof(struct tally));
	for (int side = 0; side < 2; side++)
		if (judge->difference->by_blocks)
			family->blocks[side] =
				mem_zalloc((family->tested.len + 1) *
					   judge->n_blocks[side] * sizeof(double));
}

static void family_finish(struct family *family)
{
	free(family->places);
	vec_free(&family->tested);
	free(family->tallies);
	free(family->blocks[0]);
	free(family->blocks[1]);
}

/* --- adding up ------------------------------------------------------------------------- */

struct stack_facts {
	int side;
	double value, squares; /* of its samples, as if all weighed the same */
	const struct report_piece *pieces;
	size_t n_pieces;
};

static void tally_add(struct judge *judge, enum kind kind, uint32_t row,
	const struct stack_facts *facts)
{
	struct family *family = &judge->families[kind];
	uint32_t place = family->places[row];
	if (place == UNTESTED)
		return;
	struct tally *tally = &family->tallies[2 * place + (facts->side ? 1 : 0)];
	tally->part += facts->value;
	tally->squares += facts->squares;
	if (!family->blocks[facts->side])
		return;
	double *blocks = family->blocks[facts->side] +
			 (size_t)place * judge->n_blocks[facts->side];
	for (size_t i = 0; i < facts->n_pieces; i++)
		blocks[facts->pieces[i].block] +=
			(double)judge->value(&facts->pieces[i].weight);
}

/* Add to each row that the stack with this LEAF counts for. */
static void add_stack(struct judge *judge, uint32_t stamp, uint32_t leaf,
	const struct stack_facts *facts)
{
	const struct report_node *nodes = judge->joined->both->nodes;
	tally_add(judge, NODE_SELF, leaf, facts);
	if (leaf)
		tally_add(judge, SELF, judge->function_rows[nodes[leaf].function], facts);
	for (uint32_t at = leaf;; at = nodes[at].parent) {
		tally_add(judge, NODE, at, facts);
		if (at == 0)
			return;
		uint32_t row = judge->function_rows[nodes[at].function];
		if (judge->stamps[row] != stamp)
			tally_add(judge, TOTAL, row, facts);
		judge->stamps[row] = stamp;
	}
}

/* The values of functions, from those of the stacks. */
static void add_functions(struct judge *judge)
{
	const struct report_union *joined = judge->joined;
	const struct report_node *nodes = joined->both->nodes;
	struct difference *difference = judge->difference;
	for (uint32_t i = 0; i < joined->both->n_stacks; i++) {
		const struct change *change = &difference->stacks[i];
		uint32_t leaf = joined->leaves[i];
		for (uint32_t at = leaf; at != 0; at = nodes[at].parent) {
			uint32_t row = judge->function_rows[nodes[at].function];
			if (at == leaf) {
				difference->self[row].before += change->before;
				difference->self[row].after += change->after;
			}
			if (judge->stamps[row] == i + 1)
				continue;
			judge->stamps[row] = i + 1;
			difference->total[row].before += change->before;
			difference->total[row].after += change->after;
		}
	}
}

static void add_side(struct judge *judge, int side)
{
	const struct report_union *joined = judge->joined;
	const struct report *report = joined->sides[side];
	size_t piece = 0;
	memset(judge->stamps, 0, (joined->both->n_functions + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct weight *weight = &report->stacks[i].weight;
		double value = (double)judge->value(weight);
		struct stack_facts facts = {
			.side = side,
			.value = value,
			.squares = weight->samples
					   ? value * value / (double)weight->samples
					   : 0,
			.pieces = report->pieces + piece,
		};
		while (piece < report->n_pieces && report->pieces[piece].stack == i) {
			facts.n_pieces++;
			piece++;
		}
		uint32_t row = joined->rows[side][i];
		add_stack(judge, (uint32_t)i + 1, joined->leaves[row], &facts);
		tally_add(judge, THREAD, joined->threads[row], &facts);
		judge->whole_squares[side] += facts.squares;
	}
	/* What a filter has left out is part of the whole, too. */
	double counted = (double)judge->value(&report->total);
	if (counted > 0)
		judge->whole_squares[side] *= judge->difference->wholes[side] / counted;
}

/* --- deciding -------------------------------------------------------------------------- */

static double chance_of(
	const struct judge *judge, const struct family *family, size_t place)
{
	const struct difference *difference = judge->difference;
	bool absolute = difference->normalization == NORMALIZE_NONE;
	struct counted counts[2];
	struct estimate estimates[2];
	for (int side = 0; side < 2; side++) {
		const struct tally *tally = &family->tallies[2 * place + (size_t)side];
		size_t n = judge->n_blocks[side];
		counts[side] = (struct counted){.part = tally->part,
			.part_squares = tally->squares,
			.whole = difference->wholes[side],
			.whole_squares = judge->whole_squares[side]};
		if (!difference->by_blocks)
			continue;
		const double *blocks = family->blocks[side] + place * n;
		estimates[side] =
			absolute ? estimate_sum(blocks, n)
				 : estimate_share(blocks, judge->wholes[side], n);
	}
	double chance = significance_by_counts(&counts[0], &counts[1], absolute);
	if (!difference->by_blocks)
		return chance;
	/* A row with a few samples may look steady from block to block by chance. */
	return fmax(chance, significance_by_blocks(&estimates[0], &estimates[1]));
}

/* Decide for the rows of all kinds from FIRST to LAST together. */
static void decide(struct judge *judge, enum kind first, enum kind last)
{
	double least = NOISE_LEAST_SHARE * judge->difference->whole;
	VEC(double) chances = {0};
	VEC(struct change *) changes = {0};
	for (enum kind kind = first; kind <= last; kind++) {
		const struct family *family = &judge->families[kind];
		for (size_t i = 0; i < family->tested.len; i++) {
			vec_push(&changes, &family->changes[family->tested.data[i]]);
			vec_push(&chances, chance_of(judge, family, i));
		}
	}
	bool *chosen = mem_alloc((changes.len + 1) * sizeof(*chosen));
	if (changes.len)
		significance_choose(chances.data, chances.len, NOISE_FALSE_SHARE, chosen);
	for (size_t i = 0; i < changes.len; i++) {
		struct change *change = changes.data[i];
		change->chance = chances.data[i];
		change->real = chosen[i] && fabs(change_of(change)) >= least;
	}
	vec_free(&chances);
	vec_free(&changes);
	free(chosen);
}

/* The blocks of one side in which anything ran at all. */
static bool has_blocks(struct judge *judge, int side)
{
	const struct report *report = judge->joined->sides[side];
	size_t used = 0;
	judge->n_blocks[side] = report->n_blocks;
	judge->wholes[side] = mem_zalloc((report->n_blocks + 1) * sizeof(double));
	for (uint32_t i = 0; i < report->n_blocks; i++) {
		judge->wholes[side][i] = (double)judge->value(&report->blocks[i]);
		used += judge->wholes[side][i] > 0;
	}
	return used >= SIGNIFICANCE_BLOCKS;
}

static void list_functions(struct judge *judge)
{
	const struct report *both = judge->joined->both;
	uint32_t known = both->profile->functions->len;
	judge->function_rows = mem_zalloc((known + 1) * sizeof(uint32_t));
	judge->stamps = mem_zalloc((both->n_functions + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < both->n_functions; i++)
		judge->function_rows[both->functions[i].function] = (uint32_t)i;
}

void noise_judge(struct difference *difference, const struct report_union *joined,
	uint64_t (*value)(const struct weight *weight))
{
	const struct report *both = joined->both;
	struct judge judge = {.difference = difference, .joined = joined, .value = value};
	bool blocks[2] = {has_blocks(&judge, 0), has_blocks(&judge, 1)};
	difference->by_blocks = blocks[0] && blocks[1];
	list_functions(&judge);
	add_functions(&judge);
	const struct {
		struct change *changes;
		size_t n;
	} rows[KINDS] = {
		[SELF] = {difference->self, both->n_functions},
		[TOTAL] = {difference->total, both->n_functions},
		[NODE] = {difference->node, both->n_nodes},
		[NODE_SELF] = {difference->node_self, both->n_nodes},
		[THREAD] = {difference->threads, both->n_threads},
	};
	for (int kind = 0; kind < KINDS; kind++)
		family_init(
			&judge.families[kind], &judge, rows[kind].changes, rows[kind].n);
	for (int side = 0; side < 2; side++)
		add_side(&judge, side);
	decide(&judge, SELF, TOTAL); /* one screen shows both */
	decide(&judge, NODE, NODE);
	decide(&judge, NODE_SELF, NODE_SELF);
	decide(&judge, THREAD, THREAD);
	for (int kind = 0; kind < KINDS; kind++)
		family_finish(&judge.families[kind]);
	for (size_t i = 0; i < both->n_functions; i++) {
		const struct change *self = &difference->self[i];
		difference->n_real += self->real || difference->total[i].real;
		difference->largest_self =
			fmax(difference->largest_self, fabs(change_of(self)));
	}
	for (int side = 0; side < 2; side++)
		free(judge.wholes[side]);
	free(judge.function_rows);
	free(judge.stamps);
}
