/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe-areas: the memory of a process that a recipe may let the tracer read in a stop:
 * anonymous memory, shared or not, and pages of a file's variables that were written to. Reading these waits
 * for no file's server. The reader's thread.
 */
#ifndef CPROFTOP_RECIPE_AREAS_H
#define CPROFTOP_RECIPE_AREAS_H

#include "src/facts/recipe.h"
#include "src/process/region.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>

/* Add to RECIPE, which has none, the areas of SPACE; of variables those of FILE. Whether these were
   written to takes two reads a page: that is only done if LOOK, and of pages that are not in OLD,
   the recipe before; what was written to stays so. */
void recipe_areas_add(struct recipe *recipe, struct address_space *space,
	const struct region_file *file, const struct recipe *old, bool look);

#endif
