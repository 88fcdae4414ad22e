/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/mapped.h"

#include "src/process/map-query.h"

void mapped_ask(int maps_fd, const struct stack_link *link, struct snapshot *slot)
{
	slot->n_mapped = 0;
	for (uint64_t i = 0; maps_fd > 0 && i < link->n_places; i++) {
		struct map_query query;
		if (!map_query(maps_fd, link->places[i],
			    MAP_QUERY_CODE | MAP_QUERY_OF_FILE, &query))
			continue;
		slot->mapped[slot->n_mapped++] = (struct snapshot_mapped){
			.start = query.start,
			.limit = query.limit,
			.file_offset = query.file_offset,
			.inode = query.inode,
			.dev_major = query.dev_major,
			.dev_minor = query.dev_minor,
		};
	}
}

bool mapped_is_anonymous(int maps_fd, uint64_t address, uint64_t *start, uint64_t *limit)
{
	const uint64_t mine = MAP_QUERY_READABLE | MAP_QUERY_WRITABLE;
	struct map_query query;
	if (maps_fd <= 0 || !map_query(maps_fd, address, 0, &query))
		return false;
	*start = query.start;
	*limit = query.limit;
	return query.inode == 0 &&
	       (query.permissions & (mine | MAP_QUERY_SHARED)) == mine;
}
