/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions for the view that asks for them (screen.h). */
#include "ui/screen/screen.h"

/* A thread stands for what it does most. */
static uint32_t chosen_function(const struct screen *screen)
{
	const struct report *report = screen->report;
	if (screen->state.function != PROFILE_NONE || !report)
		return screen->state.function;
	for (size_t i = 0; screen->state.tid && i < report->n_threads; i++)
		if (profile_thread(report->profile, report->threads[i].thread)->tid ==
			screen->state.tid)
			return report->threads[i].top_function;
	return PROFILE_NONE;
}

void screen_carry_function(struct screen *screen)
{
	screen->state.reveal = chosen_function(screen);
}

void screen_show_code(struct screen *screen)
{
	uint32_t function = chosen_function(screen);
	if (function == PROFILE_NONE) {
		screen_say(screen, ROLE_WARN, "select a function first");
		return;
	}
	screen->state.reveal = function;
	screen->state.came_from = screen_view(screen)->name;
	screen->state.go_to = view_annotate.name;
}

void screen_ask_code(struct screen *screen)
{
	struct source *source = screen->source;
	const struct code_desk *code = &screen->state.code;
	if (!source->ask_assembly || code->asked.serial == screen->code_asked)
		return;
	screen->code_asked = code->asked.serial;
	source->ask_assembly(source->context, &code->asked);
}

void screen_take_code(struct screen *screen)
{
	struct source *source = screen->source;
	struct code_desk *code = &screen->state.code;
	if (!source->ask_assembly)
		return;
	struct assembly *assembly = source->take_assembly(source->context);
	struct code_lines *lines = source->take_lines(source->context);
	if (assembly) {
		assembly_destroy(code->assembly);
		code->assembly = assembly;
	}
	if (lines) {
		code_lines_destroy(code->lines);
		code->lines = lines;
	}
}
