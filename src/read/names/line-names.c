/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/line-names.h"

#include "src/base/clean.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/function-names.h"

#include <string.h>

/* One line of the new location. For the real function the name from the symbol table is
   kept: it distinguishes clones, and it is the name on the screen so far. */
static struct line line_of(struct profile *profile, const struct location *old,
	const struct line_answer_frame *frame, bool is_real)
{
	char file[CLEAN_MAX];
	clean_text(file, sizeof(file), frame->file, strlen(frame->file));
	struct line line = {.line = frame->line};
	const struct function *known = profile_function(profile, old->lines[0].function);
	if (is_real && (known->name[0] != '[' || !frame->name[0])) {
		struct function function = *known;
		function.file = file;
		function.start_line = frame->start_line;
		line.function = profile_intern_function(profile, &function);
	} else {
		line.function = function_mangled(profile,
			frame->name[0] ? frame->name : "[inlined]", known->module, file,
			frame->start_line);
	}
	return line;
}

static void take_answer(
	struct profile *profile, const struct line_answer *answer, struct idmap *renamed)
{
	struct line lines[LINE_FRAMES_MAX];
	const struct location *old = profile_location(profile, answer->location);
	const char *real = answer->frames[answer->n_frames - 1].name;
	for (uint32_t i = 0; i < answer->n_frames; i++) {
		const struct line_answer_frame *frame = &answer->frames[i];
		/* A part of the function that was inlined into the rest of it is no other. */
		bool is_real = i + 1 == answer->n_frames ||
			       (real[0] && strcmp(frame->name, real) == 0);
		lines[i] = line_of(profile, old, frame, is_real);
	}
	uint32_t id = profile_add_location(
		profile, old->mapping, old->address, lines, answer->n_frames);
	idmap_put(renamed, answer->location, 0, id);
}

void line_names_take(
	struct line_resolver *resolver, struct profile *profile, struct idmap *renamed)
{
	struct line_answer answer;
	while (line_resolver_take(resolver, &answer)) {
		if (answer.n_frames > 0)
			take_answer(profile, &answer, renamed);
		line_answer_finish(&answer);
	}
}
