/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id-index: finds an id by a pair of numbers that its owner keeps beside it anyway.
 *
 * It does what an idmap does (src/base/idmap.h) for a table whose entries have their own key, as a
 * node of a tree knows its parent: an entry takes 8 bytes here on the average, where it takes 64
 * in an idmap. A zeroed index is empty and valid. One thread at a time.
 */
#ifndef CPROFTOP_ID_INDEX_H
#define CPROFTOP_ID_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_index {
	uint32_t *slots; /* ids, and 1 more; 0: empty */
	size_t len, cap; /* cap is 0 or a power of two */
};

/* Whose ids they are. No two of them may have the same key. */
struct id_owner {
	void (*key)(const void *owner, uint32_t id, uint64_t key[2]);
	const void *owner;
};

/* The id with the key (A, B), in *ID; false: there is none. */
bool id_index_find(const struct id_index *index, struct id_owner owner, uint64_t a,
	uint64_t b, uint32_t *id);

/* Add ID, whose key is not there yet. */
void id_index_add(struct id_index *index, struct id_owner owner, uint32_t id);

void id_index_finish(struct id_index *index);

#endif
