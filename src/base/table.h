/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: an append-only array whose entries never move.
 *
 * Entries get the ids 0, 1, 2... and live in chunks. One thread may append while others
 * read entries whose ids they were given, if the id was passed on through a lock or a
 * release store; the table itself does no synchronisation. So an immutable report can
 * refer to entries of a table that keeps growing. Entries are written once and never
 * changed.
 */
#ifndef CPROFTOP_TABLE_H
#define CPROFTOP_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_CHUNK_ENTRIES = 4096,
	TABLE_CHUNKS = 8192, /* 33.5 million entries; the next append ends the program */
};

struct table {
	size_t entry_size;
	uint32_t len; /* the writer's; a reader uses the ids it was given */
	void *chunks[TABLE_CHUNKS];
};

struct table *table_create(size_t entry_size);
void table_destroy(struct table *table); /* NULL is fine */

/* Append a copy of ENTRY; returns its id. */
uint32_t table_append(struct table *table, const void *entry);

static inline void *table_at(const struct table *table, uint32_t id)
{
	char *chunk = table->chunks[id / TABLE_CHUNK_ENTRIES];
	return chunk + (size_t)(id % TABLE_CHUNK_ENTRIES) * table->entry_size;
}

#endif
