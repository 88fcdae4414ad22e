/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines, debug files, and names that a JIT compiler writes after its code has run. */

#include "src/names/symbolizer.h"

#include "src/base/clean.h"
#include "src/names/line-resolver.h"
#include "src/names/symbolizer-internal.h"

#include <string.h>

void symbolizer_ask_lines(struct symbolizer *symbolizer)
{
	vec_each (&symbolizer->unasked, unasked)
		line_resolver_ask(symbolizer->resolver, unasked->file, unasked->vaddr,
			unasked->location);
	symbolizer->unasked.len = 0;
}

bool symbolizer_wait_lines(struct symbolizer *symbolizer, uint64_t limit_ns)
{
	return !symbolizer->resolver ||
	       (line_resolver_wait(symbolizer->resolver, limit_ns) &&
		       symbolizer->awaited.len == 0);
}

/* One line of the new location. For the real function the name from the symbol table is
   kept: it distinguishes clones, and it is the name on the screen so far. */
static struct line line_of(struct symbolizer *symbolizer, const struct location *old,
	const struct line_answer_frame *frame, bool is_real)
{
	char file[CLEAN_MAX];
	clean_text(file, sizeof(file), frame->file, strlen(frame->file));
	struct line line = {.line = frame->line};
	const struct function *known =
		profile_function(symbolizer->profile, old->lines[0].function);
	if (is_real && (known->name[0] != '[' || !frame->name[0])) {
		struct function function = *known;
		function.file = file;
		function.start_line = frame->start_line;
		line.function = profile_intern_function(symbolizer->profile, &function);
	} else {
		line.function = symbolizer_mangled(symbolizer,
			frame->name[0] ? frame->name : "[inlined]", known->module, file,
			frame->start_line);
	}
	return line;
}

static void take_answer(struct symbolizer *symbolizer, const struct line_answer *answer,
	struct map *renamed)
{
	struct line lines[LINE_FRAMES_MAX];
	const struct location *old =
		profile_location(symbolizer->profile, answer->cookie);
	for (uint32_t i = 0; i < answer->n_frames; i++)
		lines[i] = line_of(
			symbolizer, old, &answer->frames[i], i + 1 == answer->n_frames);
	uint32_t id = profile_add_location(
		symbolizer->profile, old->mapping, old->address, lines, answer->n_frames);
	map_put(renamed, answer->cookie, 0, id);
}

/* A debug file was fetched: name the locations in its code again, and ask for their
   lines. */
static void take_fetched(
	struct symbolizer *symbolizer, const struct awaited *awaited, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	uint32_t file =
		symbolizer_lines_file(symbolizer, awaited->mapping, awaited->names);
	vec_each (&awaited->places, place) {
		const struct location *old = profile_location(profile, place->location);
		const struct elf_symbol *symbol =
			code_names_symbol(awaited->names, place->vaddr);
		struct line line = old->lines[0];
		if (symbol)
			line.function =
				symbolizer_symbol(symbolizer, awaited->mapping, symbol);
		if (line.function != old->lines[0].function) {
			uint32_t now = profile_add_location(
				profile, old->mapping, old->address, &line, 1);
			map_put(renamed, place->location, 0, now);
			place->location = now;
		}
		place->file = file;
		if (file != NO_FILE)
			vec_push(&symbolizer->unasked, *place);
	}
}

static void take_files(struct symbolizer *symbolizer, struct map *renamed)
{
	size_t kept = 0;
	vec_each (&symbolizer->awaited, awaited) {
		const char *path;
		enum debug_fetch_state state = debug_fetch_ask(symbolizer->fetch,
			awaited->build_id,
			profile_mapping(symbolizer->profile, awaited->mapping)->module,
			&path);
		if (state == DEBUG_FETCH_PENDING) {
			symbolizer->awaited.data[kept++] = *awaited;
			continue;
		}
		if (state == DEBUG_FETCH_FOUND && code_names_adopt(awaited->names, path))
			take_fetched(symbolizer, awaited, renamed);
		vec_free(&awaited->places);
	}
	symbolizer->awaited.len = kept;
}

/* Look again at code without a file when its compiler has written names. */
static void take_jit_names(struct symbolizer *symbolizer, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	if (!symbolizer->jit_locations.len || !perf_map_refresh(symbolizer->perf_map))
		return;
	vec_each (&symbolizer->jit_locations, id) {
		const struct location *old = profile_location(profile, *id);
		const struct function *function =
			profile_function(profile, old->lines[0].function);
		const char *name = perf_map_find(symbolizer->perf_map, old->address);
		if (!name)
			continue;
		struct line line = {.function = symbolizer_mangled(
					    symbolizer, name, function->module, "", 0)};
		if (line.function == old->lines[0].function)
			continue;
		uint32_t now = profile_add_location(
			profile, old->mapping, old->address, &line, 1);
		if (function->name[0] == '[') /* it had none */
			map_put(renamed, *id, 0, now);
		*id = now;
	}
}

/* Remove names that were given by a mapping before it was known that libraries take turns
   at its address. */
static void take_doubts(struct symbolizer *symbolizer, struct map *renamed)
{
	struct profile *profile = symbolizer->profile;
	uint32_t mapping, n_locations = profile->locations->len;
	while (address_space_take_doubtful(symbolizer->space, &mapping))
		for (uint32_t id = 0; id < n_locations; id++) {
			const struct location *location = profile_location(profile, id);
			if (location->mapping != mapping)
				continue;
			uint64_t address = location->address;
			uint32_t nameless =
				profile_find_location(profile, PROFILE_NONE, address);
			struct line line = {.function = symbolizer_unknown(symbolizer)};
			if (nameless == PROFILE_NONE)
				nameless = profile_add_location(
					profile, PROFILE_NONE, address, &line, 1);
			map_put(renamed, id, 0, nameless);
		}
}

void symbolizer_take_lines(struct symbolizer *symbolizer, struct map *renamed)
{
	struct line_answer answer;
	while (symbolizer->resolver &&
		line_resolver_take(symbolizer->resolver, &answer)) {
		if (answer.n_frames > 0)
			take_answer(symbolizer, &answer, renamed);
		line_answer_finish(&answer);
	}
	take_files(symbolizer, renamed);
	take_jit_names(symbolizer, renamed);
	take_doubts(symbolizer, renamed);
}
