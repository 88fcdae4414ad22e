/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/renamed.h"

#include "src/base/strpool.h"

#include <string.h>

/* The function that the report counts for a line of a location; functions that are kin
   count as one. */
static uint32_t function_at(
	const struct report *report, const struct location *location, uint32_t line)
{
	uint32_t function = location->lines[line].function;
	return profile_function(report->profile, function)->kin;
}

/* Does function A come before B in the report? PLACES has the row of each function; a
   function without one comes last. */
static bool comes_first(const struct idmap *places, uint32_t a, uint32_t b)
{
	const uint32_t *x = idmap_get(places, a, 0), *y = idmap_get(places, b, 0);
	return x && (!y || *x < *y);
}

/* Match lines from the last on: the last line is the real function, even if inlined ones
   were folded. */
static void compare(struct renamed *renamed, const struct idmap *places,
	const struct report *before, const struct report *now, uint32_t id)
{
	const struct location *old = report_counted(before, id),
			      *new = report_counted(now, id);
	for (uint32_t i = 1; i <= old->n_lines && i <= new->n_lines; i++) {
		uint32_t from = function_at(before, old, old->n_lines - i);
		uint32_t to = function_at(now, new, new->n_lines - i);
		const uint32_t *known = idmap_get(&renamed->ids, from, 0);
		if (!known || comes_first(places, to, *known))
			idmap_put(&renamed->ids, from, 0, to);
	}
}

static void compare_stacks(
	struct renamed *renamed, const struct report *before, const struct report *now)
{
	struct idmap seen = {0};   /* (stack node, 0) */
	struct idmap places = {0}; /* (function, 0) -> index of its row */
	for (size_t i = 0; i < now->n_functions; i++)
		idmap_put(&places, now->functions[i].function, 0, (uint32_t)i);
	for (size_t i = 0; i < before->n_stacks; i++) {
		for (uint32_t node = before->stacks[i].stack;
			!stacktab_is_root(node) && !idmap_get(&seen, node, 0);
			node = stacktab_node(before->stacktab, node)->parent) {
			idmap_put(&seen, node, 0, 0);
			compare(renamed, &places, before, now,
				stacktab_node(before->stacktab, node)->location);
		}
	}
	idmap_finish(&seen);
	idmap_finish(&places);
}

static uint64_t hash(const char *text)
{
	return strpool_hash(text, strlen(text));
}

/* Several functions may have one name, if they were derived under other rules; prefer
   those that the report counts. */
static void note_name(struct renamed *renamed, const struct report *now, uint32_t id)
{
	const struct function *function = profile_function(now->profile, id);
	uint64_t name = hash(function->name), module = hash(function->module);
	if (!idmap_get(&renamed->names, name, module))
		idmap_put(&renamed->names, name, module, function->kin);
}

bool renamed_differ(const struct report *before, const struct report *now)
{
	return before->profile != now->profile ||
	       !naming_rules_same(&before->request.naming, &now->request.naming);
}

void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now)
{
	*renamed = (struct renamed){.ids = {0}};
	if (before->profile == now->profile) {
		compare_stacks(renamed, before, now);
		return;
	}
	renamed->before = before->profile;
	renamed->n_before = before->n_profile_functions;
	if (!naming_rules_same(&before->request.naming, &now->request.naming))
		/* under other rules the same name may belong to another function */
		return;
	for (size_t i = 0; i < now->n_functions; i++)
		note_name(renamed, now, now->functions[i].function);
	for (uint32_t id = 0; id < now->n_profile_functions; id++)
		note_name(renamed, now, id);
}

void renamed_finish(struct renamed *renamed)
{
	idmap_finish(&renamed->ids);
	idmap_finish(&renamed->names);
}

uint32_t renamed_function(const struct renamed *renamed, uint32_t function)
{
	if (!renamed->before) {
		const uint32_t *now = idmap_get(&renamed->ids, function, 0);
		return now ? *now : function;
	}
	if (function >= renamed->n_before) /* also PROFILE_NONE: there was no row */
		return PROFILE_NONE;
	const struct function *was = profile_function(renamed->before, function);
	const uint32_t *now =
		idmap_get(&renamed->names, hash(was->name), hash(was->module));
	return now ? *now : PROFILE_NONE;
}

size_t renamed_path(const struct renamed *renamed, uint32_t *path, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (path[i] == PROFILE_NONE) /* an "other" cell, at the end */
			continue;
		path[i] = renamed_function(renamed, path[i]);
		if (path[i] == PROFILE_NONE)
			return i;
	}
	return length;
}
