/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/frame-cache.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	N_PLACES = 1 << 17,
	TEXT_MAX = 512, /* of both texts together: 64 MB in all */
};

struct place {
	char *texts; /* the name, then the file; NULL: empty */
	uint32_t name_length, file_length;
	uint32_t location;
};

struct frame_cache {
	struct place places[N_PLACES];
};

struct frame_cache *frame_cache_create(void)
{
	return mem_zalloc(sizeof(struct frame_cache));
}

void frame_cache_destroy(struct frame_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < N_PLACES; i++)
		free(cache->places[i].texts);
	free(cache);
}

/* Eight bytes at a time. It need not be a good hash: who is in the wrong place is not found,
   and that is all. */
static uint64_t hash_part(uint64_t hash, struct part part)
{
	uint64_t word;
	hash ^= part.length;
	for (; part.length >= sizeof(word);
		part.text += sizeof(word), part.length -= sizeof(word)) {
		memcpy(&word, part.text, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, part.text, part.length);
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static size_t place_of(struct part name, struct part file)
{
	return hash_part(hash_part(0, name), file) % N_PLACES;
}

bool frame_cache_find(const struct frame_cache *cache, struct part name, struct part file,
	uint32_t *location)
{
	const struct place *place = &cache->places[place_of(name, file)];
	if (!place->texts || place->name_length != name.length ||
		place->file_length != file.length ||
		memcmp(place->texts, name.text, name.length) != 0 ||
		memcmp(place->texts + name.length, file.text, file.length) != 0)
		return false;
	*location = place->location;
	return true;
}

void frame_cache_put(
	struct frame_cache *cache, struct part name, struct part file, uint32_t location)
{
	if (name.length > TEXT_MAX || file.length > TEXT_MAX - name.length)
		return;
	struct place *place = &cache->places[place_of(name, file)];
	free(place->texts);
	*place = (struct place){
		.texts = mem_alloc(name.length + file.length + 1),
		.name_length = (uint32_t)name.length,
		.file_length = (uint32_t)file.length,
		.location = location,
	};
	memcpy(place->texts, name.text, name.length);
	memcpy(place->texts + name.length, file.text, file.length);
}
