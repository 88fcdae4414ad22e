/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/mapped.h"

#include <errno.h>
#include <linux/types.h>
#include <sys/ioctl.h>

/* As in include/uapi/linux/fs.h of Linux 6.11, which many a <linux/fs.h> lacks. */
struct query {
	__u64 size, flags, address;
	__u64 start, limit, permissions, page_bytes, file_offset, inode;
	__u32 dev_major, dev_minor, name_bytes, build_id_bytes;
	__u64 name_at, build_id_at;
};

#define QUERY _IOWR('f', 17, struct query)

enum {
	READABLE = 1,
	WRITABLE = 2,
	WITH_CODE = 4,
	SHARED = 8,
	OF_FILE = 32,
};

bool mapped_answers(int maps_fd)
{
	struct query query = {.size = sizeof(query)};
	return ioctl(maps_fd, QUERY, &query) == 0 || errno == ENOENT;
}

void mapped_ask(int maps_fd, const struct stack_link *link, struct snapshot *slot)
{
	slot->n_mapped = 0;
	for (uint64_t i = 0; maps_fd > 0 && i < link->n_places; i++) {
		struct query query = {.size = sizeof(query),
			.flags = WITH_CODE | OF_FILE,
			.address = link->places[i]};
		if (ioctl(maps_fd, QUERY, &query) != 0)
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
	const uint64_t mine = READABLE | WRITABLE;
	struct query query = {.size = sizeof(query), .address = address};
	if (maps_fd <= 0 || ioctl(maps_fd, QUERY, &query) != 0)
		return false;
	*start = query.start;
	*limit = query.limit;
	return query.inode == 0 && (query.permissions & (mine | SHARED)) == mine;
}
