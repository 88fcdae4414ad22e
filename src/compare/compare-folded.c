/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A difference as folded stacks with two numbers each, before and after: what difffolded.pl
   writes and flamegraph.pl makes a red and blue picture of. */
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/compare/compare-formats.h"
#include "src/compare/compare.h"

#include <stdlib.h>
#include <string.h>

struct folded_pair {
	char *stack;
	double before, after;
};

/* A ';' would split a name in two, and the format has no escape. */
static void put_name(const char *name, FILE *out)
{
	for (; *name; name++)
		fputc(*name == ';'			 ? ':'
			: *name == '\n' || *name == '\r' ? ' '
							 : *name,
			out);
}

static char *spell(const struct report *both, const struct report_stack *stack)
{
	VEC(uint32_t) functions = {0};
	const char *thread = profile_thread(both->profile, stack->thread)->name;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (uint32_t at = stack->stack; !stacktab_is_root(at);
		at = stacktab_node(both->stacktab, at)->parent)
		vec_push(&functions, profile_location(both->profile,
					     stacktab_node(both->stacktab, at)->location)
					     ->lines[0]
					     .function);
	const char *separator = "";
	if (*thread || !both->origin) {
		put_name(thread, out);
		separator = ";";
	}
	for (size_t i = functions.len; i-- > 0; separator = ";") {
		fputs(separator, out);
		put_name(profile_function(both->profile, functions.data[i])->name, out);
	}
	vec_free(&functions);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

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
		struct folded_pair line = {
			spell(both, &both->stacks[i]), change->before, change->after};
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
