/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/search.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNKNOWN,
	NO,
	YES
};

bool search_set(struct search *search, const char *text)
{
	char why[8];

	search_finish(search);
	search->pattern = pattern_create(text, NULL, why, sizeof(why));
	if (search->pattern)
		snprintf(search->text, sizeof(search->text), "%s", text);
	return why[0] == '\0';
}

void search_finish(struct search *search)
{
	pattern_destroy(search->pattern);
	free(search->answers);
	*search = (struct search){0};
}

static void grow_answers(struct search *search, size_t needed)
{
	if (needed <= search->n_answers)
		return;
	needed += needed / 2;
	search->answers = mem_resize(search->answers, needed, 1);
	memset(search->answers + search->n_answers, UNKNOWN, needed - search->n_answers);
	search->n_answers = needed;
}

static void ask(struct search *search, const struct report *report, uint32_t function)
{
	grow_answers(search, (size_t)function + 1);
	if (search->answers[function] != UNKNOWN)
		return;
	const char *name = profile_function(report->profile, function)->name;
	search->answers[function] = pattern_matches(search->pattern, name) ? YES : NO;
}

/* The sum over the outermost matching nodes, which includes all stacks through them. */
static struct weight sum_covered(const struct search *search, const struct report *report)
{
	struct weight sum = {0};
	bool *below = mem_zalloc(report->n_nodes); /* has an ancestor that matches */

	/* Parents come before their children. */
	for (uint32_t i = 1; i < report->n_nodes; i++) {
		const struct report_node *node = &report->nodes[i];
		bool hit = search_hit(search, node->function);
		below[i] = below[node->parent] || hit;
		if (hit && !below[node->parent]) {
			sum.samples += node->total.samples;
			sum.cpu_ns += node->total.cpu_ns;
			sum.wall_ns += node->total.wall_ns;
		}
	}
	free(below);
	return sum;
}

void search_update(struct search *search, const struct report *report)
{
	search->matches = 0;
	search->covered = (struct weight){0};
	if (!search->pattern)
		return;
	if (search->profile != report->profile && search->n_answers)
		memset(search->answers, UNKNOWN, search->n_answers);
	search->profile = report->profile;
	for (size_t i = 0; i < report->n_functions; i++) {
		ask(search, report, report->functions[i].function);
		search->matches += search_hit(search, report->functions[i].function);
	}
	search->covered = sum_covered(search, report);
}

bool search_exact_pattern(const char *name, char *text, size_t size)
{
	if (!strstr(name, "\\E") && snprintf(text, size, "^\\Q%s\\E$", name) < (int)size)
		return true;
	text[0] = '\0';
	return false;
}
