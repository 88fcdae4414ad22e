/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/nameless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool function_is_nameless(const struct function *function)
{
	const char *name = function->name, *module = function->module;
	size_t length = strlen(module);
	if (function->is_synthetic || name[0] != '[' || length == 0)
		return false;
	if (strcmp(name, module) == 0)
		return true;
	name++;
	return strncmp(name, module, length) == 0 &&
	       (strncmp(name + length, "+0x", 3) == 0 || strcmp(name + length, "]") == 0);
}

bool nameless_is_generated(const struct nameless_row *row)
{
	return strcmp(row->module, "[anon]") == 0 ||
	       strcmp(row->path, "/dev/zero (deleted)") == 0 ||
	       strncmp(row->path, "/memfd:", 7) == 0;
}

bool nameless_matters(const struct nameless *nameless, const struct nameless_row *row)
{
	return row->samples * 1000 >= nameless->of * NAMELESS_LEAST_PER_MILLE;
}

/* The real function at LOCATION, not an inlined one. */
static const struct function *function_at(
	const struct report *report, const struct location *location)
{
	const struct line *line = &location->lines[location->n_lines - 1];
	return profile_function(report->profile, line->function);
}

/* The module of the innermost caller of STACK's leaf that is in a file other than the
   leaf's, but the C library, which begins everything. */
static const char *runtime_of(
	const struct report *report, uint32_t stack, const char *module)
{
	for (uint32_t node = stack; !stacktab_is_root(node);) {
		const struct stack_node *at = stacktab_node(report->stacktab, node);
		const struct location *location =
			profile_location(report->profile, at->location);
		node = at->parent;
		if (location->mapping == PROFILE_NONE)
			continue;
		const struct mapping *mapping =
			profile_mapping(report->profile, location->mapping);
		if (mapping->path[0] == '/' && strcmp(mapping->module, module) != 0 &&
			strncmp(mapping->module, "libc.so.", 8) != 0)
			return mapping->module;
	}
	return "";
}

static struct nameless_row row_of(const struct mapping *mapping)
{
	struct nameless_row row = {.samples = 0};
	snprintf(row.module, sizeof(row.module), "%s", mapping->module);
	snprintf(row.path, sizeof(row.path), "%s", mapping->path);
	snprintf(row.build_id, sizeof(row.build_id), "%s", mapping->build_id);
	return row;
}

static struct nameless_row *find(struct nameless *nameless, const char *module)
{
	for (size_t i = 0; i < nameless->n_rows; i++)
		if (strncmp(nameless->rows[i].module, module, NAMELESS_MODULE_MAX - 1) ==
			0)
			return &nameless->rows[i];
	return NULL;
}

/* NULL if the rows are full; then only the sum counts the sample. */
static struct nameless_row *find_or_add(
	struct nameless *nameless, const struct nameless_row *wanted)
{
	struct nameless_row *row = find(nameless, wanted->module);
	if (row || nameless->n_rows == NAMELESS_ROWS)
		return row;
	row = &nameless->rows[nameless->n_rows++];
	*row = *wanted;
	row->samples = 0;
	return row;
}

static int most_first(const void *a, const void *b)
{
	const struct nameless_row *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->module, y->module);
}

static void sort(struct nameless *nameless)
{
	qsort(nameless->rows, nameless->n_rows, sizeof(*nameless->rows), most_first);
}

/* The location of STACK's leaf, if that is code; else NULL. */
static const struct location *leaf_of(const struct report *report, uint32_t stack)
{
	if (stacktab_is_root(stack))
		return NULL;
	const struct stack_node *leaf = stacktab_node(report->stacktab, stack);
	const struct location *location =
		profile_location(report->profile, leaf->location);
	return location->mapping == PROFILE_NONE ? NULL : location;
}

static void count(const struct report *report, const struct report_stack *stack,
	struct nameless *out)
{
	const struct location *leaf = leaf_of(report, stack->stack);
	if (!leaf || !function_is_nameless(function_at(report, leaf)))
		return;
	const struct mapping *mapping = profile_mapping(report->profile, leaf->mapping);
	struct nameless_row wanted = row_of(mapping);
	struct nameless_row *row = find_or_add(out, &wanted);
	out->samples += stack->weight.samples;
	if (!row)
		return;
	row->samples += stack->weight.samples;
	if (nameless_is_generated(row) && !row->runtime[0])
		snprintf(row->runtime, sizeof(row->runtime), "%s",
			runtime_of(report, stack->stack, row->module));
}

