/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/naming.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/facts/jit-name.h"
#include "src/facts/naming-edits.h"
#include "src/facts/template-arguments.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODES = DEMANGLE_STYLES * NAMING_GRANULARITIES * NAMING_PROCESSES * 2,
};

/* What was made for one text of edits. The tables are by code_of; those of functions are
   by the code with NAMING_FUNCTION. */
struct naming_set {
	char *text;
	struct naming_edits *edits; /* NULL: none */
	struct table *described[CODES], *counted[CODES];
};

struct naming {
	_Atomic unsigned references;
	struct profile *profile;
	VEC(struct naming_set *) sets; /* the first has no edits */
	struct idmap styled;	       /* (function, style) -> function */
	struct idmap kin;	       /* (name, module), as addresses -> function */
	struct idmap places;	       /* (function, line or module) -> function */
	VEC(struct location *) derived;
};

const char *naming_granularity_name(enum naming_granularity granularity)
{
	static const char *const names[NAMING_GRANULARITIES] = {
		[NAMING_FUNCTION] = "function",
		[NAMING_LINE] = "line",
		[NAMING_MODULE] = "module",
		[NAMING_ADDRESS] = "address",
	};
	return names[granularity];
}

static unsigned code_of(const struct naming_rules *rules)
{
	unsigned code = (unsigned)rules->style;
	code = code * NAMING_GRANULARITIES + (unsigned)rules->granularity;
	code = code * NAMING_PROCESSES + (unsigned)rules->processes;
	return code * 2 + rules->fold_inlines;
}

bool naming_rules_same(const struct naming_rules *a, const struct naming_rules *b)
{
	return code_of(a) == code_of(b) && strcmp(a->edits, b->edits) == 0;
}

static struct naming_set *set_of(struct naming *naming, const char *text)
{
	struct error err;
	vec_each (&naming->sets, known)
		if (strcmp((*known)->text, text) == 0)
			return *known;
	struct naming_set *set = mem_zalloc(sizeof(*set));
	set->text = mem_strdup(text);
	struct rewrite *rewrite = *text ? rewrite_create(text, &err) : NULL;
	if (rewrite)
		set->edits = naming_edits_create(naming->profile, rewrite);
	vec_push(&naming->sets, set);
	return set;
}

static void destroy_set(struct naming_set *set)
{
	for (size_t i = 0; i < CODES; i++) {
		table_destroy(set->described[i]);
		table_destroy(set->counted[i]);
	}
	naming_edits_destroy(set->edits);
	free(set->text);
	free(set);
}

struct naming *naming_create(struct profile *profile)
{
	struct naming *naming = mem_zalloc(sizeof(*naming));
	naming->references = 1;
	naming->profile = profile;
	set_of(naming, "");
	return naming;
}

struct naming *naming_ref(struct naming *naming)
{
	if (naming)
		atomic_fetch_add(&naming->references, 1);
	return naming;
}

void naming_unref(struct naming *naming)
{
	if (!naming || atomic_fetch_sub(&naming->references, 1) != 1)
		return;
	vec_each (&naming->sets, set)
		destroy_set(*set);
	vec_free(&naming->sets);
	vec_each (&naming->derived, location) {
		free((void *)(*location)->lines);
		free(*location);
	}
	vec_free(&naming->derived);
	idmap_finish(&naming->styled);
	idmap_finish(&naming->kin);
	idmap_finish(&naming->places);
	free(naming);
}

/* --- functions --------------------------------------------------------------------- */

/* A function like that of id BASE but called NAME; BASE itself if that is its name. */
static uint32_t rename_function(struct naming *naming, uint32_t base, const char *name)
{
	struct profile *profile = naming->profile;
	struct function function = *profile_function(profile, base);
	const char *own = profile_string(profile, name);
	uint64_t name_key = (uint64_t)(uintptr_t)own;
	uint64_t module_key = (uint64_t)(uintptr_t)function.module;
	uint32_t *kin = idmap_get(&naming->kin, name_key, module_key);
	if (own == function.name && (!kin || *kin == function.kin)) {
		if (!kin)
			idmap_put(&naming->kin, name_key, module_key, function.kin);
		return base;
	}
	function.name = own;
	function.kin = kin ? *kin : PROFILE_NONE;
	uint32_t id = profile_derive_function(profile, &function);
	if (!kin)
		idmap_put(&naming->kin, name_key, module_key, id);
	return id;
}

