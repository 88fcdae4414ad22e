/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/scripts.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/reader/merging.h"
#include "src/read/reader/script-names.h"
#include "src/read/runtimes/lua/lua.h"
#include "src/read/runtimes/lua/luajit.h"
#include "src/read/runtimes/perl/perl.h"
#include "src/read/runtimes/php/php.h"
#include "src/read/runtimes/python/python.h"
#include "src/read/runtimes/recipe-areas.h"
#include "src/read/runtimes/ruby/ruby.h"
#include "src/read/runtimes/v8/v8.h"
#include "src/read/space/image-search.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A language is one row here, and a folder of src/read/runtimes/. */
static const struct runtime *const runtimes[] = {
	&python_runtime,
	&ruby_runtime,
	&php_runtime,
	&v8_runtime,
	&perl_runtime,
	&lua_runtime,
	&luajit_runtime,
};

enum {
	RUNTIMES = sizeof(runtimes) / sizeof(*runtimes),
};

/* How often to look at memory that the recipe lacked; if that was in vain, how often at least. */
#define LOOK_NS (NS_PER_SEC / 20)
#define REST_NS NS_PER_SEC

enum {
	LOOK_SHARE = 50, /* looking takes one part of so many of the time */
};

struct scripts {
	struct address_space *space;
	struct symbolizer *symbolizer;
	struct ring *ring;
	const enum native_frames *native;
	struct script_names names;

	struct image_search search;
	const struct runtime *runtime; /* NULL: none was found */
	void *self;
	struct region_file file; /* that it is in */
	bool is_known, has_started, uses_source_maps;
	char language[64];

	struct recipe recipe, fresh;
	uint64_t changes; /* of the address space, when the recipe was made, and */
	uint64_t looked_ns, rest_ns; /* when that was, and how long not to do it again */
	uint64_t variables_ns; /* when it was looked which of these were written to */
	bool lacks;	       /* the recipe has too few areas */

	uint64_t gone_ns; /* when a function was gone */
	struct script_stack stack;
	bool is_own[CALLCHAIN_NODES];
	unsigned char codes[CALLCHAIN_NODES];
};

struct scripts *scripts_create(struct address_space *space, struct symbolizer *symbolizer,
	struct profile *profile, struct ring *ring, const enum native_frames *native)
{
	struct scripts *scripts = mem_zalloc(sizeof(*scripts));
	scripts->space = space;
	scripts->symbolizer = symbolizer;
	scripts->ring = ring;
	scripts->native = native;
	scripts->names = (struct script_names){.space = space, .profile = profile};
	scripts->rest_ns = LOOK_NS;
	return scripts;
}

void scripts_use_source_maps(struct scripts *scripts)
{
	scripts->uses_source_maps = true;
}

void scripts_renew(struct scripts *scripts, struct profile *profile)
{
	scripts->names.profile = profile;
	script_names_clear(&scripts->names);
}

static void forget_runtime(struct scripts *scripts)
{
	if (scripts->runtime)
		scripts->runtime->destroy(scripts->self);
	scripts->runtime = NULL;
	scripts->self = NULL;
}

void scripts_destroy(struct scripts *scripts)
{
	if (!scripts)
		return;
	forget_runtime(scripts);
	idmap_finish(&scripts->names.functions);
	idmap_finish(&scripts->names.places);
	free(scripts);
}

void scripts_exec(struct scripts *scripts)
{
	script_names_clear(&scripts->names);
	forget_runtime(scripts);
	scripts->search = (struct image_search){.count = 0};
	scripts->language[0] = '\0';
	scripts->file = (struct region_file){.inode = 0};
	scripts->is_known = scripts->has_started = scripts->lacks = false;
	scripts->changes = scripts->looked_ns = scripts->variables_ns = 0;
	scripts->rest_ns = LOOK_NS;
	scripts->recipe = (struct recipe){.n_areas = 0};
	recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
}

/* --- which one, and what is to be copied ------------------------------------------------ */

/* Code that has not run yet is not looked at, but for a library that says what it is. */
static void meet_libraries(struct scripts *scripts)
{
	const struct region *region;
	for (uint64_t at = 0; (region = address_space_region_from(scripts->space, at));
		at = region->limit)
		for (size_t i = 0; i < RUNTIMES; i++)
			if ((region->permissions & REGION_EXECUTE) &&
				runtimes[i]->library &&
				strstr(region->path, runtimes[i]->library))
				address_space_find(scripts->space, region->start);
}

