/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/id-index.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* The slot that holds the id with this key, or the empty slot where it belongs. */
static uint32_t *slot(
	const struct id_index *index, struct id_owner owner, uint64_t a, uint64_t b)
{
	size_t mask = index->cap - 1;
	for (size_t i = idmap_hash(a, b) & mask;; i = (i + 1) & mask) {
		uint64_t key[2];
		if (index->slots[i] == 0)
			return &index->slots[i];
		owner.key(owner.owner, index->slots[i] - 1, key);
		if (key[0] == a && key[1] == b)
			return &index->slots[i];
	}
}

bool id_index_find(const struct id_index *index, struct id_owner owner, uint64_t a,
	uint64_t b, uint32_t *id)
{
	uint32_t found = index->cap ? *slot(index, owner, a, b) : 0;
	if (found)
		*id = found - 1;
	return found != 0;
}

/* All keys differ, so only an empty slot is looked for. */
static void put(struct id_index *index, struct id_owner owner, uint32_t id)
{
	uint64_t key[2];
	owner.key(owner.owner, id, key);
	size_t mask = index->cap - 1, i = idmap_hash(key[0], key[1]) & mask;
	while (index->slots[i])
		i = (i + 1) & mask;
	index->slots[i] = id + 1;
}

static void grow(struct id_index *index, struct id_owner owner)
{
	struct id_index bigger = {
		.len = index->len, .cap = index->cap ? index->cap * 2 : 64};
	bigger.slots = mem_zalloc(bigger.cap * sizeof(*bigger.slots));
	for (size_t i = 0; i < index->cap; i++)
		if (index->slots[i])
			put(&bigger, owner, index->slots[i] - 1);
	free(index->slots);
	*index = bigger;
}

void id_index_add(struct id_index *index, struct id_owner owner, uint32_t id)
{
	if ((index->len + 1) * 4 > index->cap * 3)
		grow(index, owner);
	put(index, owner, id);
	index->len++;
}

void id_index_finish(struct id_index *index)
{
	free(index->slots);
	*index = (struct id_index){0};
}