static uint32_t style_function(
	struct naming *naming, uint32_t base, enum demangle_style style)
{
	if (style == DEMANGLE_FULL)
		return base;
	uint32_t *known = idmap_get(&naming->styled, base, style);
	if (known)
		return *known;
	const struct function *function = profile_function(naming->profile, base);
	bool has_short = function->short_name && function->short_name[0];
	const char *best = style == DEMANGLE_NONE ? function->system_name
			   : has_short		  ? function->short_name
						  : function->name;
	char name[CLEAN_MAX];
	clean_text(name, sizeof(name), best, strlen(best));
	if (style == DEMANGLE_NO_TEMPLATES && has_short &&
		!jit_name_is(function->system_name))
		template_arguments_strip(name);
	uint32_t id = rename_function(naming, base, name);
	idmap_put(&naming->styled, base, style, id);
	return id;
}

/* "name file.c:12" */
static uint32_t line_function(struct naming *naming, const struct line *line)
{
	const struct function *function =
		profile_function(naming->profile, line->function);
	if (line->line == 0)
		return line->function;
	uint32_t *known = idmap_get(&naming->places, line->function,
		(uint64_t)NAMING_LINE << 32 | line->line);
	if (known)
		return *known;
	const char *slash = strrchr(function->file, '/');
	char *name = mem_printf("%s %s:%" PRIu32, function->name,
		slash ? slash + 1 : function->file, line->line);
	uint32_t id = rename_function(naming, line->function, name);
	free(name);
	idmap_put(&naming->places, line->function,
		(uint64_t)NAMING_LINE << 32 | line->line, id);
	return id;
}

/* "name 0x7f12"; of what has no code, its detail. */
static uint32_t address_function(
	struct naming *naming, const struct line *line, const struct location *location)
{
	const struct function *function =
		profile_function(naming->profile, line->function);
	bool has_code = !function->is_synthetic;
	if (!has_code && !location->detail[0])
		return line->function;
	char *name =
		has_code ? mem_printf("%s 0x%" PRIx64, function->name, location->address)
			 : mem_printf("%s %s", function->name, location->detail);
	uint32_t id = rename_function(naming, line->function, name);
	free(name);
	return id;
}

/* A function without a module, such as "[truncated stack]", stays as it is. */
static uint32_t module_function(struct naming *naming, uint32_t base)
{
	struct profile *profile = naming->profile;
	const char *module = profile_function(profile, base)->module;
	if (!module[0])
		return base;
	uint64_t key = (uint64_t)(uintptr_t)module;
	uint32_t *known = idmap_get(&naming->places, key, (uint64_t)NAMING_MODULE << 32);
	if (known)
		return *known;
	struct function function = {
		.name = module,
		.system_name = module,
		.module = module,
		.file = profile_string(profile, ""),
		.kin = PROFILE_NONE,
	};
	uint32_t id = profile_derive_function(profile, &function);
	idmap_put(&naming->places, key, (uint64_t)NAMING_MODULE << 32, id);
	return id;
}

/* --- locations --------------------------------------------------------------------- */

/* A copy of OLD with its lines FIRST and following; the caller renames them. There may be
   none. */
static struct location *copy_location(
	struct naming *naming, const struct location *old, uint32_t first)
{
	struct location *location = mem_alloc(sizeof(*location));
	*location = *old;
	location->n_lines = old->n_lines - first;
	struct line *lines = mem_alloc((location->n_lines + 1) * sizeof(*lines));
	memcpy(lines, old->lines + first, location->n_lines * sizeof(*lines));
	location->lines = lines;
	vec_push(&naming->derived, location);
	return location;
}

static uint32_t rename_line(struct naming *naming, const struct naming_rules *rules,
	const struct line *line, const struct location *location)
{
	switch (rules->granularity) {
	case NAMING_LINE:
		return line_function(naming, line);
	case NAMING_MODULE:
		return module_function(naming, line->function);
	case NAMING_ADDRESS:
		return address_function(naming, line, location);
	default:
		return style_function(naming, line->function, rules->style);
	}
}

/* OLD by RULES. If RULES ask for another granularity than functions, OLD has been named
   by the style and by the edits already. */