/* The runtime in IMAGE, which it becomes. */
static bool meet(struct scripts *scripts, struct elf_image *image, uint64_t bias)
{
	struct elf_variable marks[RUNTIMES];
	for (size_t i = 0; i < RUNTIMES; i++)
		marks[i].name = runtimes[i]->mark;
	elf_image_find_variables(image, marks, RUNTIMES);
	for (size_t i = 0; i < RUNTIMES; i++) {
		void *self = marks[i].vaddr
				     ? runtimes[i]->meet(scripts->space, image, bias)
				     : NULL;
		if (self) {
			scripts->runtime = runtimes[i];
			scripts->self = self;
			return true;
		}
	}
	return false;
}

static void look_for_one(struct scripts *scripts)
{
	struct elf_image *image;
	uint64_t bias, code;
	char version[32];
	if (!image_search_is_due(&scripts->search, scripts->space))
		return;
	meet_libraries(scripts);
	while (!scripts->runtime && (image = image_search_next(&scripts->search,
					     scripts->space, &bias, &code)))
		if (meet(scripts, image, bias))
			scripts->file = region_file(
				address_space_region(scripts->space, code - 1));
	if (!scripts->runtime)
		return;
	if (scripts->uses_source_maps && scripts->runtime->want_source_maps)
		scripts->runtime->want_source_maps(scripts->self);
	scripts->is_known =
		scripts->runtime->is_known(scripts->self, version, sizeof(version));
	snprintf(scripts->language, sizeof(scripts->language), "%s%s%s%s",
		scripts->runtime->language, version[0] ? " " : "", version,
		scripts->is_known ? "" : " (functions not known)");
}

static bool is_same(const struct recipe *a, const struct recipe *b)
{
	return a->fixed == b->fixed &&
	       memcmp(a->steps, b->steps, sizeof(a->steps)) == 0 &&
	       a->n_areas == b->n_areas &&
	       memcmp(a->areas, b->areas, a->n_areas * sizeof(*a->areas)) == 0 &&
	       a->n_known == b->n_known &&
	       memcmp(a->known, b->known, a->n_known * sizeof(*a->known)) == 0;
}

static void add_areas(struct scripts *scripts, uint64_t now_ns)
{
	bool look =
		scripts->variables_ns == 0 || now_ns - scripts->variables_ns >= REST_NS;
	if (look)
		scripts->variables_ns = now_ns;
	recipe_areas_add(
		&scripts->fresh, scripts->space, &scripts->file, &scripts->recipe, look);
}

/* True if it is another one than before. IS_MOVED: so may be the areas. */
static bool make_recipe(struct scripts *scripts, uint64_t now_ns, bool is_moved)
{
	struct recipe *old = &scripts->recipe, *fresh = &scripts->fresh;
	*fresh = (struct recipe){.n_areas = 0};
	scripts->has_started = scripts->runtime->recipe(scripts->self, fresh);
	scripts->lacks = !scripts->has_started;
	if (!scripts->has_started)
		return false;
	if (is_moved)
		add_areas(scripts, now_ns);
	else
		memcpy(fresh->areas, old->areas,
			(fresh->n_areas = old->n_areas) * sizeof(*old->areas));
	if (is_same(fresh, old))
		return false;
	*old = *fresh;
	return true;
}

void scripts_refresh(struct scripts *scripts, uint64_t now_ns)
{
	if (!scripts->runtime)
		look_for_one(scripts);
	if (!scripts->is_known || now_ns - scripts->looked_ns < scripts->rest_ns)
		return;
	uint64_t began_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	if (scripts->lacks)
		address_space_refresh(scripts->space);
	uint64_t changes = address_space_changes(scripts->space);
	bool is_moved = changes != scripts->changes || scripts->lacks;
	if (!is_moved && now_ns - scripts->looked_ns < REST_NS)
		return;
	scripts->looked_ns = now_ns;
	scripts->changes = changes;
	bool is_new = make_recipe(scripts, now_ns, is_moved);
	if (is_new)
		recipe_put(ring_recipe(scripts->ring), &scripts->recipe);
	if (is_new && is_moved)
		scripts->rest_ns = LOOK_NS;
	else if (scripts->rest_ns < REST_NS)
		scripts->rest_ns *= 2;
	uint64_t took_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	uint64_t least_ns = LOOK_SHARE * took_ns;
	if (scripts->rest_ns < least_ns)
		scripts->rest_ns = least_ns < REST_NS ? least_ns : REST_NS;
}

/* --- one stack -------------------------------------------------------------------------- */

