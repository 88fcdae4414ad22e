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

/* Functions of one module that get the same name are one. */
static uint32_t make_function(struct naming_edits *edits, uint32_t base, const char *name)
{
	struct profile *profile = edits->profile;
	struct function function = *profile_function(profile, base);
	function.name = profile_string(profile, name);
	uint64_t name_key = (uint64_t)(uintptr_t)function.name;
	uint64_t module_key = (uint64_t)(uintptr_t)function.module;
	uint32_t *kin = idmap_get(&edits->kin, name_key, module_key);
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
		return make_function(edits, base, function->name);
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
	uint32_t id;
	if (rewrite_function(edits->rewrite, profile_function(edits->profile, base)->name,
		    name, sizeof(name)))
		id = make_function(edits, base, name);
	else
		id = keep_function(edits, base);
	idmap_put(&edits->functions, base, 0, id);
	return id;
}

const struct location *naming_edits_rename(
	struct naming_edits *edits, const struct location *old)
{
	struct line *lines = mem_alloc((old->n_lines + 1) * sizeof(*lines));
	bool changed = false;
	for (uint32_t i = 0; i < old->n_lines; i++) {
		lines[i] = old->lines[i];
		lines[i].function = edit_function(edits, lines[i].function);
		changed |= lines[i].function != old->lines[i].function;
	}
	if (!changed) {
		free(lines);
		return old;
	}
	struct location *location = mem_alloc(sizeof(*location));
	*location = *old;
	location->lines = lines;
	vec_push(&edits->derived, location);
	return location;
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