static const struct location *derive(struct naming *naming,
	const struct naming_rules *rules, const struct location *old)
{
	bool real_only = rules->fold_inlines || rules->granularity == NAMING_MODULE;
	uint32_t first = real_only && old->n_lines ? old->n_lines - 1 : 0;
	struct location *location = NULL;
	if (first > 0)
		location = copy_location(naming, old, first);
	for (uint32_t i = first; i < old->n_lines; i++) {
		uint32_t function = rename_line(naming, rules, &old->lines[i], old);
		if (function == old->lines[i].function)
			continue;
		if (!location)
			location = copy_location(naming, old, first);
		((struct line *)location->lines)[i - first].function = function;
	}
	return location ? location : old;
}

/* OLD, the frame of a process, under the name that the process has by RULES. */
static const struct location *derive_frame(struct naming *naming,
	const struct naming_rules *rules, const struct location *old, uint32_t id)
{
	struct profile *profile = naming->profile;
	const struct profile_process *process =
		profile_process(profile, profile_process_of_frame(profile, id));
	char name[CLEAN_MAX];
	if (rules->processes == PROCESSES_AS_ONE)
		return copy_location(naming, old, old->n_lines);
	naming_process(rules->processes, process, name, sizeof(name));
	uint32_t function = profile_process_function(profile, name);
	if (function == old->lines[0].function)
		return old;
	struct location *location = copy_location(naming, old, 0);
	((struct line *)location->lines)[0].function = function;
	return location;
}

/* --- tables ------------------------------------------------------------------------ */

static const struct location *edit_names(struct naming *naming,
	const struct naming_set *set, const struct naming_rules *rules,
	const struct location *old, uint32_t id)
{
	(void)naming;
	(void)rules;
	(void)id;
	return naming_edits_rename(set->edits, old);
}

static const struct location *name_by_rules(struct naming *naming,
	const struct naming_set *set, const struct naming_rules *rules,
	const struct location *old, uint32_t id)
{
	(void)set;
	if (rules->granularity == NAMING_FUNCTION &&
		profile_process_of_frame(naming->profile, id) != PROFILE_NONE)
		return derive_frame(naming, rules, old, id);
	return derive(naming, rules, old);
}

/* Let TABLE have what STEP makes of each row of PLAIN. */
static const struct table *grow(struct naming *naming, const struct naming_set *set,
	const struct naming_rules *rules, const struct table *plain, struct table **table,
	const struct location *(*step)(struct naming *, const struct naming_set *,
		const struct naming_rules *, const struct location *, uint32_t))
{
	uint32_t known = naming->profile->locations->len;
	if (!*table)
		*table = table_create(sizeof(struct location *));
	while ((*table)->len < known) {
		uint32_t id = (*table)->len;
		const struct location *old = naming_location(naming->profile, plain, id);
		const struct location *now = step(naming, set, rules, old, id);
		table_append(*table, &now);
	}
	return *table;
}

struct naming_tables naming_tables(
	struct naming *naming, const struct naming_rules *rules)
{
	struct naming_tables tables = {NULL, NULL};
	struct naming_rules of_functions = *rules;
	of_functions.granularity = NAMING_FUNCTION;
	unsigned functions = code_of(&of_functions), code = code_of(rules);
	struct naming_set *set = set_of(naming, rules->edits),
			  *own = naming->sets.data[0];
	const struct rewrite *rewrite = naming_rewrite(naming, rules);
	if (functions != 0)
		tables.described = grow(naming, own, &of_functions, NULL,
			&own->counted[functions], name_by_rules);
	if (rewrite && rewrite_has_functions(rewrite))
		tables.described = grow(naming, set, rules, tables.described,
			&set->described[functions], edit_names);
	tables.counted = tables.described;
	if (code != functions)
		tables.counted = grow(naming, set, rules, tables.described,
			&set->counted[code], name_by_rules);
	return tables;
}

const struct rewrite *naming_rewrite(
	struct naming *naming, const struct naming_rules *rules)
{
	const struct naming_edits *edits = set_of(naming, rules->edits)->edits;
	return edits ? naming_edits_rewrite(edits) : NULL;
}

uint32_t naming_thread(
	struct naming *naming, const struct naming_rules *rules, uint32_t thread)
{
	struct naming_edits *edits = set_of(naming, rules->edits)->edits;
	return edits ? naming_edits_thread(edits, thread) : thread;
}
