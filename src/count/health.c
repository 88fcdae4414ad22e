/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The location of the outermost frame of STACK that is code, or PROFILE_NONE. */
static uint32_t outermost(const struct report *report, uint32_t stack)
{
	uint32_t found = PROFILE_NONE;
	for (uint32_t node = stack; !stacktab_is_root(node);) {
		const struct stack_node *at = stacktab_node(report->stacktab, node);
		if (profile_location(report->profile, at->location)->mapping !=
			PROFILE_NONE)
			found = at->location;
		node = at->parent;
	}
	return found;
}

/* Does STACK have frames that were not kept (src/facts/callchain.h)? */
static bool is_folded(const struct report *report, uint32_t stack)
{
	const struct profile *profile = report->profile;
	uint32_t node = stack, inner = 0;
	while (!stacktab_is_root(node) && inner++ < CALLCHAIN_LEAF)
		node = stacktab_node(report->stacktab, node)->parent;
	/* The folded frames may have one node above them: what the thread waits for. */
	for (int i = 0; i < 2 && !stacktab_is_root(node); i++) {
		const struct stack_node *at = stacktab_node(report->stacktab, node);
		const struct location *location = profile_location(profile, at->location);
		if (location->mapping == PROFILE_NONE &&
			callchain_is_fold_label(
				profile_function(profile, location->lines[0].function)
					->name))
			return true;
		node = at->parent;
	}
	return false;
}

static struct health_row row_of(
	const struct report *report, uint32_t stack, enum unwind_end end)
{
	struct health_row row = {.end = end};
	uint32_t location = outermost(report, stack);
	if (location == PROFILE_NONE)
		return row;
	const struct mapping *mapping = profile_mapping(
		report->profile, profile_location(report->profile, location)->mapping);
	snprintf(row.module, sizeof(row.module), "%s", mapping->module);
	/* A memfd counts as deleted for the kernel. */
	bool is_memory = strncmp(mapping->path, "/memfd:", 7) == 0;
	row.is_generated = is_memory || row.module[0] == '[';
	row.is_deleted = !is_memory && strstr(mapping->path, " (deleted)") != NULL;
	if (row.is_generated && report->main_mapping != PROFILE_NONE)
		snprintf(row.runtime, sizeof(row.runtime), "%s",
			profile_mapping(report->profile, report->main_mapping)->module);
	return row;
}

static bool same(const struct health_row *a, const struct health_row *b)
{
	return a->end == b->end && a->is_deleted == b->is_deleted &&
	       strcmp(a->module, b->module) == 0;
}

/* If the rows are full, count the stack in `others`. Stacks that break in so many files
   usually have one common cause, which the rows show. */
static void add_row(struct health *health, const struct health_row *row, uint64_t samples)
{
	size_t i = 0;
	while (i < health->n_rows && !same(&health->rows[i], row))
		i++;
	if (i == HEALTH_ROWS) {
		health->others += samples;
		return;
	}
	if (i == health->n_rows) {
		health->rows[health->n_rows++] = *row;
		health->rows[i].samples = 0;
	}
	health->rows[i].samples += samples;
}

static int most_first(const void *a, const void *b)
{
	const struct health_row *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	int order = strcmp(x->module, y->module);
	return order ? order : (int)x->end - (int)y->end;
}

static void sort(struct health *health)
{
	qsort(health->rows, health->n_rows, sizeof(*health->rows), most_first);
}

void health_of(const struct report *report, struct health *out)
{
	*out = (struct health){.n_rows = 0};
	memcpy(out->ends, report->ends, sizeof(out->ends));
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		enum unwind_end end = stacktab_end(report->stacktab, stack->stack);
		if (is_folded(report, stack->stack))
			out->folded += stack->weight.samples;
		if (end == UNWIND_ROOT || end == UNWIND_GUESSED ||
			stack->weight.samples == 0)
			continue;
		struct health_row row = row_of(report, stack->stack, end);
		add_row(out, &row, stack->weight.samples);
	}
	sort(out);
}

void health_add(struct health *sum, const struct health *part)
{
	for (int end = 0; end < UNWIND_END_COUNT; end++)
		sum->ends[end] += part->ends[end];
	for (size_t i = 0; i < part->n_rows; i++)
		add_row(sum, &part->rows[i], part->rows[i].samples);
	sum->others += part->others;
	sum->folded += part->folded;
	sort(sum);
}

