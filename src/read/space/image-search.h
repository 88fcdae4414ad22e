/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-search: each file whose code has run, once, for who looks for a runtime among them.
 *
 * Asked at every reading of a ring, so it does nothing unless mappings have changed or other
 * code has run. A zeroed one has seen nothing. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_IMAGE_SEARCH_H
#define CPROFTOP_IMAGE_SEARCH_H

#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	IMAGE_SEARCH_FILES = 64, /* the first so many are seen */
};

struct image_search {
	uint64_t biases[IMAGE_SEARCH_FILES];
	unsigned count;
	uint64_t changes; /* of the address space, and how much of its code had run, */
	size_t used;	  /* when nothing was left to be seen */
};

/* May there be files that were not seen yet? */
bool image_search_is_due(
	const struct image_search *search, const struct address_space *space);

/* The next file that was not seen, its *BIAS, and the end of its *CODE; NULL if there is none,
   until there is news. */
struct elf_image *image_search_next(struct image_search *search,
	struct address_space *space, uint64_t *bias, uint64_t *code);

#endif
