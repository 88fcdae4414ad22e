#include "ui/renamed.h"

/* What is counted for a line of a location: one for all that are kin. */
static uint32_t function_at(
	const struct report *report, const struct location *location, uint32_t line)
{
	uint32_t function = location->lines[line].function;
	return profile_function(report->profile, function)->kin;
}

/* The real function is the last of a location's lines, whatever was folded. */
static void compare(struct renamed *renamed, const struct report *before,
	const struct report *now, uint32_t id)
{
	const struct location *old = report_counted(before, id),
			      *new = report_counted(now, id);
	for (uint32_t i = 1; i <= old->n_lines && i <= new->n_lines; i++) {
		uint32_t from = function_at(before, old, old->n_lines - i);
		uint32_t to = function_at(now, new, new->n_lines - i);
		if (!map_get(&renamed->ids, from, 0))
			map_put(&renamed->ids, from, 0, to);
	}
}

void renamed_init(
	struct renamed *renamed, const struct report *before, const struct report *now)
{
	struct map seen = {0}; /* (stack node, 0) */
	*renamed = (struct renamed){.ids = {0}};
	for (size_t i = 0; i < before->n_stacks; i++) {
		for (uint32_t node = before->stacks[i].stack;
			!stacktab_is_root(node) && !map_get(&seen, node, 0);
			node = stacktab_node(before->stacktab, node)->parent) {
			map_put(&seen, node, 0, 0);
			compare(renamed, before, now,
				stacktab_node(before->stacktab, node)->location);
		}
	}
	map_finish(&seen);
}

void renamed_finish(struct renamed *renamed)
{
	map_finish(&renamed->ids);
}

uint32_t renamed_function(const struct renamed *renamed, uint32_t function)
{
	const uint32_t *now = map_get(&renamed->ids, function, 0);
	return now ? *now : function;
}

void renamed_path(const struct renamed *renamed, uint32_t *path, size_t length)
{
	for (size_t i = 0; i < length; i++)
		path[i] = renamed_function(renamed, path[i]);
}
