/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in debug files that are fetched, and those that a JIT compiler writes after its
   code has run; and names that turn out to be doubtful. */

#include "src/read/names/symbolizer.h"

#include "src/read/names/function-names.h"
#include "src/read/names/symbolizer-internal.h"

bool symbolizer_awaits_files(const struct symbolizer *symbolizer)
{
	return symbolizer->awaited.len > 0;
}

bool symbolizer_is_behind(const struct symbolizer *symbolizer)
{
	return perf_map_is_behind(symbolizer->perf_map);
}

/* A debug file was fetched: name the locations in its code again, and ask for their
   lines. */
static void take_fetched(struct symbolizer *symbolizer, const struct awaited *awaited,
	struct idmap *renamed)
{
	struct profile *profile = symbolizer->profile;
	uint32_t file =
		symbolizer_lines_file(symbolizer, awaited->mapping, awaited->names);
	vec_each (&awaited->questions, question) {
		const struct location *old =
			profile_location(profile, question->location);
		const struct elf_symbol *symbol =
			code_names_symbol(awaited->names, question->vaddr);
		struct line line = old->lines[0];
		if (symbol)
			line.function =
				symbolizer_symbol(symbolizer, awaited->mapping, symbol);
		if (line.function != old->lines[0].function) {
			uint32_t now = profile_add_location(
				profile, old->mapping, old->address, &line, 1);
			idmap_put(renamed, question->location, 0, now);
			question->location = now;
		}
		question->file = file;
		if (file != NO_FILE)
			line_resolver_ask(symbolizer->resolver, question);
	}
}

static void take_files(struct symbolizer *symbolizer, struct idmap *renamed)
{
	size_t kept = 0;
	vec_each (&symbolizer->awaited, awaited) {
		const char *path;
		enum wanted_state state = wanted_files_ask(symbolizer->wanted,
			awaited->build_id,
			profile_mapping(symbolizer->profile, awaited->mapping)->module,
			&path);
		if (state == WANTED_PENDING) {
			symbolizer->awaited.data[kept++] = *awaited;
			continue;
		}
		if (state == WANTED_FOUND && code_names_adopt(awaited->names, path))
			take_fetched(symbolizer, awaited, renamed);
		vec_free(&awaited->questions);
	}
	symbolizer->awaited.len = kept;
}

/* Look again at code without a file when its compiler has written names. */
static void take_jit_names(struct symbolizer *symbolizer, struct idmap *renamed)
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
		struct line line = {.function = function_mangled(symbolizer->profile,
					    name, function->module, "", 0)};
		if (line.function == old->lines[0].function)
			continue;
		uint32_t now = profile_add_location(
			profile, old->mapping, old->address, &line, 1);
		if (function->name[0] == '[') /* it had none */
			idmap_put(renamed, *id, 0, now);
		*id = now;
	}
}

/* Remove names that were given by a mapping before it was known that libraries take turns
   at its address. */
static void take_doubts(struct symbolizer *symbolizer, struct idmap *renamed)
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
			struct line line = {
				.function = function_unknown(symbolizer->profile)};
			if (nameless == PROFILE_NONE)
				nameless = profile_add_location(
					profile, PROFILE_NONE, address, &line, 1);
			idmap_put(renamed, id, 0, nameless);
		}
}

void symbolizer_rename(struct symbolizer *symbolizer, struct idmap *renamed)
{
	take_files(symbolizer, renamed);
	take_jit_names(symbolizer, renamed);
	take_doubts(symbolizer, renamed);
}

bool symbolizer_has_java(const struct symbolizer *symbolizer)
{
	return java_names_are_known(symbolizer->java);
}

uint64_t symbolizer_gone_ns(const struct symbolizer *symbolizer)
{
	return java_names_gone_ns(symbolizer->java);
}

bool symbolizer_jit_function(struct symbolizer *symbolizer, uint64_t address,
	const char **name, uint64_t *start, uint64_t *size)
{
	if (java_names_function(symbolizer->java, address, name, start, size))
		return true;
	*name = perf_map_find(symbolizer->perf_map, address);
	return *name && perf_map_range(symbolizer->perf_map, address, start, size);
}
