/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/cost.h"

#include "src/count/calltree.h"

#include <stdlib.h>
#include <string.h>

/* --- which function ---------------------------------------------------------------------- */

/* By line or by address, the functions of a report are parts of the described ones: find the
   one that FUNCTION is a part of. */
static uint32_t described_function(const struct report *report, uint32_t function)
{
	const struct profile *profile = report->profile;
	if (report->naming.counted == report->naming.described)
		return function;
	for (size_t i = 0; i < report->n_stacks; i++)
		for (uint32_t node = report->stacks[i].stack; !stacktab_is_root(node);
			node = stacktab_node(report->stacktab, node)->parent) {
			uint32_t id = stacktab_node(report->stacktab, node)->location;
			const struct location *counted = report_counted(report, id);
			const struct location *described = report_described(report, id);
			for (uint32_t k = 0;
				k < counted->n_lines && k < described->n_lines; k++)
				if (profile_function(profile, counted->lines[k].function)
						->kin == function)
					return profile_function(
						profile, described->lines[k].function)
						->kin;
		}
	return PROFILE_NONE;
}

/* --- counting ---------------------------------------------------------------------------- */

static struct cost_line *line_of(
	struct cost *cost, const struct profile *profile, const struct line *line)
{
	const char *file = profile_function(profile, line->function)->file;
	/* texts of a profile are the same if they are at the same address */
	uint64_t key = (uint64_t)(uintptr_t)file;
	uint32_t *known = idmap_get(&cost->line_ids, key, line->line);
	if (known)
		return &cost->lines.data[*known];
	idmap_put(&cost->line_ids, key, line->line, (uint32_t)cost->lines.len);
	vec_push(&cost->lines, (struct cost_line){.file = file, .line = line->line});
	return &cost->lines.data[cost->lines.len - 1];
}

static struct cost_place *place_of(
	struct cost *cost, const struct location *location, uint32_t id)
{
	uint32_t *known =
		idmap_get(&cost->place_ids, location->mapping, location->address);
	if (known)
		return &cost->places.data[*known];
	idmap_put(&cost->place_ids, location->mapping, location->address,
		(uint32_t)cost->places.len);
	vec_push(&cost->places, (struct cost_place){.location = id,
					.mapping = location->mapping,
					.address = location->address});
	return &cost->places.data[cost->places.len - 1];
}

/* A stack that is being counted. */
struct stack {
	const struct report *report;
	const struct weight *weight;
	size_t number; /* from 1 */
	bool is_leaf;  /* nothing of it has been met yet */
	bool is_met;   /* the function has */
};

static void count_line(struct cost *cost, const struct stack *stack,
	const struct line *line, bool is_innermost)
{
	struct cost_line *at = line_of(cost, stack->report->profile, line);
	if (is_innermost)
		weight_add(&at->self, stack->weight);
	if (at->counted != stack->number)
		weight_add(&at->total, stack->weight);
	at->counted = stack->number;
}

static void count_location(struct cost *cost, struct stack *stack, uint32_t id)
{
	const struct profile *profile = stack->report->profile;
	const struct location *location = report_described(stack->report, id);
	bool is_leaf = stack->is_leaf, found = false;
	for (uint32_t i = 0; i < location->n_lines; i++) {
		const struct line *line = &location->lines[i];
		bool is_innermost = stack->is_leaf;
		stack->is_leaf = false;
		if (profile_function(profile, line->function)->kin != cost->function)
			continue;
		if (is_innermost)
			weight_add(&cost->self, stack->weight);
		count_line(cost, stack, line, is_innermost);
		found = true;
	}
	if (!found)
		return;
	if (!stack->is_met)
		weight_add(&cost->total, stack->weight);
	stack->is_met = true;
	const struct location *code = profile_location(profile, id);
	if (code->mapping == PROFILE_NONE)
		return;
	struct cost_place *place = place_of(cost, code, id);
	if (is_leaf)
		weight_add(&place->self, stack->weight);
	if (place->counted != stack->number)
		weight_add(&place->total, stack->weight);
	place->counted = stack->number;
}

static int compare_lines(const void *left, const void *right)
{
	const struct cost_line *a = left, *b = right;
	int by_file = strcmp(a->file, b->file);
	return by_file ? by_file : a->line < b->line ? -1 : a->line > b->line;
}

static int compare_places(const void *left, const void *right)
{
	const struct cost_place *a = left, *b = right;
	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

void cost_finish(struct cost *cost)
{
	vec_free(&cost->lines);
	vec_free(&cost->places);
	idmap_finish(&cost->line_ids);
	idmap_finish(&cost->place_ids);
	*cost = (struct cost){0};
}

bool cost_count(struct cost *cost, const struct report *report, uint32_t function)
{
	cost_finish(cost);
	cost->function = PROFILE_NONE;
	if (report->request.naming.granularity == NAMING_MODULE)
		return false;
	cost->function = described_function(report, function);
	if (cost->function != PROFILE_NONE &&
		profile_function(report->profile, cost->function)->is_synthetic)
		cost->function = PROFILE_NONE;
	if (cost->function == PROFILE_NONE)
		return false;
	for (size_t i = 0; i < report->n_stacks; i++) {
		struct stack stack = {.report = report,
			.weight = &report->stacks[i].weight,
			.number = i + 1,
			.is_leaf = true};
		for (uint32_t node = report->stacks[i].stack; !stacktab_is_root(node);
			node = stacktab_node(report->stacktab, node)->parent)
			count_location(cost, &stack,
				stacktab_node(report->stacktab, node)->location);
	}
	if (cost->lines.len)
		qsort(cost->lines.data, cost->lines.len, sizeof(*cost->lines.data),
			compare_lines);
	if (cost->places.len)
		qsort(cost->places.data, cost->places.len, sizeof(*cost->places.data),
			compare_places);
	return true;
}

const struct cost_place *cost_hottest(
	const struct cost *cost, uint64_t (*metric)(const struct weight *weight))
{
	const struct cost_place *hottest = NULL;
	vec_each (&cost->places, place) {
		uint64_t self = metric(&place->self);
		uint64_t most = hottest ? metric(&hottest->self) : 0;
		if (!hottest || self > most ||
			(self == most && metric(&place->total) > metric(&hottest->total)))
			hottest = place;
	}
	return hottest;
}
