/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A difference as folded stacks with two numbers each, before and after: what difffolded.pl
   writes and flamegraph.pl makes a red and blue picture of. */
#include "src/base/vec.h"
#include "src/write/compare/compare-formats.h"
#include "src/write/compare/compare.h"
#include "src/write/folded.h"

#include <stdlib.h>
#include <string.h>

struct folded_pair {
	char *stack;
	double before, after;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct folded_pair *)a)->stack,
		((const struct folded_pair *)b)->stack);
}

bool compare_folded(const struct report *both, const struct compare_facts *facts,
	FILE *out, struct error *err)
{
	VEC(struct folded_pair) lines = {0};
	bool spelled = true;
	(void)facts;
	for (size_t i = 0; i < both->n_stacks && spelled; i++) {
		const struct change *change = &both->difference->stacks[i];
		struct folded_pair line = {folded_spell(both, &both->stacks[i]),
			change->before, change->after};
		spelled = line.stack != NULL;
		if (spelled)
			vec_push(&lines, line);
	}
	if (lines.len)
		qsort(lines.data, lines.len, sizeof(*lines.data), compare_lines);
	for (size_t i = 0; spelled && i < lines.len;) {
		const char *stack = lines.data[i].stack;
		double before = 0, after = 0;
		for (; i < lines.len && strcmp(lines.data[i].stack, stack) == 0; i++) {
			before += lines.data[i].before;
			after += lines.data[i].after;
		}
		fprintf(out, "%s %.0f %.0f\n", stack, before, after);
	}
	vec_each (&lines, line)
		free(line->stack);
	vec_free(&lines);
	return spelled || error_set(err, "out of memory");
}
