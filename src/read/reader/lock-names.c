/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/lock-names.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/demangle.h"
#include "src/process/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KNOWN_MAX = 256,      /* each is a search of the symbols of a file */
	LOCK_MAX_BYTES = 64,  /* of larger variables it is said where in them */
	NAME_MAX_BYTES = 120, /* a detail has room for 192 */
};

void lock_names_finish(struct lock_names *names)
{
	vec_each (&names->known, variable)
		free(variable->name);
	vec_free(&names->known);
}

/* The name of OBJECT, to be freed; LIBRARY is "" in the program itself. */
static char *say(const struct elf_object *object, uint64_t address, const char *library)
{
	char clean[CLEAN_MAX];
	char *plain = demangle(object->name, DEMANGLE_FULL);
	const char *best = plain ? plain : object->name;
	clean_text(clean, sizeof(clean), best, strlen(best));
	free(plain);
	/* The words by which a detail is taken apart (src/count/locks/wait-name.h). */
	if (strstr(clean, " held by ") || strstr(clean, " -> "))
		return NULL;
	char *where = object->is_shared
			      ? mem_printf(" at 0x%llx", (unsigned long long)address)
			      : mem_strdup("");
	char *name = mem_printf("%.*s%s%s%s%s", NAME_MAX_BYTES, clean, where,
		*library ? " (" : "", library, *library ? ")" : "");
	free(where);
	return name;
}

static const char *library_of(struct address_space *space, uint64_t code)
{
	const struct region *region = address_space_find(space, code);
	const struct region *program = address_space_main(space);
	if (!region || (program && strcmp(region->path, program->path) == 0))
		return "";
	const char *slash = strrchr(region->path, '/');
	return slash ? slash + 1 : region->path;
}

static void find(
	struct address_space *space, uint64_t address, struct known_variable *out)
{
	struct elf_image *image;
	struct elf_object object;
	uint64_t after = 0, bias;
	*out = (struct known_variable){.start = address, .size = 1};
	while ((image = address_space_next_image(space, NULL, &after, &bias)))
		if (elf_image_object_at(image, address - bias, &object)) {
			*out = (struct known_variable){.start = object.vaddr + bias,
				.size = object.size,
				.name = say(&object, object.vaddr + bias,
					library_of(space, after - 1))};
			free(object.name);
			return;
		}
}

static const struct known_variable *known_at(
	struct lock_names *names, struct address_space *space, uint64_t address)
{
	struct known_variable variable;
	if (names->generation != address_space_generation(space)) {
		lock_names_finish(names);
		names->generation = address_space_generation(space);
	}
	vec_each (&names->known, known)
		if (address - known->start < known->size)
			return known;
	if (names->known.len >= KNOWN_MAX)
		return NULL;
	find(space, address, &variable);
	vec_push(&names->known, variable);
	return &names->known.data[names->known.len - 1];
}

void lock_names_append(struct lock_names *names, struct address_space *space,
	uint64_t address, char *text, size_t size)
{
	const struct known_variable *known = known_at(names, space, address);
	size_t length = strlen(text);
	if (!known || !known->name)
		return;
	snprintf(text + length, size - length, " -> %s", known->name);
	length = strlen(text);
	if (known->size > LOCK_MAX_BYTES && address != known->start)
		snprintf(text + length, size - length, "+0x%llx",
			(unsigned long long)(address - known->start));
}
