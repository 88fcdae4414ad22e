/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/symbolizer.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/read/names/function-names.h"
#include "src/read/names/line-resolver.h"
#include "src/read/names/symbolizer-internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FOLD_NAMES = 2, /* of functions that call each other */
	CARRIED_MOST = 64 << 10,
};

static void open_perf_map(struct symbolizer *symbolizer)
{
	symbolizer->perf_map = perf_map_create(address_space_proc_dir(symbolizer->space),
		address_space_maps_budget(symbolizer->space));
}

struct symbolizer *symbolizer_create(struct address_space *space, struct profile *profile,
	struct line_resolver *resolver)
{
	struct symbolizer *symbolizer = mem_zalloc(sizeof(*symbolizer));
	symbolizer->space = space;
	symbolizer->profile = profile;
	symbolizer->resolver = resolver;
	symbolizer->java = java_names_create(space, profile);
	open_perf_map(symbolizer);
	return symbolizer;
}

static void forget_awaited(struct symbolizer *symbolizer)
{
	vec_each (&symbolizer->awaited, awaited)
		vec_free(&awaited->questions);
	symbolizer->awaited.len = 0;
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	java_names_destroy(symbolizer->java);
	perf_map_destroy(symbolizer->perf_map);
	forget_awaited(symbolizer);
	vec_free(&symbolizer->awaited);
	vec_free(&symbolizer->jit_locations);
	idmap_finish(&symbolizer->lines_files);
	idmap_finish(&symbolizer->functions);
	free(symbolizer);
}

void symbolizer_exec(struct symbolizer *symbolizer)
{
	java_names_destroy(symbolizer->java);
	symbolizer->java = java_names_create(symbolizer->space, symbolizer->profile);
	perf_map_destroy(symbolizer->perf_map);
	open_perf_map(symbolizer);
	symbolizer->jit_locations.len = 0;
	forget_awaited(symbolizer); /* the images are closed */
}

void symbolizer_carry(struct symbolizer *symbolizer, struct renewal *renewal)
{
	size_t len = symbolizer->jit_locations.len;
	for (size_t i = len > CARRIED_MOST ? len - CARRIED_MOST : 0; i < len; i++)
		renewal_location(renewal, symbolizer->jit_locations.data[i]);
}

/* A function that was not copied is added again if its code runs. */
void symbolizer_renew(struct symbolizer *symbolizer, const struct renewal *renewal)
{
	size_t kept = 0;
	symbolizer->profile = renewal->to;
	java_names_renew(symbolizer->java, renewal->to);
	idmap_clear(&symbolizer->functions);
	idmap_clear(&symbolizer->lines_files);
	vec_each (&symbolizer->jit_locations, id)
		if (renewal_knows_location(renewal, id))
			symbolizer->jit_locations.data[kept++] = *id;
	symbolizer->jit_locations.len = kept;
	forget_awaited(symbolizer); /* its images may be closed */
}

const char *symbolizer_refusal(const struct symbolizer *symbolizer)
{
	return perf_map_refusal(symbolizer->perf_map);
}

void symbolizer_fetch(struct symbolizer *symbolizer, struct wanted_files *wanted)
{
	symbolizer->wanted = wanted;
}

uint32_t symbolizer_symbol(
	struct symbolizer *symbolizer, uint32_t mapping, const struct elf_symbol *symbol)
{
	uint32_t *known = idmap_get(&symbolizer->functions, mapping, symbol->vaddr);
	if (known)
		return *known;
	uint32_t id = function_mangled(symbolizer->profile, symbol->name,
		profile_mapping(symbolizer->profile, mapping)->module, "", 0);
	idmap_put(&symbolizer->functions, mapping, symbol->vaddr, id);
	return id;
}

/* Code of a file that no symbol covers: by the address of its function in the file, if
   that is known, else by its own. */
static uint32_t intern_address(
	struct symbolizer *symbolizer, const char *module, uint64_t vaddr)
{
	char name[CLEAN_MAX + 32];
	snprintf(name, sizeof(name), "[%s+0x%" PRIx64 "]", module, vaddr);
	return function_named(symbolizer->profile, name, module);
}

/* Code without a file, such as a JIT compiler's, has one name for all of it, because it
   is not known where its functions begin. */
static uint32_t intern_module(struct symbolizer *symbolizer, const char *module)
{
	char name[CLEAN_MAX + 2];
	snprintf(name, sizeof(name), module[0] == '[' ? "%s" : "[%s]", module);
	return function_named(symbolizer->profile, name, module);
}

/* The function at ADDRESS of an executable REGION. */
static uint32_t name_address(
	struct symbolizer *symbolizer, const struct region *region, uint64_t address)
{
	const char *module =
		profile_mapping(symbolizer->profile, region->mapping)->module;
	uint64_t bias = 0;
	struct code_names *names = address_space_names(symbolizer->space, region, &bias);
	if (!names) {
		/* The first time at once, while the target is alive. */
		if (symbolizer->jit_locations.len == 0)
			perf_map_refresh(symbolizer->perf_map);
		const char *name = perf_map_find(symbolizer->perf_map, address);
		return name ? function_mangled(symbolizer->profile, name, module, "", 0)
			    : intern_module(symbolizer, module);
	}
	const struct elf_symbol *symbol = code_names_symbol(names, address - bias);
	if (!symbol)
		return intern_address(
			symbolizer, module, code_names_start(names, address - bias));
	return symbolizer_symbol(symbolizer, region->mapping, symbol);
}

