/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/recipe.h"

#include "src/base/newest.h"

#include <string.h>

static bool is_register(enum recipe_register name)
{
	return (unsigned)name < RECIPE_REGISTERS;
}

static bool step_is_valid(const struct recipe_step *step)
{
	return (unsigned)step->op <= RECIPE_SEARCH && is_register(step->from) &&
	       is_register(step->to) && step->length <= RECIPE_BLOCK &&
	       step->ref_length <= RECIPE_BLOCK && step->deep_length <= RECIPE_BLOCK &&
	       ((step->op != RECIPE_ARRAY && step->op != RECIPE_DOWN) ||
		       step->length > 0);
}

static bool area_is_valid(const struct recipe_area *area, uint64_t above)
{
	return area->start >= above && area->limit > area->start &&
	       area->start % RECIPE_BLOCK == 0 && area->limit % RECIPE_BLOCK == 0;
}

bool recipe_is_valid(const struct recipe *recipe)
{
	uint64_t above = 0;
	if (recipe->n_areas > RECIPE_AREAS || recipe->n_known > RECIPE_KNOWN)
		return false;
	for (uint32_t i = 0; i < recipe->n_areas; i++) {
		if (!area_is_valid(&recipe->areas[i], above))
			return false;
		above = recipe->areas[i].limit;
	}
	for (int i = 0; i < RECIPE_STEPS; i++)
		if (!step_is_valid(&recipe->steps[i]))
			return false;
	return true;
}

void recipe_add_area(struct recipe *recipe, uint64_t start, uint64_t limit)
{
	struct recipe_area *last =
		recipe->n_areas ? &recipe->areas[recipe->n_areas - 1] : NULL;
	if (last && last->limit == start)
		last->limit = limit;
	else if (recipe->n_areas < RECIPE_AREAS)
		recipe->areas[recipe->n_areas++] = (struct recipe_area){start, limit};
}

bool recipe_knows(const struct recipe *recipe, uint64_t word)
{
	uint32_t low = 0, high = recipe->n_known;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (recipe->known[middle] < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low < recipe->n_known && recipe->known[low] == word;
}

bool recipe_allows(const struct recipe *recipe, uint64_t block)
{
	uint32_t low = 0, high = recipe->n_areas;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (recipe->areas[middle].limit <= block)
			low = middle + 1;
		else
			high = middle;
	}
	return low < recipe->n_areas && recipe->areas[low].start <= block;
}

void recipe_put(struct recipe_box *box, const struct recipe *recipe)
{
	newest_put(&box->number, &box->recipe, recipe, sizeof(*recipe));
}

bool recipe_take(struct recipe_box *box, uint32_t *number, struct recipe *out)
{
	return newest_take(&box->number, &box->recipe, number, out, sizeof(*out));
}
