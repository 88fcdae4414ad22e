/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/scripts.h"

#include "src/base/ask-opener.h"
#include "src/base/clean.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/runtimes/python/python.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scripts {
	struct address_space *space;
	struct symbolizer *symbolizer;
	struct profile *profile;
	struct ring *ring;
	struct python *python;
	struct recipe recipe;
	struct idmap functions; /* (number of a code object, 0) -> function, and */
	struct idmap places;	/* (function, line) -> location; of this profile */
	struct python_stack stack;
};

struct scripts *scripts_create(struct address_space *space, struct symbolizer *symbolizer,
	struct profile *profile, struct ring *ring)
{
	struct scripts *scripts = mem_zalloc(sizeof(*scripts));
	scripts->space = space;
	scripts->symbolizer = symbolizer;
	scripts->profile = profile;
	scripts->ring = ring;
	scripts->python = python_create(space);
	return scripts;
}

void scripts_renew(struct scripts *scripts, struct profile *profile)
{
	scripts->profile = profile;
	idmap_clear(&scripts->functions);
	idmap_clear(&scripts->places);
}

void scripts_exec(struct scripts *scripts)
{
	scripts_renew(scripts, scripts->profile);
	python_exec(scripts->python);
	scripts->recipe = (struct recipe){.n_areas = 0};
	recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
}

void scripts_destroy(struct scripts *scripts)
{
	if (!scripts)
		return;
	python_destroy(scripts->python);
	idmap_finish(&scripts->functions);
	idmap_finish(&scripts->places);
	free(scripts);
}

void scripts_refresh(struct scripts *scripts, uint64_t now_ns)
{
	if (python_prepare(scripts->python, now_ns, &scripts->recipe))
		recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
}

/* --- functions -------------------------------------------------------------------------- */

/* A script is often called by a path from where it was started. */
static char *whole_path(const struct scripts *scripts, const char *file)
{
	char folder[CLEAN_MAX], clean[CLEAN_MAX];
	if (file[0] == '/' || file[0] == '<' || file[0] == '\0')
		return mem_strdup(file[0] == '/' ? file : "");
	const struct proc_dir *dir = address_space_proc_dir(scripts->space);
	ssize_t length = ask_opener_link(dir->fd, "cwd", folder, sizeof(folder) - 1);
	if (length <= 0 || folder[0] != '/')
		return mem_strdup("");
	clean_text(clean, sizeof(clean), folder, (size_t)length);
	return mem_printf("%s/%s", clean, file);
}

/* The last part of FILE; of a package's first file the last two. */
static const char *module_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	if (!slash || file[0] == '<')
		return file;
	if (strcmp(slash, "/__init__.py") != 0)
		return slash + 1;
	while (slash > file && slash[-1] != '/')
		slash--;
	return slash;
}

static uint32_t function_of(struct scripts *scripts, const struct python_code *code)
{
	const uint32_t *known = idmap_get(&scripts->functions, code->number, 0);
	if (known)
		return *known;
	char *path = whole_path(scripts, code->file);
	struct function function = {
		.name = code->name,
		.system_name = code->name,
		.module = module_of(code->file),
		.file = path,
		.start_line = code->first_line,
	};
	uint32_t id = profile_intern_function(scripts->profile, &function);
	free(path);
	idmap_put(&scripts->functions, code->number, 0, id);
	return id;
}

static uint32_t locate(struct scripts *scripts, const struct snapshot *record,
	const struct python_frame *frame)
{
	struct line line = {.line = 0};
	const struct python_code *code =
		python_find_code(scripts->python, record, frame, &line.line);
	if (!code)
		return profile_intern_synthetic(scripts->profile, SCRIPTS_GONE_LABEL);
	line.function = function_of(scripts, code);
	const uint32_t *known = idmap_get(&scripts->places, line.function, line.line);
	if (known)
		return *known;
	uint32_t id = profile_add_location(
		scripts->profile, PROFILE_NONE, frame->instruction, &line, 1);
	idmap_put(&scripts->places, line.function, line.line, id);
	return id;
}

/* --- merging ---------------------------------------------------------------------------- */

struct merging {
	struct scripts *scripts;
	const struct snapshot *record;
	const struct callchain *chain;
	uint32_t *locations;
	size_t length, most;
	uint32_t next; /* segment */
};

