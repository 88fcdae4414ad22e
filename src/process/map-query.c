/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/map-query.h"

#include <errno.h>
#include <sys/ioctl.h>

/* A process without rights may make no other ioctl: src/base/rights/confine-calls.c has the number. */
#define QUERY _IOWR('f', 17, struct map_query)
_Static_assert(QUERY == 0xc0686611, "the kernel's number");

bool map_query(int maps_fd, __u64 address, unsigned flags, struct map_query *out)
{
	*out = (struct map_query){
		.size = sizeof(*out), .flags = flags, .address = address};
	return ioctl(maps_fd, QUERY, out) == 0;
}

bool map_query_is_answered(int maps_fd)
{
	struct map_query query;
	return map_query(maps_fd, 0, 0, &query) || errno == ENOENT;
}
