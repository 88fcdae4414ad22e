/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/table.h"

#include "src/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct table *table_create(size_t entry_size)
{
	struct table *table = mem_zalloc(sizeof(*table));
	table->entry_size = entry_size;
	return table;
}

void table_destroy(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < TABLE_CHUNKS && table->chunks[i]; i++)
		free(table->chunks[i]);
	free(table);
}

uint32_t table_append(struct table *table, const void *entry)
{
	size_t chunk = table->len / TABLE_CHUNK_ENTRIES;
	if (chunk == TABLE_CHUNKS)
		/* the table is full: end the program, as if out of memory */
		mem_alloc(SIZE_MAX);
	if (!table->chunks[chunk])
		table->chunks[chunk] =
			mem_zalloc(TABLE_CHUNK_ENTRIES * table->entry_size);
	memcpy(table_at(table, table->len), entry, table->entry_size);
	return table->len++;
}
