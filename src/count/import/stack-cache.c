/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/stack-cache.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	N_PLACES = 1 << 15,
	LENGTH_MAX = 256, /* 32 MB in all */
};

struct place {
	uint32_t *locations; /* NULL: empty */
	uint32_t length, stack;
};

struct stack_cache {
	struct place places[N_PLACES];
};

struct stack_cache *stack_cache_create(void)
{
	return mem_zalloc(sizeof(struct stack_cache));
}

void stack_cache_destroy(struct stack_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < N_PLACES; i++)
		free(cache->places[i].locations);
	free(cache);
}

static size_t place_of(const uint32_t *locations, size_t length)
{
	uint64_t hash = length;
	for (size_t i = 0; i < length; i++) {
		hash = (hash ^ locations[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash % N_PLACES;
}

bool stack_cache_find(const struct stack_cache *cache, const uint32_t *locations,
	size_t length, uint32_t *stack)
{
	if (length == 0 || length > LENGTH_MAX)
		return false;
	const struct place *place = &cache->places[place_of(locations, length)];
	if (!place->locations || place->length != length ||
		memcmp(place->locations, locations, length * sizeof(*locations)) != 0)
		return false;
	*stack = place->stack;
	return true;
}

void stack_cache_put(struct stack_cache *cache, const uint32_t *locations, size_t length,
	uint32_t stack)
{
	if (length == 0 || length > LENGTH_MAX)
		return;
	struct place *place = &cache->places[place_of(locations, length)];
	free(place->locations);
	*place = (struct place){
		.locations = mem_alloc(length * sizeof(*locations)),
		.length = (uint32_t)length,
		.stack = stack,
	};
	memcpy(place->locations, locations, length * sizeof(*locations));
}
