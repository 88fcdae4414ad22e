/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/function-places.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What `known` has of a mapping; from FOUND on the offset of the function is added. */
enum {
	NOT_THERE,
	CHOSEN_LATER,
	FOUND,
};

static uint32_t look_at(
	struct address_space *space, const struct region *region, const char *name)
{
	uint64_t bias;
	struct elf_function function;
	region = address_space_find(space, region->start);
	struct code_names *names =
		region ? address_space_names(space, region, &bias) : NULL;
	if (!names || !code_names_function(names, name, &function))
		return NOT_THERE;
	uint64_t offset = function.vaddr + bias - region->start;
	if (offset >= region->limit - region->start || offset > UINT32_MAX - FOUND)
		return NOT_THERE;
	return function.is_indirect ? CHOSEN_LATER : (uint32_t)offset + FOUND;
}

static uint32_t known_of(struct function_places *places, struct address_space *space,
	const struct region *region, const char *name)
{
	const uint32_t *known = idmap_get(&places->known, region->start, region->inode);
	if (known)
		return *known;
	uint32_t is = look_at(space, region, name);
	idmap_put(&places->known, region->start, region->inode, is);
	return is;
}

__attribute__((format(printf, 2, 3))) static void say(
	struct function_places *places, const char *format, ...)
{
	size_t used = strlen(places->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(places->text + used, sizeof(places->text) - used, format, arguments);
	va_end(arguments);
}

static const char *file_of(const struct region *region)
{
	const char *slash = strrchr(region->path, '/');
	return slash ? slash + 1 : region->path;
}

static void add(struct function_places *places, const struct region *region,
	const char *name, uint32_t offset)
{
	struct event_places *found = &places->found;
	bool is_first = found->count == 0, has_room = found->count < EVENT_PLACES;
	say(places,
		is_first   ? "calls of %s in %s"
		: has_room ? ", %s%s"
			   : "; not %s%s",
		is_first ? name : "", file_of(region));
	if (has_room)
		found->places[found->count++] = (struct event_place){
			.address = region->start + offset,
			.start = region->start,
			.limit = region->limit,
			.file_offset = region->file_offset,
		};
}

/* Where a file has the name for what only chooses. */
static void explain(
	struct function_places *places, struct address_space *space, const char *name)
{
	const struct region *region;
	for (uint64_t at = 0; (region = address_space_region_from(space, at));
		at = region->limit) {
		const uint32_t *known =
			idmap_get(&places->known, region->start, region->inode);
		if (!known || *known != CHOSEN_LATER)
			continue;
		say(places,
			"%s%s chooses by the processor which function %s is, so -e needs "
			"that one's name, which a profile of CPU time shows",
			places->text[0] ? "; " : "", file_of(region), name);
		return;
	}
	if (!places->found.count)
		say(places,
			"-e %s: neither the program nor its libraries have a function "
			"of that name",
			name);
}

bool function_places_look(
	struct function_places *places, struct address_space *space, const char *name)
{
	const struct region *region;
	struct event_places before = places->found;
	if (places->text[0] && places->generation == address_space_generation(space))
		return false;
	places->generation = address_space_generation(space);
	places->found = (struct event_places){.count = 0};
	places->text[0] = '\0';
	for (uint64_t at = 0; (region = address_space_region_from(space, at));
		at = region->limit) {
		if (!(region->permissions & REGION_EXECUTE) || region->inode == 0)
			continue;
		uint32_t known = known_of(places, space, region, name);
		region = address_space_region_from(space, at);
		if (known >= FOUND)
			add(places, region, name, known - FOUND);
	}
	explain(places, space, name);
	return memcmp(&before, &places->found, sizeof(before)) != 0;
}

bool function_places_has(const struct function_places *places, uint64_t address)
{
	for (uint32_t i = 0; i < places->found.count; i++)
		if (places->found.places[i].address == address)
			return true;
	return false;
}

void function_places_finish(struct function_places *places)
{
	idmap_finish(&places->known);
}
