/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * told-code: which library a sample was in, where libraries come and go.
 *
 * With each sample that was taken in a stop the tracer tells what was mapped then at such
 * places (struct snapshot_mapped). The regions that maps has ever shown there are kept, with
 * what was found out about them; one of them is meant if start, limit, offset, device and inode are
 * the same. An inode stays that of its file as long as that is open, so only regions whose
 * file is open are kept. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_TOLD_CODE_H
#define CPROFTOP_TOLD_CODE_H

#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/facts/snapshot.h"
#include "src/process/region.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed it is empty. */
struct told_code {
	VEC(struct region) kept;
	struct strpool paths;
	uint32_t n;
	struct snapshot_mapped now[SNAPSHOT_MAPPED];
};

void told_code_finish(struct told_code *told);

/* REGION, whose file is open, is or was mapped where libraries come and go. */
void told_code_keep(struct told_code *told, const struct region *region);

/* From now on an address is that of a sample with these N. True if that is other code than
   before. */
bool told_code_set(
	struct told_code *told, const struct snapshot_mapped *mapped, uint32_t n);

/* Was it told what was mapped at ADDRESS? *REGION is that, or NULL: code that was never seen in
   maps. */
bool told_code_find(
	const struct told_code *told, uint64_t address, const struct region **region);

#endif
