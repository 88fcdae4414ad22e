/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/naming-edits.h"

#include "src/base/clean.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>
#include <string.h>

struct naming_edits {
	struct profile *profile;
	struct rewrite *rewrite;
	struct idmap functions; /* (function, 0) -> function */
	struct idmap kin;	/* (name, module), as addresses -> function */
	struct idmap threads;	/* (thread, 0) -> thread */
	VEC(struct location *) derived;
};

struct naming_edits *naming_edits_create(struct profile *profile, struct rewrite *rewrite)
{
	struct naming_edits *edits = mem_zalloc(sizeof(*edits));
	edits->profile = profile;
	edits->rewrite = rewrite;
	return edits;
}

void naming_edits_destroy(struct naming_edits *edits)
{
	if (!edits)
		return;
	vec_each (&edits->derived, location) {
		free((void *)(*location)->lines);
		free(*location);
	}
	vec_free(&edits->derived);
	idmap_finish(&edits->functions);
	idmap_finish(&edits->kin);
	idmap_finish(&edits->threads);
	rewrite_destroy(edits->rewrite);
	free(edits);
}

const struct rewrite *naming_edits_rewrite(const struct naming_edits *edits)
{
	return edits->rewrite;
}

/* A function with many places in it has none of its own. */
static void forget_place(struct profile *profile, struct function *function)
{
	function->system_name = function->name;
	function->short_name = NULL;
	function->module = function->file = profile_string(profile, "");
	function->start_line = 0;
	function->is_synthetic = false;
	function->is_folded = true;
}

/* Functions of one module that get the same name are one; folded ones of all modules. */
static uint32_t make_function(
	struct naming_edits *edits, uint32_t base, const char *name, bool folded)
{
	struct profile *profile = edits->profile;
	struct function function = *profile_function(profile, base);
	function.name = profile_string(profile, name);
	if (folded)
		forget_place(profile, &function);
	uint64_t name_key = (uint64_t)(uintptr_t)function.name;
	uint64_t module_key = folded ? 0 : (uint64_t)(uintptr_t)function.module;
	uint32_t *kin = idmap_get(&edits->kin, name_key, module_key);
	if (kin && folded)
		return *kin;
	function.kin = kin ? *kin : PROFILE_NONE;
	uint32_t id = profile_derive_function(profile, &function);
	if (!kin)
		idmap_put(&edits->kin, name_key, module_key, id);
	return id;
}

/* The function BASE under its own name. Another one may have been renamed to it: then the
   two are one. */
static uint32_t keep_function(struct naming_edits *edits, uint32_t base)
{
	const struct function *function = profile_function(edits->profile, base);
	uint64_t name_key = (uint64_t)(uintptr_t)function->name;
	uint64_t module_key = (uint64_t)(uintptr_t)function->module;
	uint32_t *kin = idmap_get(&edits->kin, name_key, module_key);
	if (kin && *kin != function->kin)
		return make_function(edits, base, function->name, false);
	if (!kin)
		idmap_put(&edits->kin, name_key, module_key, function->kin);
	return base;
}

static uint32_t edit_function(struct naming_edits *edits, uint32_t base)
{
	uint32_t *known = idmap_get(&edits->functions, base, 0);
	if (known)
		return *known;
	char name[CLEAN_MAX];
	bool folded;
	uint32_t id;
	if (rewrite_function(edits->rewrite, profile_function(edits->profile, base)->name,
		    name, sizeof(name), &folded))
		id = make_function(edits, base, name, folded);
	else
		id = keep_function(edits, base);
	idmap_put(&edits->functions, base, 0, id);
	return id;
}

/* A location like OLD with N_LINES of LINES. */
static const struct location *make_location(struct naming_edits *edits,
	const struct location *old, const struct line *lines, uint32_t n_lines)
{
	struct location *location = mem_alloc(sizeof(*location));
	struct line *copy = mem_alloc((n_lines + !n_lines) * sizeof(*copy));
	*location = *old;
	if (n_lines)
		memcpy(copy, lines, n_lines * sizeof(*copy));
	location->lines = copy;
	location->n_lines = n_lines;
	vec_push(&edits->derived, location);
	return location;
}

static bool is_folded(const struct naming_edits *edits, uint32_t function)
{
	return profile_function(edits->profile, function)->is_folded;
}

const struct location *naming_edits_rename(
	struct naming_edits *edits, const struct location *old)
{
	struct line *lines = mem_alloc((old->n_lines + 1) * sizeof(*lines));
	uint32_t kept = 0;
	bool changed = false;
	for (uint32_t i = 0; i < old->n_lines; i++) {
		struct line line = old->lines[i];
		line.function = edit_function(edits, line.function);
		changed |= line.function != old->lines[i].function;
		if (is_folded(edits, line.function)) {
			line.line = 0;
			if (kept && lines[kept - 1].function == line.function)
				continue;
		}
		lines[kept++] = line;
	}
	if (changed)
		old = make_location(edits, old, lines, kept);
	free(lines);
	return old;
}

const struct location *naming_edits_cut(
	struct naming_edits *edits, const struct location *old)
{
	struct line *lines = mem_alloc((old->n_lines + 1) * sizeof(*lines));
	uint32_t kept = 0, last = 0; /* LAST: up to the outermost to begin with */
	for (uint32_t i = 0; i < old->n_lines; i++) {
		const char *name =
			profile_function(edits->profile, old->lines[i].function)->name;
		if (rewrite_hides(edits->rewrite, name))
			continue;
		lines[kept++] = old->lines[i];
		if (rewrite_starts(edits->rewrite, name))
			last = kept;
	}
	if (last)
		kept = last;
	if (kept < old->n_lines)
		old = make_location(edits, old, lines, kept);
	free(lines);
	return old;
}

uint32_t naming_edits_thread(struct naming_edits *edits, uint32_t thread)
{
	uint32_t *known = idmap_get(&edits->threads, thread, 0);
	if (known)
		return *known;
	char name[CLEAN_MAX];
	uint32_t id = thread;
	if (rewrite_thread(edits->rewrite, profile_thread(edits->profile, thread)->name,
		    name, sizeof(name)))
		id = profile_derive_thread(edits->profile, thread, name);
	idmap_put(&edits->threads, thread, 0, id);
	return id;
}
