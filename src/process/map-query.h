/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map-query: what is mapped at one address now, asked at an open /proc/PID/maps.
 *
 * PROCMAP_QUERY, as in include/uapi/linux/fs.h of Linux 6.11, which many a <linux/fs.h> lacks. It
 * takes half a microsecond, reads no file and takes no memory. A file that was opened before an
 * exec says nothing of the program that runs since. Any thread, also in a stop.
 */
#ifndef CPROFTOP_MAP_QUERY_H
#define CPROFTOP_MAP_QUERY_H

#include <linux/types.h>
#include <stdbool.h>

enum map_query_flags { /* what is wanted; and what a mapping has, of the first four */
	MAP_QUERY_READABLE = 1,
	MAP_QUERY_WRITABLE = 2,
	MAP_QUERY_CODE = 4,
	MAP_QUERY_SHARED = 8,
	MAP_QUERY_OR_NEXT = 16, /* the first mapping above if there is none */
	MAP_QUERY_OF_FILE = 32,
};

struct map_query {
	__u64 size, flags, address;
	__u64 start, limit, permissions, page_bytes, file_offset, inode;
	__u32 dev_major, dev_minor, name_bytes, build_id_bytes;
	__u64 name_at, build_id_at;
};

/* Fill OUT with what is mapped at ADDRESS, with these FLAGS. False and errno: ENOENT if nothing is,
   ESRCH if that program runs no longer, ENOTTY of an older kernel. */
bool map_query(int maps_fd, __u64 address, unsigned flags, struct map_query *out);

/* Does the kernel answer such questions at MAPS_FD? */
bool map_query_is_answered(int maps_fd);

#endif
