/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/union.h"

#include "src/base/id-index.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/count/calltree.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOT_MET = UINT32_MAX,
};

struct joiner {
	struct report_union *joined;
	struct profile *profile; /* of both */
	struct stacktab *stacktab;
	struct idmap locations[2]; /* a side's function -> location of both */
	uint32_t *stacks[2];	   /* a side's stack -> stack of both; NOT_MET */
	struct idmap libraries;	   /* "libx.so" -> index of NAMES */
	VEC(const char *) names;   /* "libx.so.6" */
	struct idmap threads;	   /* tid or name -> thread of both */
	const char *main_module;   /* of the later side; NULL: they are other programs */
	bool same_process;
};

/* --- what is the same ------------------------------------------------------------------ */

static const char *main_module_of(const struct report *report)
{
	return report->main_mapping == PROFILE_NONE
		       ? NULL
		       : profile_mapping(report->profile, report->main_mapping)->module;
}

/* Count the functions of REPORT's program that can tell it from others; *SHARED of them are in
   OTHER, the names of another program. */
static size_t count_names(const struct report *report, const struct idmap *other,
	struct idmap *names, struct profile *pool, size_t *shared)
{
	const char *module = main_module_of(report);
	size_t n = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct function *function =
			profile_function(report->profile, report->functions[i].function);
		const char *name = function->name;
		if (strcmp(function->module, module) != 0 || strcmp(name, "main") == 0 ||
			strcmp(name, "_start") == 0 || name[0] == '[')
			continue;
		uint64_t key = (uint64_t)(uintptr_t)profile_string(pool, name);
		n++;
		if (names)
			idmap_put(names, key, 0, 1);
		if (other && idmap_get(other, key, 0))
			++*shared;
	}
	return n;
}

/* Two builds of a program may be called otherwise; they have most functions in common. */
static bool are_one_program(
	const struct report *before, const struct report *after, struct profile *pool)
{
	const char *names[2] = {main_module_of(before), main_module_of(after)};
	struct idmap known = {0};
	size_t shared = 0;
	if (!names[0] || !names[1] || strcmp(names[0], names[1]) == 0)
		return true;
	size_t n = count_names(before, NULL, &known, pool, NULL);
	size_t m = count_names(after, &known, NULL, pool, &shared);
	idmap_finish(&known);
	return 2 * shared >= (n < m ? n : m) && shared > 0;
}

/* The module that MODULE of a side counts as: a library's version does not matter, and
   the program may have another name. */
static const char *module_of(struct joiner *joiner, int side, const char *module)
{
	const char *program = main_module_of(joiner->joined->sides[side]);
	const char *suffix = strstr(module, ".so");
	if (program && joiner->main_module && strcmp(program, module) == 0)
		return joiner->main_module;
	if (!suffix || (suffix[3] != '\0' && suffix[3] != '.'))
		return module;
	char *stem = mem_printf("%.*s", (int)(suffix + 3 - module), module);
	uint64_t key = (uint64_t)(uintptr_t)profile_string(joiner->profile, stem);
	free(stem);
	uint32_t *known = idmap_get(&joiner->libraries, key, 0);
	if (known)
		return joiner->names.data[*known];
	idmap_put(&joiner->libraries, key, 0, (uint32_t)joiner->names.len);
	vec_push(&joiner->names, profile_string(joiner->profile, module));
	return joiner->names.data[joiner->names.len - 1];
}

/* A location of both, with one line, for FUNCTION of a side. */
static uint32_t location_of(struct joiner *joiner, int side, uint32_t function)
{
	const struct profile *from = joiner->joined->sides[side]->profile;
	function = profile_function(from, function)->kin;
	uint32_t *known = idmap_get(&joiner->locations[side], function, 0);
	if (known)
		return *known;
	struct function copy = *profile_function(from, function);
	copy.system_name = copy.name;
	copy.module = module_of(joiner, side, copy.module);
	uint32_t id = profile_intern_function(joiner->profile, &copy);
	struct line line = {.function = profile_function(joiner->profile, id)->kin};
	uint32_t location =
		profile_find_location(joiner->profile, PROFILE_NONE, line.function);
	if (location == PROFILE_NONE)
		location = profile_add_location(
			joiner->profile, PROFILE_NONE, line.function, &line, 1);
	idmap_put(&joiner->locations[side], function, 0, location);
	return location;
}

