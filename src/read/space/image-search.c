/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/image-search.h"

bool image_search_is_due(
	const struct image_search *search, const struct address_space *space)
{
	return search->count < IMAGE_SEARCH_FILES &&
	       (search->changes != address_space_changes(space) ||
		       search->used != address_space_used(space));
}

static bool is_seen(const struct image_search *search, uint64_t bias)
{
	for (unsigned i = 0; i < search->count; i++)
		if (search->biases[i] == bias)
			return true;
	return false;
}

struct elf_image *image_search_next(struct image_search *search,
	struct address_space *space, uint64_t *bias, uint64_t *code)
{
	struct elf_image *image;
	*code = 0;
	while (image_search_is_due(search, space) &&
		(image = address_space_next_image(space, NULL, code, bias)))
		if (!is_seen(search, *bias)) {
			search->biases[search->count++] = *bias;
			return image;
		}
	search->changes = address_space_changes(space);
	search->used = address_space_used(space);
	return NULL;
}
