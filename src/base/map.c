/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/map.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The finalizer of MurmurHash3 (Appleby, public domain), over both halves. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u ^ b;
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdu;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53u;
	h ^= h >> 33;
	return h;
}

/* The slot that holds (a, b), or the empty slot where it belongs. */
static struct map_entry *slot(const struct map *map, uint64_t a, uint64_t b)
{
	size_t mask = map->cap - 1;
	size_t i = mix(a, b) & mask;
	while (map->entries[i].used && (map->entries[i].a != a || map->entries[i].b != b))
		i = (i + 1) & mask;
	return &map->entries[i];
}

uint32_t *map_get(const struct map *map, uint64_t a, uint64_t b)
{
	if (!map->cap)
		return NULL;
	struct map_entry *entry = slot(map, a, b);
	return entry->used ? &entry->value : NULL;
}

static void grow(struct map *map)
{
	struct map bigger = {.len = map->len, .cap = map->cap ? map->cap * 2 : 64};
	bigger.entries = mem_zalloc(bigger.cap * sizeof(*bigger.entries));
	for (size_t i = 0; i < map->cap; i++) {
		const struct map_entry *old = &map->entries[i];
		if (old->used)
			*slot(&bigger, old->a, old->b) = *old;
	}
	free(map->entries);
	*map = bigger;
}

void map_put(struct map *map, uint64_t a, uint64_t b, uint32_t value)
{
	if ((map->len + 1) * 4 > map->cap * 3)
		grow(map);
	struct map_entry *entry = slot(map, a, b);
	if (!entry->used)
		map->len++;
	*entry = (struct map_entry){.a = a, .b = b, .value = value, .used = 1};
}

void map_clear(struct map *map)
{
	if (map->cap)
		memset(map->entries, 0, map->cap * sizeof(*map->entries));
	map->len = 0;
}

void map_finish(struct map *map)
{
	free(map->entries);
	*map = (struct map){0};
}
