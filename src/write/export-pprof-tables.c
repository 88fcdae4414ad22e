/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/export-pprof-tables.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The first half of a key of `places`. */
enum kind {
	KIND_STRING, /* id: the address of the string in the pool */
	KIND_FUNCTION,
	KIND_LOCATION,
	KIND_MAPPING,
};

void *pprof_keep(struct pprof *pprof, size_t count, size_t size)
{
	void *memory = mem_zalloc(count * size);
	vec_push(&pprof->kept, memory);
	return memory;
}

int64_t pprof_string(struct pprof *pprof, const char *text)
{
	const char *interned = strpool_intern(&pprof->pool, text);
	uint64_t address = (uint64_t)(uintptr_t)interned;
	uint32_t *known = idmap_get(&pprof->places, KIND_STRING, address);
	if (known)
		return *known;
	idmap_put(&pprof->places, KIND_STRING, address, (uint32_t)pprof->strings.len);
	vec_push(&pprof->strings, (char *)interned);
	return (int64_t)pprof->strings.len - 1;
}

static uint64_t write_function(struct pprof *pprof, uint32_t source)
{
	uint32_t *known = idmap_get(&pprof->places, KIND_FUNCTION, source);
	if (known)
		return *known + 1;
	const struct function *function = profile_function(pprof->profile, source);
	PB(Function) *message = pprof_keep(pprof, 1, sizeof(*message));
	perftools__profiles__function__init(message);
	message->id = pprof->functions.len + 1;
	message->name = pprof_string(pprof, function->name);
	message->system_name = pprof_string(pprof, function->system_name);
	message->filename = pprof_string(pprof, function->file);
	message->start_line = function->start_line;
	idmap_put(&pprof->places, KIND_FUNCTION, source, (uint32_t)pprof->functions.len);
	vec_push(&pprof->functions, message);
	return message->id;
}

static void note_mapping(struct pprof *pprof, uint32_t source)
{
	if (source == PROFILE_NONE || idmap_get(&pprof->places, KIND_MAPPING, source))
		return;
	/* pprof_write_mappings sets the index, when all mappings are known. */
	idmap_put(&pprof->places, KIND_MAPPING, source, 0);
	vec_push(&pprof->mapping_sources, source);
}

/* Add a location to the file, with the lines FIRST to LIMIT - 1 of LOCATION, which is
   SOURCE in the profile. */
static uint64_t add_location(struct pprof *pprof, uint32_t source,
	const struct location *location, uint32_t first, uint32_t limit)
{
	PB(Location) *message = pprof_keep(pprof, 1, sizeof(*message));
	perftools__profiles__location__init(message);
	message->id = pprof->locations.len + 1;
	message->address = location->address;
	message->n_line = limit - first;
	message->line = pprof_keep(pprof, message->n_line, sizeof(*message->line));
	const struct origin *origin = pprof->report->origin;
	unsigned flags = origin_location_flags(origin, source);
	message->is_folded = flags & LOCATION_FOLDED;
	if (flags & LOCATION_NAMELESS)
		message->n_line = 0;
	PB(Line) *lines = pprof_keep(pprof, message->n_line, sizeof(*lines));
	for (uint32_t i = 0; i < message->n_line; i++) {
		const struct line *line = &location->lines[first + i];
		perftools__profiles__line__init(&lines[i]);
		lines[i].function_id = write_function(pprof, line->function);
		lines[i].line = line->line;
		lines[i].column = origin ? origin_column(origin, source, first + i) : 0;
		message->line[i] = &lines[i];
	}
	note_mapping(pprof, location->mapping);
	vec_push(&pprof->locations, message);
	vec_push(&pprof->location_sources, source);
	return message->id;
}

uint32_t pprof_split_of(const struct pprof *pprof, uint32_t source)
{
	return pprof->split ? report_described(pprof->report, source)->n_lines : 1;
}

uint64_t pprof_location(struct pprof *pprof, uint32_t source)
{
	uint32_t *known = idmap_get(&pprof->places, KIND_LOCATION, source);
	if (known)
		return *known + 1;
	const struct location *location = report_described(pprof->report, source);
	uint32_t first = (uint32_t)pprof->locations.len;
	idmap_put(&pprof->places, KIND_LOCATION, source, first);
	if (!pprof->split)
		return add_location(pprof, source, location, 0, location->n_lines);
	for (uint32_t i = 0; i < location->n_lines; i++)
		add_location(pprof, source, location, i, i + 1);
	return first + 1;
}

/* The main executable first, because readers take the first mapping for it; then by
   address. */