/* Says above a stack of a runtime WHY its functions are not there. */
static void put_unknown(struct merging *merging, const char *why)
{
	char version[32], text[80];
	uint32_t i = 0;
	merging->runtime->is_known(merging->self, version, sizeof(version));
	snprintf(text, sizeof(text), "%s%s%s: %s", merging->runtime->language,
		version[0] ? " " : "", version, why);
	while (i < merging->chain->length && !merging_is_runtimes(merging, i))
		i++;
	if (i < merging->chain->length)
		merging_put_label(merging, text);
}

/* Put the functions of an interpreter between the native frames, if they are certain. */
static void put_interpreted(struct scripts *scripts, struct merging *merging)
{
	struct script_stack *stack = &scripts->stack;
	char text[80];
	stack->end = SCRIPT_NONE;
	stack->n_frames = stack->n_segments = stack->n_inner = 0;
	stack->resting = UINT32_MAX;
	if (scripts->has_started && merging->record->second_result != RECIPE_NONE)
		merging->runtime->frames(
			merging->self, merging->record, merging->chain, stack);
	bool is_merged = (stack->end == SCRIPT_ALL || stack->end == SCRIPT_CUT) &&
			 merging_put_segments(merging, stack);
	if (!is_merged) {
		merging->length = 0;
		merging_put_native(merging);
	}
	snprintf(text, sizeof(text), "%s frames not known", merging->runtime->language);
	if (stack->end != SCRIPT_NONE && (!is_merged || stack->end == SCRIPT_CUT))
		merging_put_label(merging, text);
}

const char *scripts_language(const struct scripts *scripts)
{
	bool is_java = !scripts->runtime && symbolizer_has_java(scripts->symbolizer);
	return is_java ? "Java" : scripts->language;
}

const char *scripts_refusal(const struct scripts *scripts)
{
	const struct runtime *runtime = scripts->runtime;
	return runtime && runtime->refusal ? runtime->refusal(scripts->self) : "";
}

bool scripts_is_late(const struct scripts *scripts, uint64_t now_ns)
{
	uint64_t java_ns = symbolizer_gone_ns(scripts->symbolizer);
	uint64_t gone_ns = java_ns > scripts->gone_ns ? java_ns : scripts->gone_ns;
	return gone_ns != 0 && now_ns < gone_ns + NS_PER_SEC;
}

bool scripts_find_lock(
	const struct scripts *scripts, uint64_t address, uint64_t *lock, pid_t *owner)
{
	const struct runtime *runtime = scripts->runtime;
	if (!scripts->has_started || !runtime->is_lock ||
		!runtime->is_lock(scripts->self, address))
		return false;
	*owner = runtime->lock_owner(scripts->self, lock);
	return true;
}

bool scripts_correct(const struct scripts *scripts, const struct snapshot *record,
	struct callchain *chain, uint32_t *length, struct arch_registers *registers)
{
	const struct runtime *runtime = scripts->runtime;
	if (!scripts->has_started || !runtime->natives || chain->fold.frames ||
		record->second_result == RECIPE_NONE)
		return false;
	enum script_natives natives =
		runtime->natives(scripts->self, record, chain, length, registers);
	if (natives == SCRIPT_NATIVES_RIGHT && chain->end == UNWIND_GUESSED)
		chain->end = UNWIND_ROOT;
	return natives == SCRIPT_NATIVES_WRONG;
}

size_t scripts_locate(struct scripts *scripts, const struct snapshot *record,
	const struct callchain *chain, uint32_t *locations, size_t most)
{
	/* What to copy in a stop it is asked at the next refresh, but it may name this one. The first
	   sample of a large program may take as long to read as many others to be taken. */
	if (!scripts->runtime)
		look_for_one(scripts);
	struct merging merging = {.names = &scripts->names,
		.symbolizer = scripts->symbolizer,
		.runtime = scripts->runtime,
		.self = scripts->self,
		.file = scripts->file,
		.native = *scripts->native,
		.record = record,
		.chain = chain,
		.locations = locations,
		.most = most,
		.is_own = scripts->is_own,
		.codes = scripts->codes};
	if (record->second_result == RECIPE_OUTSIDE)
		scripts->lacks = true;
	/* Its memory can be copied in a stop only. */
	bool needs_stop = scripts->is_known && record->is_event;
	if (!scripts->is_known || needs_stop)
		merging_put_native(&merging);
	else if (scripts->runtime->locate)
		merging_put_compiled(&merging);
	else
		put_interpreted(scripts, &merging);
	if (scripts->runtime && (!scripts->is_known || needs_stop))
		put_unknown(&merging, needs_stop ? "functions need --engine ptrace"
						 : "functions not known");
	if (merging.has_gone)
		scripts->gone_ns = record->time_ns;
	if (symbolizer_has_java(scripts->symbolizer))
		merging_take_methods(&merging);
	return merging.length;
}
