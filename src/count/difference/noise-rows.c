/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/noise-rows.h"

#include "src/base/mem.h"
#include "src/count/difference/significance.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNTESTED = UINT32_MAX
};

/* --- which rows ------------------------------------------------------------------------ */

/* The samples of both sides together say whether a row is tested, so that a row cannot be
   chosen for its change. Half of the least share, as a row that is new has all of its change on
   one side; so many samples that it can be told from chance at all; and of a row that is all
   there is, such as main, no share can change. */
static bool is_tested(const struct noise_rows *rows, const struct change *change)
{
	const struct difference *difference = rows->difference;
	double mean = (change->before + change->after) / 2, whole = difference->whole;
	double least = NOISE_LEAST_SHARE / 2 * whole;
	double samples =
		(change->before * rows->samples[0] + change->after * rows->samples[1]) /
		whole;
	return mean > 0 && mean >= least && samples >= NOISE_LEAST_SAMPLES &&
	       (difference->normalization != NORMALIZE_CPU || mean <= whole - least);
}

static void family_init(struct noise_family *family, const struct noise_rows *rows,
	struct change *changes, size_t n)
{
	*family = (struct noise_family){.changes = changes,
		.n = n,
		.places = mem_alloc((n + 1) * sizeof(uint32_t))};
	for (size_t i = 0; i < n; i++) {
		bool tested = is_tested(rows, &changes[i]);
		family->places[i] = tested ? (uint32_t)family->tested.len : UNTESTED;
		if (tested)
			vec_push(&family->tested, (uint32_t)i);
	}
	family->tallies =
		mem_zalloc((family->tested.len + 1) * 2 * sizeof(struct noise_tally));
	for (int side = 0; side < 2; side++)
		if (rows->difference->by_blocks)
			family->blocks[side] =
				mem_zalloc((family->tested.len + 1) *
					   rows->n_blocks[side] * sizeof(double));
}

static void family_finish(struct noise_family *family)
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

static void tally_add(struct noise_rows *rows, enum noise_kind kind, uint32_t row,
	const struct stack_facts *facts)
{
	struct noise_family *family = &rows->families[kind];
	uint32_t place = family->places[row];
	if (place == UNTESTED)
		return;
	struct noise_tally *tally = &family->tallies[2 * place + (facts->side ? 1 : 0)];
	tally->part += facts->value;
	tally->squares += facts->squares;
	if (!family->blocks[facts->side])
		return;
	double *blocks =
		family->blocks[facts->side] + (size_t)place * rows->n_blocks[facts->side];
	for (size_t i = 0; i < facts->n_pieces; i++)
		blocks[facts->pieces[i].block] +=
			(double)rows->value(&facts->pieces[i].weight);
}

/* Add to each row that the stack with this LEAF counts for. */
static void add_stack(struct noise_rows *rows, uint32_t stamp, uint32_t leaf,
	const struct stack_facts *facts)
{
	const struct report_node *nodes = rows->joined->both->nodes;
	tally_add(rows, NOISE_NODE_SELF, leaf, facts);
	if (leaf)
		tally_add(rows, NOISE_SELF, rows->function_rows[nodes[leaf].function],
			facts);
	for (uint32_t at = leaf;; at = nodes[at].parent) {
		tally_add(rows, NOISE_NODE, at, facts);
		if (at == 0)
			return;
		uint32_t row = rows->function_rows[nodes[at].function];
		if (rows->stamps[row] != stamp)
			tally_add(rows, NOISE_TOTAL, row, facts);
		rows->stamps[row] = stamp;
	}
}

/* The values of functions, from those of the stacks. */
static void add_functions(struct noise_rows *rows)
{
	const struct report_union *joined = rows->joined;
	const struct report_node *nodes = joined->both->nodes;
	struct difference *difference = rows->difference;
	for (uint32_t i = 0; i < joined->both->n_stacks; i++) {
		const struct change *change = &difference->stacks[i];
		uint32_t leaf = joined->leaves[i];
		for (uint32_t at = leaf; at != 0; at = nodes[at].parent) {
			uint32_t row = rows->function_rows[nodes[at].function];
			if (at == leaf) {
				difference->self[row].before += change->before;
				difference->self[row].after += change->after;
			}
			if (rows->stamps[row] == i + 1)
				continue;
			rows->stamps[row] = i + 1;
			difference->total[row].before += change->before;
			difference->total[row].after += change->after;
		}
	}
}

