/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/idmap.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The finalizer of MurmurHash3 (Appleby, public domain), over both halves. */
uint64_t idmap_hash(uint64_t a, uint64_t b)
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
static struct idmap_entry *slot(const struct idmap *ids, uint64_t a, uint64_t b)
{
	size_t mask = ids->cap - 1;
	size_t i = idmap_hash(a, b) & mask;
	while (ids->entries[i].used && (ids->entries[i].a != a || ids->entries[i].b != b))
		i = (i + 1) & mask;
	return &ids->entries[i];
}

uint32_t *idmap_get(const struct idmap *ids, uint64_t a, uint64_t b)
{
	if (!ids->cap)
		return NULL;
	struct idmap_entry *entry = slot(ids, a, b);
	return entry->used ? &entry->value : NULL;
}

static void grow(struct idmap *ids)
{
	struct idmap bigger = {.len = ids->len, .cap = ids->cap ? ids->cap * 2 : 64};
	bigger.entries = mem_zalloc(bigger.cap * sizeof(*bigger.entries));
	for (size_t i = 0; i < ids->cap; i++) {
		const struct idmap_entry *old = &ids->entries[i];
		if (old->used)
			*slot(&bigger, old->a, old->b) = *old;
	}
	free(ids->entries);
	*ids = bigger;
}

void idmap_put(struct idmap *ids, uint64_t a, uint64_t b, uint32_t value)
{
	if ((ids->len + 1) * 4 > ids->cap * 3)
		grow(ids);
	struct idmap_entry *entry = slot(ids, a, b);
	if (!entry->used)
		ids->len++;
	*entry = (struct idmap_entry){.a = a, .b = b, .value = value, .used = 1};
}

void idmap_clear(struct idmap *ids)
{
	if (ids->cap)
		memset(ids->entries, 0, ids->cap * sizeof(*ids->entries));
	ids->len = 0;
}

void idmap_finish(struct idmap *ids)
{
	free(ids->entries);
	*ids = (struct idmap){0};
}
