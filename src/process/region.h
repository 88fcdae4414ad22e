/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * region: one line of /proc/PID/maps, as the address space keeps it.
 */
#ifndef CPROFTOP_REGION_H
#define CPROFTOP_REGION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	REGION_READ = 1,
	REGION_WRITE = 2,
	REGION_EXECUTE = 4,
	REGION_ALL = 7
};

/* Owned by the address space, valid until the next refresh. */
struct region {
	uint64_t start, limit, file_offset;
	unsigned permissions;
	uint32_t dev_major, dev_minor;
	uint64_t inode;	  /* 0: anonymous, or a pseudo path as [vdso], [stack] */
	const char *path; /* cleaned; "" if anonymous */
	uint32_t mapping; /* id in the profile, PROFILE_NONE if not executable; set in
			     what address_space_find returns */
	uint32_t raw_path, image_slot; /* private */
	uint32_t idle;		       /* the same: src/process/code-watch.h */
};

/* Which file a region is of; zeroed: of none. */
struct region_file {
	uint64_t inode;
	uint32_t dev_major, dev_minor;
};

static inline struct region_file region_file(const struct region *region)
{
	return (struct region_file){region->inode, region->dev_major, region->dev_minor};
}

static inline bool region_is_of(
	const struct region *region, const struct region_file *file)
{
	return file->inode != 0 && region->inode == file->inode &&
	       region->dev_major == file->dev_major &&
	       region->dev_minor == file->dev_minor;
}

/* Is it memory of no file? [vdso] and its like are the kernel's; [heap], [stack] and [anon:...]
   the program's. */
static inline bool region_is_anonymous(const struct region *region)
{
	return region->inode == 0 && strncmp(region->path, "[v", 2) != 0 &&
	       region->path[0] != '/';
}

/* Memory that processes share: the kernel's own file system, which no server has. */
static inline bool region_is_shared_memory(const struct region *region)
{
	return region->dev_major == 0 && region->dev_minor == 1 &&
	       strcmp(region->path, "/dev/zero (deleted)") == 0;
}

#endif