static void put(struct merging *merging, uint32_t location)
{
	if (merging->length < merging->most)
		merging->locations[merging->length++] = location;
}

static void put_native(struct merging *merging, uint32_t i)
{
	const struct callchain *chain = merging->chain;
	struct symbolizer *symbolizer = merging->scripts->symbolizer;
	if (i == CALLCHAIN_LEAF && chain->fold.frames)
		put(merging, symbolizer_locate_fold(symbolizer, &chain->fold));
	put(merging, symbolizer_locate(symbolizer, chain->frames[i]));
}

static void put_all_native(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->chain->length; i++)
		put_native(merging, i);
}

static void put_segment(struct merging *merging)
{
	const struct python_stack *stack = &merging->scripts->stack;
	const struct python_segment *segment = &stack->segments[merging->next++];
	for (uint32_t i = 0; i < segment->count; i++)
		put(merging, locate(merging->scripts, merging->record,
				     &stack->frames[segment->first + i]));
}

static bool is_left(const struct merging *merging)
{
	return merging->next < merging->scripts->stack.n_segments;
}

static uint64_t next_mark(const struct merging *merging)
{
	return merging->scripts->stack.segments[merging->next].mark;
}

static bool is_interpreters(const struct merging *merging, uint32_t i)
{
	const struct scripts *scripts = merging->scripts;
	const struct region *region =
		address_space_find(scripts->space, frame_code(merging->chain->frames[i]));
	return region && python_owns(scripts->python, region);
}

/* Code that begins programs and threads: the first of all, and the C library's. */
static bool is_beginning(const struct merging *merging, uint32_t i)
{
	if (i + 1 == merging->chain->length && merging->chain->end == UNWIND_ROOT)
		return true;
	const struct region *region = address_space_find(
		merging->scripts->space, frame_code(merging->chain->frames[i]));
	return region &&
	       (strstr(region->path, "/libc.so") || strstr(region->path, "/ld-linux") ||
		       strstr(region->path, "/libpthread"));
}

/* False: the marks are not in the order of the frames. */
static bool put_merged(struct merging *merging)
{
	const struct callchain *chain = merging->chain;
	size_t script_end = 0;
	bool only_beginning = true;
	for (uint32_t i = 0; i < chain->length; i++) {
		uint64_t low = chain->frames[i].sp;
		uint64_t high = i + 1 < chain->length ? chain->frames[i + 1].sp : low;
		bool is_call = false;
		for (; is_left(merging) && next_mark(merging) - low < high - low &&
			low < high;
			is_call = true)
			put_segment(merging);
		if (is_left(merging) && next_mark(merging) != 0 && low != 0 &&
			next_mark(merging) < low)
			return false;
		if (is_call) {
			script_end = merging->length;
			only_beginning = true;
		} else if (!is_interpreters(merging, i)) {
			put_native(merging, i);
			only_beginning &= is_beginning(merging, i);
		} else if (is_left(merging) && next_mark(merging) == 0) {
			put_segment(merging); /* the rest was not copied */
			return true;
		}
	}
	if (is_left(merging) && chain->end == UNWIND_ROOT)
		return false;
	while (is_left(merging)) { /* the native stack broke before */
		put_segment(merging);
		script_end = merging->length;
	}
	if (script_end > 0 && only_beginning)
		merging->length = script_end;
	return true;
}

size_t scripts_locate(struct scripts *scripts, const struct snapshot *record,
	const struct callchain *chain, uint32_t *locations, size_t most)
{
	struct python_stack *stack = &scripts->stack;
	struct merging merging = {.scripts = scripts,
		.record = record,
		.chain = chain,
		.locations = locations,
		.most = most};
	stack->end = PYTHON_NONE;
	if (python_is_known(scripts->python) && record->second_result != RECIPE_NONE)
		python_stack(scripts->python, record, stack);
	if (record->second_result == RECIPE_OUTSIDE)
		python_lacks(scripts->python);
	bool is_merged = (stack->end == PYTHON_ALL || stack->end == PYTHON_CUT) &&
			 put_merged(&merging);
	if (!is_merged) {
		merging.length = 0;
		put_all_native(&merging);
	}
	if (stack->end != PYTHON_NONE && (!is_merged || stack->end == PYTHON_CUT))
		put(&merging, profile_intern_synthetic(
				      scripts->profile, SCRIPTS_UNKNOWN_LABEL));
	return merging.length;
}