static uint32_t function_at(const struct joiner *joiner, uint32_t stack)
{
	if (stacktab_is_root(stack))
		return PROFILE_NONE;
	uint32_t location = stacktab_node(joiner->stacktab, stack)->location;
	return profile_location(joiner->profile, location)->lines[0].function;
}

static uint32_t *no_stacks(const struct report *report)
{
	uint32_t n_ids = report_stack_ids(report);
	uint32_t *stacks = mem_alloc(n_ids * sizeof(*stacks));
	memset(stacks, 0xff, n_ids * sizeof(*stacks)); /* NOT_MET */
	return stacks;
}

/* One step towards the leaf, as the call tree makes it (src/count/calltree.c). */
static uint32_t step(struct joiner *joiner, int side, uint32_t stack, uint32_t function)
{
	uint32_t location = location_of(joiner, side, function);
	uint32_t callee = profile_location(joiner->profile, location)->lines[0].function;
	if (report_joins(joiner->joined->both, function_at(joiner, stack), callee))
		return stack;
	return stacktab_child(joiner->stacktab, stack, location);
}

/* The stack of both for STACK of a side: up to the nearest one that is known, and down. */
static uint32_t stack_of(struct joiner *joiner, int side, uint32_t stack)
{
	const struct report *report = joiner->joined->sides[side];
	uint32_t *known = joiner->stacks[side], at = stack;
	VEC(uint32_t) path = {0};
	for (; !stacktab_is_root(at) && known[at] == NOT_MET;
		at = stacktab_node(report->stacktab, at)->parent)
		vec_push(&path, at);
	/* the roots are the same in each table */
	uint32_t result = stacktab_is_root(at) ? at : known[at];
	while (path.len) {
		at = path.data[--path.len];
		const struct location *location = report_counted(
			report, stacktab_node(report->stacktab, at)->location);
		for (uint32_t i = location->n_lines; i-- > 0;)
			result = step(joiner, side, result, location->lines[i].function);
		known[at] = result;
	}
	vec_free(&path);
	return result;
}

/* In two processes threads have no number in common: each gets one of its name, which no
   thread has, and which is the same in the next report. */
static uint32_t thread_of(struct joiner *joiner, int side, uint32_t thread)
{
	const struct thread *from =
		profile_thread(joiner->joined->sides[side]->profile, thread);
	const char *name = profile_string(joiner->profile, from->name);
	uint64_t key =
		joiner->same_process ? (uint64_t)from->tid : (uint64_t)(uintptr_t)name;
	uint32_t *known = idmap_get(&joiner->threads, key, 0);
	if (known)
		return *known;
	pid_t tid = joiner->same_process ? from->tid
		    : *name ? -(pid_t)(strpool_hash(name, strlen(name)) % INT32_MAX) - 1
			    : 0;
	uint32_t id = profile_intern_thread(joiner->profile, tid, name);
	idmap_put(&joiner->threads, key, 0, id);
	return id;
}

/* --- the report of both ---------------------------------------------------------------- */