uint32_t symbolizer_lines_file(
	struct symbolizer *symbolizer, uint32_t mapping, struct code_names *names)
{
	bool trusted;
	int fd = code_names_lines_file(names, &trusted);
	uint32_t file =
		fd < 0 ? NO_FILE
		       : line_resolver_add_file(symbolizer->resolver, fd, trusted);
	idmap_put(&symbolizer->lines_files, mapping, 0, file);
	if (file != NO_FILE && profile_mapping(symbolizer->profile, mapping)->is_main)
		line_resolver_want(symbolizer->resolver, file);
	return file;
}

/* The resolver's file with the lines of MAPPING's code. The file is opened now, while the
   target is alive. */
static uint32_t lines_file_of(
	struct symbolizer *symbolizer, uint32_t mapping, struct code_names *names)
{
	uint32_t *known = idmap_get(&symbolizer->lines_files, mapping, 0);
	if (known)
		return *known;
	uint32_t file = symbolizer_lines_file(symbolizer, mapping, names);
	const char *build_id =
		symbolizer->wanted && file == NO_FILE ? code_names_wanted(names) : NULL;
	if (build_id)
		vec_push(&symbolizer->awaited,
			(struct awaited){mapping, build_id, names, .questions = {0}});
	return file;
}

static void note_for_later(struct symbolizer *symbolizer, const struct region *region,
	uint64_t address, uint32_t location)
{
	uint64_t bias = 0;
	if (!region || region->mapping == PROFILE_NONE)
		return;
	struct code_names *names = address_space_names(symbolizer->space, region, &bias);
	if (!names)
		vec_push(&symbolizer->jit_locations, location);
	bool may_have_lines = names && symbolizer->resolver;
	uint32_t file = may_have_lines ? lines_file_of(symbolizer, region->mapping, names)
				       : NO_FILE;
	struct line_question question = {address - bias, file, location};
	if (file != NO_FILE)
		line_resolver_ask(symbolizer->resolver, &question);
	vec_each (&symbolizer->awaited, awaited)
		if (awaited->mapping == region->mapping)
			vec_push(&awaited->questions, question);
}

static void note_leaf(struct symbolizer *symbolizer, uint32_t mapping)
{
	const uint32_t *file = idmap_get(&symbolizer->lines_files, mapping, 0);
	line_resolver_ran(symbolizer->resolver, file ? *file : NO_FILE);
}

uint32_t symbolizer_locate(struct symbolizer *symbolizer, struct frame frame)
{
	struct profile *profile = symbolizer->profile;
	uint64_t address = frame_code(frame);
	if (frame.is_parked)
		return profile_intern_synthetic(profile, CALLCHAIN_PARKED_LABEL);
	const struct region *region = address_space_find(symbolizer->space, address);
	uint32_t mapping = region ? region->mapping : PROFILE_NONE, known;
	if (frame.is_activation && symbolizer->resolver)
		note_leaf(symbolizer, mapping);
	if (region && !region->inode && mapping != PROFILE_NONE &&
		java_names_locate(symbolizer->java, mapping, frame, &known))
		return known;
	known = profile_find_location(profile, mapping, address);
	if (known != PROFILE_NONE)
		return known;
	struct line line = {
		.function = mapping == PROFILE_NONE
				    ? function_unknown(symbolizer->profile)
				    : name_address(symbolizer, region, address),
	};
	uint32_t id = profile_add_location(profile, mapping, address, &line, 1);
	note_for_later(symbolizer, region, address, id);
	return id;
}

/* The function that FRAME is in, not one that was inlined there. */
static const char *function_name(struct symbolizer *symbolizer, struct frame frame)
{
	const struct location *location = profile_location(
		symbolizer->profile, symbolizer_locate(symbolizer, frame));
	const struct line *line = &location->lines[location->n_lines - 1];
	return profile_function(symbolizer->profile, line->function)->name;
}

uint32_t symbolizer_locate_fold(
	struct symbolizer *symbolizer, const struct callchain_fold *fold)
{
	const char *names[FOLD_NAMES];
	uint32_t count = fold->n_kinds > CALLCHAIN_KINDS ? FOLD_NAMES + 1 : 0;
	for (uint32_t i = 0; i < fold->n_kinds && count <= FOLD_NAMES; i++) {
		const char *name = function_name(symbolizer, fold->kinds[i]);
		uint32_t known = 0;
		while (known < count && strcmp(names[known], name) != 0)
			known++;
		if (known == count && count++ < FOLD_NAMES)
			names[known] = name;
	}
	char *what = mem_printf("%s%s%s", count && count <= FOLD_NAMES ? names[0] : "",
		count == FOLD_NAMES ? ", " : "", count == FOLD_NAMES ? names[1] : "");
	char *label = callchain_fold_label(fold->frames, what);
	uint32_t id = profile_intern_synthetic(symbolizer->profile, label);
	free(label);
	free(what);
	return id;
}