uint64_t health_stacks(const struct health *health)
{
	uint64_t stacks = 0;
	for (int end = 0; end < UNWIND_END_COUNT; end++)
		stacks += health->ends[end];
	return stacks;
}

uint64_t health_broken(const struct health *health)
{
	return health_stacks(health) - health->ends[UNWIND_ROOT] -
	       health->ends[UNWIND_GUESSED];
}

/* What makes the code that a runtime generates have frame pointers, or be none, from its
   documentation. EXECUTABLE is how the name of its executable begins. */
static const struct {
	const char *executable, *remedy;
} runtimes[] = {
	{"beam.", "start it with ERL_FLAGS=\"+JPperf true\" in its environment"},
	{"java", "start it with -XX:+PreserveFramePointer"},
	{"luajit", "none; started with -joff, it generates no code"},
	{"pypy3", "none; started with --jit off, it generates no code"},
	{"guile", "none; with GUILE_JIT_THRESHOLD=-1 in its environment it generates no "
		  "code"},
};

static const char *generated_remedy(const struct health_row *row)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (strncmp(row->runtime, runtimes[i].executable,
			    strlen(runtimes[i].executable)) == 0)
			return runtimes[i].remedy;
	return "java: -XX:+PreserveFramePointer; others: keep frame pointers";
}

const char *health_reason(const struct health_row *row)
{
	if (row->is_deleted && row->end == UNWIND_NO_CFI)
		return "deleted or replaced, and not readable";
	switch (row->end) {
	case UNWIND_TRUNCATED:
		return "stack deeper than the copy";
	case UNWIND_NO_CFI:
		return row->is_generated ? "generated code without frame pointers"
					 : "no .eh_frame, and its code does not tell";
	case UNWIND_BAD_MEMORY:
		return "stack goes on elsewhere, or not as .eh_frame says";
	case UNWIND_NO_REGISTER:
		return row->is_generated
			       ? "generated code that lost the frame pointer"
			       : "frame pointer not known (mostly where a thread sleeps)";
	case UNWIND_CYCLE:
		return "stack or .eh_frame damaged";
	case UNWIND_TOO_DEEP:
		return "more than 262144 frames";
	case UNWIND_FOREIGN:
		return "32-bit code";
	case UNWIND_CHANGED:
		return "libraries came and went at one address";
	case UNWIND_ELSEWHERE:
		return "goes on on another stack, which was not found";
	case UNWIND_NOT_READ:
		return "its threads kept us waiting for its memory (mmap, munmap)";
	case UNWIND_ROOT:
	case UNWIND_GUESSED:
	case UNWIND_END_COUNT:
		break;
	}
	return "";
}

const char *health_remedy(const struct health_row *row)
{
	if (row->is_deleted && row->end == UNWIND_NO_CFI)
		return "restart the program, or run cproftop as root";
	switch (row->end) {
	case UNWIND_TRUNCATED:
		return "if many, raise --stack-bytes";
	case UNWIND_NO_CFI:
		return row->is_generated ? generated_remedy(row)
					 : "build it with -fasynchronous-unwind-tables";
	case UNWIND_BAD_MEMORY:
		return "none known; cproftop dump shows one such stack";
	case UNWIND_NO_REGISTER:
		return row->is_generated
			       ? "none known, but it should be rare"
			       : "build it with -fomit-frame-pointer, or count -m cpu";
	case UNWIND_CYCLE:
		return "none; the program or its file is damaged";
	case UNWIND_TOO_DEEP:
		return "none; its innermost frames are right";
	case UNWIND_FOREIGN:
		return "none; 32-bit programs are not supported";
	case UNWIND_CHANGED:
		return "none; a wrong name would be worse";
	case UNWIND_ELSEWHERE:
		return "none known; cproftop dump shows one such stack";
	case UNWIND_NOT_READ:
		return "--engine perf need not wait";
	case UNWIND_ROOT:
	case UNWIND_GUESSED:
	case UNWIND_END_COUNT:
		break;
	}
	return "";
}
