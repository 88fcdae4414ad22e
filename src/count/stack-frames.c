/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/stack-frames.h"

#include "src/base/vec.h"

static void add(
	const struct report *report, const struct line *line, struct stack_frames *frames)
{
	uint32_t kin = profile_function(report->profile, line->function)->kin;
	if (frames->len &&
		report_joins(report, kin, frames->data[frames->len - 1].function))
		return;
	vec_push(frames, (struct stack_frame){.function = kin, .line = line->line});
}

void stack_frames_of(
	const struct report *report, uint32_t stack, struct stack_frames *frames)
{
	frames->len = 0;
	for (uint32_t node = stack; !stacktab_is_root(node);
		node = stacktab_node(report->stacktab, node)->parent) {
		const struct location *location = report_counted(
			report, stacktab_node(report->stacktab, node)->location);
		for (uint32_t i = 0; i < location->n_lines; i++)
			add(report, &location->lines[i], frames);
	}
}
