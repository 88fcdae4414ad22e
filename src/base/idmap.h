/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idmap: a hash table from a pair of 64-bit numbers to a 32-bit id.
 *
 * Everything that the analyst interns (stack nodes, locations, functions) has such a key:
 * a parent and a child, a mapping and an address, or the addresses of two interned
 * strings. Open addressing, linear probing, at most 3/4 full; single entries are never
 * removed; idmap_clear removes all. A zeroed idmap is empty and valid. One thread at a time.
 */
#ifndef CPROFTOP_IDMAP_H
#define CPROFTOP_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_entry {
	uint64_t a, b;
	uint32_t value;
	uint32_t used;
};

struct idmap {
	struct idmap_entry *entries;
	size_t len, cap; /* cap is 0 or a power of two */
};

/* The value stored under (a, b), or NULL. The pointer is valid until the next idmap_put. */
uint32_t *idmap_get(const struct idmap *ids, uint64_t a, uint64_t b);

/* Store VALUE under (a, b), replacing what was there. */
void idmap_put(struct idmap *ids, uint64_t a, uint64_t b, uint32_t value);

/* Where such a table begins to look for (a, b): well mixed. */
uint64_t idmap_hash(uint64_t a, uint64_t b);

void idmap_clear(struct idmap *ids); /* keeps the memory */
void idmap_finish(struct idmap *ids);

#endif
