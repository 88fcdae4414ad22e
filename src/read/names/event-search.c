/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/event-search.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `known` has of a mapping; from FOUND on how far behind its start it is, and in the lowest bits
   the logarithm of its bytes. */
enum {
	NOT_THERE,
	CHOSEN_LATER,
	FOUND,
	SIZE_BITS = 2,
	SIZE_MASK = (1 << SIZE_BITS) - 1,
};

/* A watchpoint has 1, 2, 4 or 8 bytes, at a multiple of that: as many as SIZE has there. */
static uint32_t log_of_bytes(uint64_t address, uint64_t size)
{
	uint32_t log = SIZE_MASK;
	while (log > 0 && (size < (uint64_t)1 << log || address % (1u << log) != 0))
		log--;
	return log;
}

/* A function is in the code that is mapped there. */
static uint32_t look_for_function(struct code_names *names, const struct region *region,
	uint64_t bias, const char *name)
{
	struct elf_function function;
	if (!code_names_function(names, name, &function))
		return NOT_THERE;
	uint64_t offset = function.vaddr + bias - region->start;
	if (offset >= region->limit - region->start ||
		offset >= (UINT32_MAX >> SIZE_BITS) - FOUND)
		return NOT_THERE;
	return function.is_indirect ? CHOSEN_LATER
				    : ((uint32_t)offset << SIZE_BITS) + FOUND;
}

/* A variable is in what is mapped of the same file behind its code. */
static uint32_t look_for_variable(struct code_names *names, const struct region *region,
	uint64_t bias, const char *name)
{
	uint64_t vaddr, size;
	if (!code_names_variable(names, name, &vaddr, &size))
		return NOT_THERE;
	uint64_t offset = vaddr + bias - region->start;
	if (offset >= (UINT32_MAX >> SIZE_BITS) - FOUND)
		return NOT_THERE;
	return ((uint32_t)offset << SIZE_BITS) + log_of_bytes(vaddr, size) + FOUND;
}

static uint32_t known_of(struct event_search *search, struct address_space *space,
	uint64_t start, const struct event *event)
{
	uint64_t bias;
	const struct region *region = address_space_find(space, start);
	const uint32_t *known =
		region ? idmap_get(&search->known, start, region->inode) : NULL;
	if (known)
		return *known;
	struct code_names *names =
		region ? address_space_names(space, region, &bias) : NULL;
	uint32_t is = NOT_THERE;
	if (names && event->kind == EVENT_FUNCTION)
		is = look_for_function(names, region, bias, event->place);
	else if (names)
		is = look_for_variable(names, region, bias, event->place);
	if (region)
		idmap_put(&search->known, start, region->inode, is);
	return is;
}

__attribute__((format(printf, 2, 3))) static void say(
	struct event_search *search, const char *format, ...)
{
	size_t used = strlen(search->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(search->text + used, sizeof(search->text) - used, format, arguments);
	va_end(arguments);
}

static const char *file_of(const struct region *region)
{
	const char *slash = strrchr(region->path, '/');
	return slash ? slash + 1 : region->path;
}

static void add(struct event_search *search, const struct region *region,
	const struct event *event, uint32_t known)
{
	struct event_places *found = &search->found;
	bool is_first = found->count == 0, has_room = found->count < EVENT_PLACES;
	bool is_function = event->kind == EVENT_FUNCTION;
	if (is_first)
		say(search, "%s %s in %s", is_function ? "calls of" : "writes to",
			event->place, file_of(region));
	else
		say(search, has_room ? ", %s" : "; not %s", file_of(region));
	if (has_room)
		found->places[found->count++] = (struct event_place){
			.address = region->start + (known >> SIZE_BITS),
			.start = region->start,
			.limit = region->limit,
			.file_offset = region->file_offset,
			.bytes = is_function ? 0 : 1u << (known & SIZE_MASK),
		};
}

/* Where a file has the name for what only chooses. */
static void explain(struct event_search *search, struct address_space *space,
	const struct event *event)
{
	const struct region *region;
	for (uint64_t at = 0; (region = address_space_region_from(space, at));
		at = region->limit) {
		const uint32_t *known =
			idmap_get(&search->known, region->start, region->inode);
		if (!known || *known != CHOSEN_LATER)
			continue;
		say(search,
			"%s%s chooses by the processor which function %s is, so -e needs "
			"that one's name, which a profile of CPU time shows",
			search->text[0] ? "; " : "", file_of(region), event->place);
		return;
	}
	if (!search->found.count)
		say(search,
			"-e %s: neither the program nor its libraries have a %s of that "
			"name",
			event->name,
			event->kind == EVENT_FUNCTION ? "function" : "variable");
}

/* "0x7f12a0": the same for every mapping. */
static bool is_address(const char *text, uint64_t *address)
{
	char *end;
	*address = strtoull(text, &end, 16);
	return strncmp(text, "0x", 2) == 0 && !*end;
}

bool event_search_look(struct event_search *search, struct address_space *space,
	const struct event *event)
{
	const struct region *region;
	struct event_places before = search->found;
	uint64_t address;
	if (search->text[0] && search->generation == address_space_generation(space))
		return false;
	search->generation = address_space_generation(space);
	search->found = (struct event_places){.count = 0};
	search->text[0] = '\0';
	if (event->kind == EVENT_WRITE && is_address(event->place, &address)) {
		uint32_t bytes = 1u << log_of_bytes(address, 1 << SIZE_MASK);
		search->found = (struct event_places){1, {{address, .bytes = bytes}}};
		say(search, "writes to %u bytes at %s", bytes, event->place);
		return memcmp(&before, &search->found, sizeof(before)) != 0;
	}
	for (uint64_t at = 0; (region = address_space_region_from(space, at));
		at = region->limit) {
		if (!(region->permissions & REGION_EXECUTE) || region->inode == 0)
			continue;
		uint32_t known = known_of(search, space, region->start, event);
		region = address_space_region_from(space, at);
		if (known >= FOUND)
			add(search, region, event, known - FOUND);
	}
	explain(search, space, event);
	return memcmp(&before, &search->found, sizeof(before)) != 0;
}

bool event_search_has(const struct event_search *search, uint64_t address)
{
	for (uint32_t i = 0; i < search->found.count; i++)
		if (search->found.places[i].address == address)
			return true;
	return false;
}

void event_search_finish(struct event_search *search)
{
	idmap_finish(&search->known);
}
