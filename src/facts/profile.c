/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/profile.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* keeps the function of a process apart from a synthetic one of the same name */
	PROCESS_LINE = 1
};

struct profile *profile_create(void)
{
	struct profile *profile = mem_zalloc(sizeof(*profile));
	profile->references = 1;
	profile->mappings = table_create(sizeof(struct mapping));
	profile->functions = table_create(sizeof(struct function));
	profile->locations = table_create(sizeof(struct location));
	profile->threads = table_create(sizeof(struct thread));
	profile->processes = table_create(sizeof(struct profile_process));
	return profile;
}

struct profile *profile_ref(const struct profile *profile)
{
	struct profile *counted = (struct profile *)profile;
	atomic_fetch_add(&counted->references, 1);
	return counted;
}

static void destroy(struct profile *profile)
{
	for (uint32_t id = 0; id < profile->locations->len; id++)
		free((void *)profile_location(profile, id)->lines);
	table_destroy(profile->mappings);
	table_destroy(profile->functions);
	table_destroy(profile->locations);
	table_destroy(profile->threads);
	table_destroy(profile->processes);
	idmap_finish(&profile->place_ids);
	idmap_finish(&profile->function_ids);
	idmap_finish(&profile->kin_ids);
	idmap_finish(&profile->location_ids);
	idmap_finish(&profile->synthetic_ids);
	idmap_finish(&profile->thread_ids);
	idmap_finish(&profile->process_ids);
	idmap_finish(&profile->frame_ids);
	strpool_finish(&profile->strings);
	free(profile);
}

void profile_unref(const struct profile *profile)
{
	struct profile *counted = (struct profile *)profile;
	if (counted && atomic_fetch_sub(&counted->references, 1) == 1)
		destroy(counted);
}

static size_t idmap_bytes(const struct idmap *ids)
{
	return ids->cap * sizeof(struct idmap_entry);
}

size_t profile_bytes(const struct profile *profile)
{
	size_t entries = profile->mappings->len * sizeof(struct mapping) +
			 profile->functions->len * sizeof(struct function) +
			 profile->locations->len * sizeof(struct location) +
			 profile->n_lines * sizeof(struct line) +
			 profile->threads->len * sizeof(struct thread) +
			 profile->processes->len * sizeof(struct profile_process);
	size_t tables =
		idmap_bytes(&profile->place_ids) + idmap_bytes(&profile->function_ids) +
		idmap_bytes(&profile->kin_ids) + idmap_bytes(&profile->location_ids) +
		idmap_bytes(&profile->synthetic_ids) + idmap_bytes(&profile->thread_ids) +
		idmap_bytes(&profile->process_ids) + idmap_bytes(&profile->frame_ids);
	return entries + tables + strpool_bytes(&profile->strings);
}

const char *profile_string(struct profile *profile, const char *text)
{
	return strpool_intern(&profile->strings, text ? text : "");
}

/* An interned string is identified by its address, which can be half of a key. */
static uint64_t string_key(const char *interned)
{
	return (uint64_t)(uintptr_t)interned;
}

uint32_t profile_add_mapping(struct profile *profile, const struct mapping *mapping)
{
	struct mapping copy = *mapping;
	copy.path = profile_string(profile, mapping->path);
	copy.module = profile_string(profile, mapping->module);
	copy.build_id = profile_string(profile, mapping->build_id);
	return table_append(profile->mappings, &copy);
}

/* A number for the pair (module, file), so that the key of a function is a pair, too. */
static uint32_t intern_place(
	struct profile *profile, const char *module, const char *file)
{
	uint32_t *known =
		idmap_get(&profile->place_ids, string_key(module), string_key(file));
	if (known)
		return *known;
	uint32_t id = (uint32_t)profile->place_ids.len;
	idmap_put(&profile->place_ids, string_key(module), string_key(file), id);
	return id;
}

uint32_t profile_intern_function(struct profile *profile, const struct function *function)
{
	struct function copy = *function;
	copy.name = profile_string(profile, function->name);
	copy.system_name = profile_string(profile, function->system_name);
	copy.short_name = function->short_name
				  ? profile_string(profile, function->short_name)
				  : NULL;
	copy.module = profile_string(profile, function->module);
	copy.file = profile_string(profile, function->file);

	uint64_t name_key = string_key(copy.system_name);
	uint64_t place_key = (uint64_t)intern_place(profile, copy.module, copy.file)
				     << 32 |
			     copy.start_line;
	uint32_t *known = idmap_get(&profile->function_ids, name_key, place_key);
	if (known)
		return *known;
	uint32_t id = profile->functions->len;
	uint32_t *kin = idmap_get(&profile->kin_ids, name_key, string_key(copy.module));
	copy.kin = kin ? *kin : id;
	if (!kin)
		idmap_put(&profile->kin_ids, name_key, string_key(copy.module), id);
	table_append(profile->functions, &copy);
	idmap_put(&profile->function_ids, name_key, place_key, id);
	return id;
}

uint32_t profile_derive_function(struct profile *profile, const struct function *function)
{
	struct function copy = *function;
	if (copy.kin == PROFILE_NONE)
		copy.kin = profile->functions->len;
	return table_append(profile->functions, &copy);
}

uint32_t profile_intern_thread(struct profile *profile, pid_t tid, const char *name)
{
	return profile_intern_thread_of(profile, PROFILE_NONE, tid, name);
}