/* The stacks of both sides, each with the weight that it has there. */
static void join_stacks(struct joiner *joiner)
{
	struct report_union *joined = joiner->joined;
	VEC(struct report_stack) all = {0};
	for (int side = 2; side-- > 0;) { /* the names of the later one win */
		joiner->stacks[side] = no_stacks(joined->sides[side]);
		for (size_t i = 0; i < joined->sides[side]->n_stacks; i++) {
			struct report_stack stack = joined->sides[side]->stacks[i];
			stack.thread = thread_of(joiner, side, stack.thread);
			stack.stack = stack_of(joiner, side, stack.stack);
			stack.weight = (struct weight){0};
			vec_push(&all, stack);
		}
		free(joiner->stacks[side]);
	}
	struct report_stack *sorted = mem_alloc((all.len + 1) * sizeof(*sorted));
	size_t kept = 0;
	if (all.len) {
		memcpy(sorted, all.data, all.len * sizeof(*sorted));
		qsort(sorted, all.len, sizeof(*sorted), report_compare_stacks);
	}
	for (size_t i = 0; i < all.len; i++)
		if (!kept || report_compare_stacks(&sorted[kept - 1], &sorted[i]) != 0)
			sorted[kept++] = sorted[i];
	joined->both->stacks = sorted;
	joined->both->n_stacks = kept;
	size_t next = 0;
	for (int side = 2; side-- > 0;) {
		size_t n = joined->sides[side]->n_stacks;
		joined->rows[side] = mem_alloc((n + 1) * sizeof(uint32_t));
		for (size_t i = 0; i < n; i++, next++)
			joined->rows[side][i] = (uint32_t)report_find_stack(joined->both,
				all.data[next].thread, all.data[next].stack,
				all.data[next].state);
	}
	vec_free(&all);
}

static void weigh_stacks(struct report_union *joined,
	uint64_t (*value)(const struct weight *weight), double factor)
{
	struct report *both = joined->both;
	double *sums = mem_zalloc((both->n_stacks + 1) * sizeof(*sums)), carried = 0;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < joined->sides[side]->n_stacks; i++) {
			const struct weight *weight =
				&joined->sides[side]->stacks[i].weight;
			uint32_t row = joined->rows[side][i];
			both->stacks[row].weight.samples += weight->samples;
			both->stacks[row].weight.instants += weight->instants;
			sums[row] += (double)value(weight) * (side ? 1 : factor);
		}
	for (size_t i = 0; i < both->n_stacks; i++) {
		struct report_stack *stack = &both->stacks[i];
		/* what is rounded off goes to the next, so that the sums are right */
		double exact = sums[i] + carried;
		stack->weight.cpu_ns = exact > 0 ? (uint64_t)(exact + 0.5) : 0;
		carried = exact - (double)stack->weight.cpu_ns;
		if (both->request.wall)
			stack->weight.wall_ns = stack->weight.cpu_ns;
		weight_add(&both->total, &stack->weight);
		both->ends[stacktab_end(both->stacktab, stack->stack)] +=
			stack->weight.samples;
	}
	free(sums);
}

static uint32_t top_of(struct joiner *joiner, int side, uint32_t function)
{
	if (function == PROFILE_NONE)
		return PROFILE_NONE;
	uint32_t location = location_of(joiner, side, function);
	return profile_location(joiner->profile, location)->lines[0].function;
}

