/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/recipe-areas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Is the page at ADDRESS, of a private mapping of FILE at OFFSET, another one than the file's?
   Then it is anonymous memory. */
static bool is_page_copied(
	struct address_space *space, int file, uint64_t address, uint64_t offset)
{
	unsigned char now[RECIPE_BLOCK],
		then[RECIPE_BLOCK] = {0}; /* behind the file's end */
	if (address_space_read(space, address, now, sizeof(now)) != sizeof(now))
		return false;
	return pread(file, then, sizeof(then), (off_t)offset) >= 0 &&
	       memcmp(now, then, sizeof(now)) != 0;
}

/* The file of which variables are, by its code; -1: it is not there. */
static int open_file(struct address_space *space, const struct region_file *file)
{
	const struct region *code = NULL;
	uint64_t bias;
	for (uint64_t at = 0; (code = address_space_region_from(space, at));
		at = code->limit)
		if (region_is_of(code, file) && (code->permissions & REGION_EXECUTE))
			break;
	code = code ? address_space_find(space, code->start) : NULL;
	struct elf_image *image = code ? address_space_image(space, code, &bias) : NULL;
	return image ? elf_image_dup(image) : -1;
}

static void add_variables(struct recipe *recipe, struct address_space *space,
	const struct region *region, int file, const struct recipe *old)
{
	for (uint64_t page = region->start; page < region->limit; page += RECIPE_BLOCK)
		if (recipe_allows(old, page) ||
			(file >= 0 &&
				is_page_copied(space, file, page,
					region->file_offset + (page - region->start))))
			recipe_add_area(recipe, page, page + RECIPE_BLOCK);
}

/* Memory that processes share: the kernel's own file system, which no server has. */
static bool is_shared_memory(const struct region *region)
{
	return region->dev_major == 0 && region->dev_minor == 1 &&
	       strcmp(region->path, "/dev/zero (deleted)") == 0;
}

void recipe_areas_add(struct recipe *recipe, struct address_space *space,
	const struct region_file *file, const struct recipe *old, bool look)
{
	int opened = look ? open_file(space, file) : -1;
	const unsigned both = REGION_READ | REGION_WRITE;
	const struct region *region;
	for (uint64_t at = 0; (region = address_space_region_from(space, at));
		at = region->limit) {
		if ((region->permissions & both) != both)
			continue;
		if (region_is_anonymous(region) || is_shared_memory(region))
			recipe_add_area(recipe, region->start, region->limit);
		else if (region_is_of(region, file))
			add_variables(recipe, space, region, opened, old);
	}
	if (opened >= 0)
		close(opened);
}