uint32_t profile_intern_thread_of(
	struct profile *profile, uint32_t process, pid_t tid, const char *name)
{
	struct thread thread = {
		.tid = tid,
		.process = process,
		.name = profile_string(profile, name),
	};
	uint64_t number_key = (uint64_t)process << 32 | (uint32_t)tid;
	uint64_t name_key = string_key(thread.name);
	uint32_t *known = idmap_get(&profile->thread_ids, number_key, name_key);
	if (known)
		return *known;
	uint32_t id = table_append(profile->threads, &thread);
	idmap_put(&profile->thread_ids, number_key, name_key, id);
	return id;
}

uint32_t profile_add_thread(struct profile *profile, pid_t tid, const char *name)
{
	struct thread thread = {
		.tid = tid,
		.process = PROFILE_NONE,
		.name = profile_string(profile, name),
	};
	return table_append(profile->threads, &thread);
}

uint32_t profile_derive_thread(struct profile *profile, uint32_t thread, const char *name)
{
	struct thread copy = *profile_thread(profile, thread);
	copy.name = profile_string(profile, name);
	return table_append(profile->threads, &copy);
}

uint32_t profile_find_location(
	const struct profile *profile, uint32_t mapping, uint64_t address)
{
	uint32_t *known = idmap_get(&profile->location_ids, mapping, address);
	return known ? *known : PROFILE_NONE;
}

uint32_t profile_add_past_location(struct profile *profile, uint32_t mapping,
	uint64_t address, const struct line *lines, uint32_t n_lines)
{
	struct line *copy = mem_alloc(n_lines * sizeof(*copy));
	memcpy(copy, lines, n_lines * sizeof(*copy));
	profile->n_lines += n_lines;
	struct location location = {
		.mapping = mapping,
		.address = address,
		.lines = copy,
		.n_lines = n_lines,
		.detail = profile_string(profile, ""),
	};
	return table_append(profile->locations, &location);
}

uint32_t profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct line *lines, uint32_t n_lines)
{
	uint32_t id =
		profile_add_past_location(profile, mapping, address, lines, n_lines);
	idmap_put(&profile->location_ids, mapping, address, id);
	return id;
}

uint32_t profile_intern_detailed(
	struct profile *profile, const char *name, const char *detail)
{
	const char *text = profile_string(profile, name);
	const char *which = profile_string(profile, detail);
	uint32_t *known =
		idmap_get(&profile->synthetic_ids, string_key(text), string_key(which));
	if (known)
		return *known;
	struct function function = {
		.name = text,
		.system_name = text,
		.module = "",
		.file = "",
		.is_synthetic = true,
	};
	struct line *line = mem_alloc(sizeof(*line));
	*line = (struct line){.function = profile_intern_function(profile, &function)};
	struct location location = {
		.mapping = PROFILE_NONE,
		.lines = line,
		.n_lines = 1,
		.detail = which,
	};
	profile->n_lines++;
	uint32_t id = table_append(profile->locations, &location);
	idmap_put(&profile->synthetic_ids, string_key(text), string_key(which), id);
	return id;
}

static uint32_t kernel_mapping(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->mappings->len; i++)
		if (strcmp(profile_mapping(profile, i)->module, MODULE_KERNEL) == 0)
			return i;
	struct mapping mapping = {
		.path = MODULE_KERNEL,
		.module = MODULE_KERNEL,
		.build_id = "",
	};
	return profile_add_mapping(profile, &mapping);
}

uint32_t profile_intern_kernel(struct profile *profile, const char *name)
{
	const char *text = profile_string(profile, name);
	const char *module = profile_string(profile, MODULE_KERNEL);
	uint32_t *known =
		idmap_get(&profile->synthetic_ids, string_key(text), string_key(module));
	if (known)
		return *known;
	struct function function = {
		.name = text,
		.system_name = text,
		.module = module,
		.file = "",
	};
	struct line line = {.function = profile_intern_function(profile, &function)};
	uint32_t id =
		profile_add_past_location(profile, kernel_mapping(profile), 0, &line, 1);
	idmap_put(&profile->synthetic_ids, string_key(text), string_key(module), id);
	return id;
}

bool function_is_own(const struct function *function)
{
	return function->module[0] && function->module[0] != '[' &&
	       function->name[0] != '[' && !strstr(function->module, ".so");
}

bool function_is_kernel(const struct function *function)
{
	return strcmp(function->module, MODULE_KERNEL) == 0;
}

uint32_t profile_intern_synthetic(struct profile *profile, const char *name)
{
	return profile_intern_detailed(profile, name, "");
}

uint32_t profile_process_function(struct profile *profile, const char *name)
{
	struct function function = {
		.name = name,
		.system_name = name,
		.module = "",
		.file = "",
		.start_line = PROCESS_LINE,
		.is_synthetic = true,
		.is_process = true,
	};
	return profile_intern_function(profile, &function);
}

uint32_t profile_intern_process(
	struct profile *profile, pid_t pid, const char *name, const char *command)
{
	struct profile_process process = {
		.pid = pid,
		.name = profile_string(profile, name),
		.command = profile_string(profile, command),
	};
	char *both = mem_printf("%s\n%s", name, command);
	uint64_t key = string_key(profile_string(profile, both));
	free(both);
	uint32_t *known = idmap_get(&profile->process_ids, (uint64_t)pid, key);
	if (known)
		return *known;
	struct line line = {.function = profile_process_function(profile, name)};
	process.frame = profile_add_past_location(profile, PROFILE_NONE, 0, &line, 1);
	uint32_t id = table_append(profile->processes, &process);
	idmap_put(&profile->process_ids, (uint64_t)pid, key, id);
	idmap_put(&profile->frame_ids, process.frame, 0, id);
	return id;
}

uint32_t profile_process_of_frame(const struct profile *profile, uint32_t id)
{
	uint32_t *known = idmap_get(&profile->frame_ids, id, 0);
	return known ? *known : PROFILE_NONE;
}