static void add_side(struct noise_rows *rows, int side)
{
	const struct report_union *joined = rows->joined;
	const struct report *report = joined->sides[side];
	size_t piece = 0;
	memset(rows->stamps, 0, (joined->both->n_functions + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct weight *weight = &report->stacks[i].weight;
		double value = (double)rows->value(weight);
		struct stack_facts facts = {
			.side = side,
			.value = value,
			.squares = weight->samples
					   ? value * value / (double)weight->samples
					   : 0,
			.pieces = report->n_pieces ? report->pieces + piece : NULL,
		};
		while (piece < report->n_pieces && report->pieces[piece].stack == i) {
			facts.n_pieces++;
			piece++;
		}
		uint32_t row = joined->rows[side][i];
		add_stack(rows, (uint32_t)i + 1, joined->leaves[row], &facts);
		tally_add(rows, NOISE_THREAD, joined->threads[row], &facts);
		rows->whole_squares[side] += facts.squares;
	}
	/* What a filter has left out is part of the whole, too. */
	double counted = (double)rows->value(&report->total);
	if (counted > 0)
		rows->whole_squares[side] *= rows->difference->wholes[side] / counted;
}

/* --- all rows -------------------------------------------------------------------------- */

/* Enough blocks of one side: of shares those in which anything ran at all. */
static bool has_blocks(struct noise_rows *rows, int side)
{
	const struct report *report = rows->joined->sides[side];
	size_t used = 0;
	rows->n_blocks[side] = report->n_blocks;
	rows->wholes[side] = mem_zalloc((report->n_blocks + 1) * sizeof(double));
	for (uint32_t i = 0; i < report->n_blocks; i++) {
		rows->wholes[side][i] = (double)rows->value(&report->blocks[i]);
		used += rows->wholes[side][i] > 0 || rows->difference->per[side] > 0;
	}
	return used >= SIGNIFICANCE_BLOCKS;
}

static void list_functions(struct noise_rows *rows)
{
	const struct report *both = rows->joined->both;
	uint32_t known = both->profile->functions->len;
	rows->function_rows = mem_zalloc((known + 1) * sizeof(uint32_t));
	rows->stamps = mem_zalloc((both->n_functions + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < both->n_functions; i++)
		rows->function_rows[both->functions[i].function] = (uint32_t)i;
}

void noise_rows_init(struct noise_rows *rows, struct difference *difference,
	const struct report_union *joined, uint64_t (*value)(const struct weight *weight))
{
	const struct report *both = joined->both;
	*rows = (struct noise_rows){
		.difference = difference, .joined = joined, .value = value};
	for (int side = 0; side < 2; side++)
		rows->samples[side] = (double)joined->sides[side]->everything.samples;
	bool blocks[2] = {has_blocks(rows, 0), has_blocks(rows, 1)};
	difference->by_blocks = blocks[0] && blocks[1];
	list_functions(rows);
	add_functions(rows);
	const struct {
		struct change *changes;
		size_t n;
	} kinds[NOISE_KINDS] = {
		[NOISE_SELF] = {difference->self, both->n_functions},
		[NOISE_TOTAL] = {difference->total, both->n_functions},
		[NOISE_NODE] = {difference->node, both->n_nodes},
		[NOISE_NODE_SELF] = {difference->node_self, both->n_nodes},
		[NOISE_THREAD] = {difference->threads, both->n_threads},
	};
	for (int kind = 0; kind < NOISE_KINDS; kind++)
		family_init(
			&rows->families[kind], rows, kinds[kind].changes, kinds[kind].n);
	for (int side = 0; side < 2; side++)
		add_side(rows, side);
}

void noise_rows_finish(struct noise_rows *rows)
{
	for (int kind = 0; kind < NOISE_KINDS; kind++)
		family_finish(&rows->families[kind]);
	for (int side = 0; side < 2; side++)
		free(rows->wholes[side]);
	free(rows->function_rows);
	free(rows->stamps);
}