void nameless_of(const struct report *report, struct nameless *out)
{
	*out = (struct nameless){.n_rows = 0};
	for (size_t i = 0; i < report->n_stacks; i++) {
		out->of += report->stacks[i].weight.samples;
		if (report->stacks[i].weight.samples > 0)
			count(report, &report->stacks[i], out);
	}
	for (size_t i = 0; i < out->n_rows; i++) {
		struct nameless_row *row = &out->rows[i];
		if (!row->runtime[0] && report->main_mapping != PROFILE_NONE)
			snprintf(row->runtime, sizeof(row->runtime), "%s",
				profile_mapping(report->profile, report->main_mapping)
					->module);
	}
	for (size_t i = 0; i < report->n_stacks && out->n_rows > 0; i++) {
		const struct location *leaf = leaf_of(report, report->stacks[i].stack);
		if (!leaf || function_is_nameless(function_at(report, leaf)))
			continue;
		struct nameless_row *row = find(
			out, profile_mapping(report->profile, leaf->mapping)->module);
		if (row)
			row->has_names = true;
	}
	sort(out);
}

void nameless_add(struct nameless *sum, const struct nameless *part)
{
	sum->samples += part->samples;
	sum->of += part->of;
	for (size_t i = 0; i < part->n_rows; i++) {
		struct nameless_row *row = find_or_add(sum, &part->rows[i]);
		if (!row)
			continue;
		row->samples += part->rows[i].samples;
		row->has_names |= part->rows[i].has_names;
	}
	sort(sum);
}

/* --- what helps -------------------------------------------------------------------- */

/* How to make a runtime write /tmp/perf-PID.map, from its documentation. MODULE is how
   the module's name begins. */
static const struct {
	const char *module, *remedy;
	bool is_snapshot; /* the map lists only what was compiled when it was written */
} runtimes[] = {
	{"node", "code of V8 itself; or start it with --perf-basic-prof", false},
	{"libnode.so", "code of V8 itself; or start it with --perf-basic-prof", false},
	{"libjvm.so", "jcmd PID Compiler.perfmap (JDK 17)", true},
	{"java", "jcmd PID Compiler.perfmap (JDK 17)", true},
	{"libcoreclr.so", "start it with DOTNET_PerfMapEnabled=1 in its environment",
		false},
	{"beam.", "start it with ERL_FLAGS=\"+JPperf true\" in its environment", false},
	{"libmonosgen", "start it with --jitmap", false},
	{"mono", "start it with --jitmap", false},
};

static const char *remedy_for_generated(const struct nameless_row *row)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		size_t length = strlen(runtimes[i].module);
		const char *name = row->runtime;
		if (strncmp(name, runtimes[i].module, length) != 0)
			name = row->module;
		if (strncmp(name, runtimes[i].module, length) != 0)
			continue;
		return row->has_names && !runtimes[i].is_snapshot
			       ? "its perf map does not have it"
			       : runtimes[i].remedy;
	}
	if (row->has_names)
		return "its perf map does not have it";
	return "generated code: only what makes it can name it, in /tmp/perf-PID.map";
}

/* Is ROW of an interpreter, whose native code is nobody's script? */
static bool is_interpreter(const struct nameless_row *row)
{
	static const char *const names[] = {"php", "libphp", "python", "libpython",
		"perl", "libperl", "ruby", "libruby", "node", "libnode"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);
		if (strncmp(row->module, names[i], length) == 0 &&
			strchr("-.0123456789", row->module[length]))
			return true;
	}
	return false;
}

const char *nameless_remedy(const struct nameless_row *row)
{
	if (nameless_is_generated(row))
		return remedy_for_generated(row);
	if (row->path[0] != '/')
		return "none: the kernel's own code";
	if (strstr(row->path, " (deleted)"))
		return "deleted or replaced: restart the program";
	if (is_interpreter(row))
		return "the interpreter's own code, not a script's; its -dbgsym package "
		       "names it";
	if (!row->build_id[0])
		return "it was stripped: build it without -s, keep its symbols";
	if (strncmp(row->module, "libc.so.", 8) == 0 ||
		strncmp(row->module, "ld-linux", 8) == 0)
		return "apt install libc6-dbg, or --debuginfod with "
		       "DEBUGINFOD_URLS=https://debuginfod.elfutils.org";
	return "the -dbgsym package of its package, or --debuginfod with "
	       "DEBUGINFOD_URLS=https://debuginfod.elfutils.org";
}
