/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/source-place.h"

static bool take(const struct report *report, const struct line *line, uint32_t function,
	struct source_at *found)
{
	const struct function *of = profile_function(report->profile, line->function);

	if (of->kin != function || of->file[0] == '\0')
		return false;
	bool by_line = report->request.naming.granularity == NAMING_LINE;
	*found = (struct source_at){of->file, by_line ? line->line : of->start_line};
	return true;
}

static bool look_at_stack(const struct report *report, uint32_t stack, uint32_t function,
	struct source_at *found)
{
	for (uint32_t node = stack; !stacktab_is_root(node);) {
		const struct stack_node *at = stacktab_node(report->stacktab, node);
		const struct location *location = report_counted(report, at->location);
		for (uint32_t i = 0; i < location->n_lines; i++)
			if (take(report, &location->lines[i], function, found))
				return true;
		node = at->parent;
	}
	return false;
}

struct source_at source_place_of(const struct report *report, uint32_t function)
{
	const struct function *own = profile_function(report->profile, function);
	struct source_at found = {own->file, own->start_line};
	bool by_line = report->request.naming.granularity == NAMING_LINE;

	if (own->file[0] != '\0' && !by_line)
		return found;
	for (size_t i = 0; i < report->n_stacks; i++)
		if (look_at_stack(report, report->stacks[i].stack, function, &found))
			break;
	return found;
}
