/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/strpool.h"

#include "src/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_BYTES = 64 * 1024
};

struct strpool_block {
	struct strpool_block *next;
	size_t used, size;
	char bytes[];
};

/* FNV-1a, 64 bit (Fowler, Noll, Vo). */
uint64_t strpool_hash(const char *bytes, size_t length)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

static const char **slot(const struct strpool *pool, const char *bytes, size_t length)
{
	size_t mask = pool->cap - 1;
	size_t i = strpool_hash(bytes, length) & mask;
	for (; pool->slots[i]; i = (i + 1) & mask) {
		const char *have = pool->slots[i];
		if (strncmp(have, bytes, length) == 0 && have[length] == '\0')
			break;
	}
	return &pool->slots[i];
}

static void grow(struct strpool *pool)
{
	struct strpool bigger = {.cap = pool->cap ? pool->cap * 2 : 256};
	bigger.slots = mem_zalloc(bigger.cap * sizeof(*bigger.slots));
	for (size_t i = 0; i < pool->cap; i++)
		if (pool->slots[i])
			*slot(&bigger, pool->slots[i], strlen(pool->slots[i])) =
				pool->slots[i];
	free(pool->slots);
	pool->slots = bigger.slots;
	pool->cap = bigger.cap;
}

static char *reserve(struct strpool *pool, size_t size)
{
	struct strpool_block *block = pool->blocks;
	if (!block || block->size - block->used < size) {
		size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
		block = mem_alloc(sizeof(*block) + bytes);
		*block = (struct strpool_block){.next = pool->blocks, .size = bytes};
		pool->blocks = block;
		pool->block_bytes += sizeof(*block) + bytes;
	}
	char *place = block->bytes + block->used;
	block->used += size;
	return place;
}

const char *strpool_intern_bytes(struct strpool *pool, const char *bytes, size_t length)
{
	const char *nul = memchr(bytes, '\0', length);
	if (nul)
		length = (size_t)(nul - bytes);
	if ((pool->len + 1) * 2 > pool->cap)
		grow(pool);
	const char **place = slot(pool, bytes, length);
	if (!*place) {
		char *copy = reserve(pool, length + 1);
		memcpy(copy, bytes, length);
		copy[length] = '\0';
		*place = copy;
		pool->len++;
	}
	return *place;
}

const char *strpool_intern(struct strpool *pool, const char *text)
{
	return strpool_intern_bytes(pool, text, strlen(text));
}

const char *strpool_find(const struct strpool *pool, const char *text)
{
	return pool->cap ? *slot(pool, text, strlen(text)) : NULL;
}

size_t strpool_bytes(const struct strpool *pool)
{
	return pool->block_bytes + pool->cap * sizeof(*pool->slots);
}

void strpool_finish(struct strpool *pool)
{
	for (struct strpool_block *block = pool->blocks; block;) {
		struct strpool_block *next = block->next;
		free(block);
		block = next;
	}
	free(pool->slots);
	*pool = (struct strpool){0};
}