static int compare_mappings(const void *a, const void *b, void *profile)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct mapping *m = profile_mapping(profile, x),
			     *n = profile_mapping(profile, y);
	if (m->is_main != n->is_main)
		return m->is_main ? -1 : 1;
	if (m->start != n->start)
		return m->start < n->start ? -1 : 1;
	return (x > y) - (x < y);
}

/* Set has_functions when one location of the mapping has a name: without that flag pprof
   looks up all names again and replaces ours by what it finds, often less. A location
   without a file name or a line number clears the flag for those; one with inlined
   functions sets the flag for them. Code without a name is called "[module+offset]". */
static void judge_location(PB(Mapping) * mapping, const struct profile *profile,
	const struct location *location)
{
	for (uint32_t i = 0; i < location->n_lines; i++) {
		const struct function *function =
			profile_function(profile, location->lines[i].function);
		if (function->name[0] != '[')
			mapping->has_functions = true;
		if (function->file[0] == '\0')
			mapping->has_filenames = false;
		if (location->lines[i].line == 0)
			mapping->has_line_numbers = false;
	}
	if (location->n_lines > 1)
		mapping->has_inline_frames = true;
}

static void write_mapping(struct pprof *pprof, uint32_t source, bool is_referenced)
{
	const struct mapping *mapping = profile_mapping(pprof->profile, source);
	const struct origin *origin = pprof->report->origin;
	PB(Mapping) *message = pprof_keep(pprof, 1, sizeof(*message));

	perftools__profiles__mapping__init(message);
	message->id = pprof->mappings.len + 1;
	message->memory_start = mapping->start;
	message->memory_limit = mapping->limit;
	message->file_offset = mapping->file_offset;
	message->filename = pprof_string(pprof, mapping->path);
	message->build_id = pprof_string(pprof, mapping->build_id);
	message->has_functions = false;
	message->has_filenames = is_referenced;
	message->has_line_numbers = is_referenced;
	if (origin) {
		const struct mapping_claims *claims = &origin->of_mapping.data[source];
		message->has_functions = claims->has_functions;
		message->has_filenames = claims->has_filenames;
		message->has_line_numbers = claims->has_line_numbers;
		message->has_inline_frames = claims->has_inline_frames;
	}
	idmap_put(&pprof->places, KIND_MAPPING, source, (uint32_t)pprof->mappings.len);
	vec_push(&pprof->mappings, message);
}

/* A file's are all kept, in its order: none is added to them while somebody reads. */
static void write_mapping_table(struct pprof *pprof)
{
	uint32_t main_mapping = pprof->report->main_mapping;
	bool has_main = false;
	if (pprof->report->origin) {
		for (uint32_t id = 0; id < pprof->profile->mappings->len; id++)
			write_mapping(pprof, id, true);
		return;
	}
	vec_each (&pprof->mapping_sources, source)
		has_main |= profile_mapping(pprof->profile, *source)->is_main;
	if (!has_main && main_mapping != PROFILE_NONE)
		write_mapping(pprof, main_mapping, false);
	if (pprof->mapping_sources.len)
		qsort_r(pprof->mapping_sources.data, pprof->mapping_sources.len,
			sizeof(uint32_t), compare_mappings, (void *)pprof->profile);
	vec_each (&pprof->mapping_sources, source)
		write_mapping(pprof, *source, true);
}

void pprof_write_mappings(struct pprof *pprof)
{
	write_mapping_table(pprof);
	for (size_t i = 0; i < pprof->locations.len; i++) {
		const struct location *location =
			report_described(pprof->report, pprof->location_sources.data[i]);
		if (location->mapping == PROFILE_NONE)
			continue;
		PB(Mapping) *mapping = pprof->mappings.data[*idmap_get(
			&pprof->places, KIND_MAPPING, location->mapping)];
		pprof->locations.data[i]->mapping_id = mapping->id;
		if (!pprof->report->origin)
			judge_location(mapping, pprof->profile, location);
	}
	if (pprof->report->origin)
		return;
	/* Without lines nothing is known about inlined functions either. */
	vec_each (&pprof->mappings, mapping)
		if (!(*mapping)->has_line_numbers)
			(*mapping)->has_inline_frames = false;
}

void pprof_finish(struct pprof *pprof)
{
	free(pprof->numbers);
	free(pprof->part);
	vec_each (&pprof->kept, memory)
		free(*memory);
	vec_free(&pprof->kept);
	vec_free(&pprof->strings);
	vec_free(&pprof->functions);
	vec_free(&pprof->locations);
	vec_free(&pprof->location_sources);
	vec_free(&pprof->mapping_sources);
	vec_free(&pprof->mappings);
	vec_free(&pprof->samples);
	vec_free(&pprof->location_ids);
	idmap_finish(&pprof->places);
	strpool_finish(&pprof->pool);
}
