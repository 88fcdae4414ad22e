/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/told-code.h"

#include <string.h>

enum {
	KEPT_MAX = 64,
};

void told_code_finish(struct told_code *told)
{
	vec_free(&told->kept);
	strpool_finish(&told->paths);
	*told = (struct told_code){0};
}

static bool is_it(const struct region *region, const struct snapshot_mapped *mapped)
{
	return region->start == mapped->start && region->limit == mapped->limit &&
	       region->file_offset == mapped->file_offset &&
	       region->inode == mapped->inode && region->dev_major == mapped->dev_major &&
	       region->dev_minor == mapped->dev_minor;
}

void told_code_keep(struct told_code *told, const struct region *region)
{
	const struct snapshot_mapped same = {region->start, region->limit,
		region->file_offset, region->inode, region->dev_major, region->dev_minor};
	struct region kept = *region;
	kept.path = strpool_intern(&told->paths, region->path);
	vec_each (&told->kept, known)
		if (is_it(known, &same)) {
			*known = kept;
			return;
		}
	if (told->kept.len < KEPT_MAX)
		vec_push(&told->kept, kept);
}

bool told_code_set(
	struct told_code *told, const struct snapshot_mapped *mapped, uint32_t n)
{
	n = n < SNAPSHOT_MAPPED ? n : SNAPSHOT_MAPPED;
	if (n == told->n && memcmp(told->now, mapped, n * sizeof(*mapped)) == 0)
		return false;
	memcpy(told->now, mapped, n * sizeof(*mapped));
	told->n = n;
	return true;
}

bool told_code_find(
	const struct told_code *told, uint64_t address, const struct region **region)
{
	*region = NULL;
	for (uint32_t i = 0; i < told->n; i++) {
		if (address < told->now[i].start || address >= told->now[i].limit)
			continue;
		vec_each (&told->kept, kept)
			if (is_it(kept, &told->now[i]))
				*region = kept;
		return true;
	}
	return false;
}
