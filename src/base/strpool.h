/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strpool: each distinct string once, at an address that never changes.
 *
 * Two strings of one pool are equal exactly if their pointers are. The pool owns the
 * strings; they live as long as the pool. One thread interns; any thread may read a
 * string that was handed to it. A zeroed pool is empty and valid.
 */
#ifndef CPROFTOP_STRPOOL_H
#define CPROFTOP_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

struct strpool_block;

struct strpool {
	const char **slots; /* open addressing; NULL is empty */
	size_t len, cap;
	struct strpool_block *blocks; /* the bytes, newest block first */
	size_t block_bytes;	      /* of all blocks together */
};

const char *strpool_intern(struct strpool *pool, const char *text);
const char *strpool_intern_bytes(struct strpool *pool, const char *bytes, size_t length);
/* The copy of TEXT, if there is one; else NULL. */
const char *strpool_find(const struct strpool *pool, const char *text);
void strpool_finish(struct strpool *pool);

/* The hash that strings are found by. */
uint64_t strpool_hash(const char *bytes, size_t length);

/* Memory in bytes. */
size_t strpool_bytes(const struct strpool *pool);

#endif