/* A row for each thread of either; what the kernel says of it is what it said last. */
static void join_threads(struct joiner *joiner)
{
	struct report_union *joined = joiner->joined;
	struct report *both = joined->both;
	struct idmap places = {0};
	VEC(struct report_thread) rows = {0};
	for (int side = 2; side-- > 0;) {
		const struct report *from = joined->sides[side];
		for (size_t i = 0; i < from->n_threads; i++) {
			struct report_thread row = from->threads[i];
			row.thread = thread_of(joiner, side, row.thread);
			if (idmap_get(&places, row.thread, 0))
				continue;
			row.top_function = top_of(joiner, side, row.top_function);
			row.weight = (struct weight){0};
			if (side == 0) /* gone */
				row.cpu_ns = row.runq_ns = row.blocked_ns = 0;
			if (side == 0 && row.state != '?')
				row.state = 'X';
			idmap_put(&places, row.thread, 0, (uint32_t)rows.len);
			vec_push(&rows, row);
		}
	}
	joined->threads = mem_alloc((both->n_stacks + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < both->n_stacks; i++) {
		uint32_t thread = both->stacks[i].thread;
		uint32_t *place = idmap_get(&places, thread, 0);
		joined->threads[i] = place ? *place : (uint32_t)rows.len;
		if (!place) { /* an earlier name of a thread */
			idmap_put(&places, thread, 0, (uint32_t)rows.len);
			vec_push(&rows, (struct report_thread){.thread = thread,
						.top_function = PROFILE_NONE,
						.state = '?'});
		}
		weight_add(
			&rows.data[joined->threads[i]].weight, &both->stacks[i].weight);
	}
	both->threads = rows.data;
	both->n_threads = rows.len;
	idmap_finish(&places);
}

static void node_key(const void *nodes, uint32_t id, uint64_t key[2])
{
	const struct report_node *node = &((const struct report_node *)nodes)[id];
	key[0] = node->parent;
	key[1] = node->function;
}

/* The node of each stack's leaf, down from the root. */
static void find_leaves(struct report_union *joined)
{
	const struct report *both = joined->both;
	const struct id_owner owner = {node_key, both->nodes};
	struct id_index children = {0};
	VEC(uint32_t) path = {0};
	joined->leaves = mem_zalloc((both->n_stacks + 1) * sizeof(uint32_t));
	for (uint32_t i = 1; i < both->n_nodes; i++)
		id_index_add(&children, owner, i);
	for (size_t i = 0; i < both->n_stacks; i++) {
		uint32_t at = both->stacks[i].stack, node = 0;
		path.len = 0;
		for (; !stacktab_is_root(at);
			at = stacktab_node(both->stacktab, at)->parent)
			vec_push(&path, at);
		while (path.len) {
			at = stacktab_node(both->stacktab, path.data[--path.len])
				     ->location;
			uint32_t function =
				profile_location(both->profile, at)->lines[0].function;
			id_index_find(&children, owner, node, function, &node);
		}
		joined->leaves[i] = node;
	}
	vec_free(&path);
	id_index_finish(&children);
}

static struct report *empty_report(
	const struct report *after, struct profile *profile, struct stacktab *stacktab)
{
	struct report *both = mem_zalloc(sizeof(*both));
	*both = *after;
	both->profile = profile;
	both->stacktab = stacktab;
	both->naming_owner = NULL;
	both->naming = (struct naming_tables){0};
	both->origin = origin_ref(after->origin);
	both->several = false;
	both->main_mapping = PROFILE_NONE;
	both->total = both->everything = (struct weight){0};
	memset(both->ends, 0, sizeof(both->ends));
	both->functions = NULL;
	both->nodes = NULL;
	both->threads = NULL;
	both->stacks = NULL;
	both->kept = NULL;
	both->moments = NULL;
	both->n_moments = 0;
	both->pieces = NULL;
	both->blocks = NULL;
	both->n_functions = both->n_nodes = both->n_threads = both->n_stacks = 0;
	both->n_pieces = both->n_blocks = 0;
	both->difference = NULL;
	both->time_marks = NULL; /* of one side only */
	both->n_time_marks = 0;
	both->shared = 0;
	return both;
}

void report_union_init(struct report_union *joined, const struct report *before,
	const struct report *after, bool same_process,
	uint64_t (*value)(const struct weight *weight), double factor)
{
	struct joiner joiner = {
		.joined = joined,
		.profile = profile_create(),
		.stacktab = stacktab_create(),
		.main_module = main_module_of(after),
		.same_process = same_process,
	};
	if (!are_one_program(before, after, joiner.profile))
		joiner.main_module = NULL;
	*joined = (struct report_union){
		.sides = {before, after},
		.both = empty_report(after, joiner.profile, joiner.stacktab),
	};
	join_stacks(&joiner);
	weigh_stacks(joined, value, factor);
	join_threads(&joiner);
	calltree_build(joined->both);
	joined->both->n_profile_functions = joiner.profile->functions->len;
	find_leaves(joined);
	for (int side = 0; side < 2; side++)
		idmap_finish(&joiner.locations[side]);
	idmap_finish(&joiner.libraries);
	idmap_finish(&joiner.threads);
	vec_free(&joiner.names);
}

void report_union_finish(struct report_union *joined)
{
	free(joined->rows[0]);
	free(joined->rows[1]);
	free(joined->threads);
	free(joined->leaves);
}
