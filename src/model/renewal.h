/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renewal: some of the nouns of one profile, copied into another.
 *
 * A profile only grows, because reports point into it. What runs without end must begin a
 * new one some day, with what is still needed of the old: whatever is asked for is
 * copied, once, with all that it refers to. What was found at an address is found there
 * again, if it was copied. Analyst thread only.
 */
#ifndef CPROFTOP_RENEWAL_H
#define CPROFTOP_RENEWAL_H

#include "src/base/map.h"
#include "src/model/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct renewal {
	const struct profile *from;
	struct profile *to;
	struct map mappings, functions, locations, threads; /* old id -> new id */
};

/* From FROM to a new profile. It has references to both until it is finished. */
void renewal_init(struct renewal *renewal, const struct profile *from);
void renewal_finish(struct renewal *renewal);

/* The id in the new profile of what has ID in the old one; PROFILE_NONE is a process,
   too. */
uint32_t renewal_location(struct renewal *renewal, uint32_t id);
uint32_t renewal_mapping(struct renewal *renewal, uint32_t id);
uint32_t renewal_process(struct renewal *renewal, uint32_t id);
uint32_t renewal_thread(struct renewal *renewal, uint32_t id);

/* Was location *ID copied? Then *ID is the new one. */
bool renewal_knows_location(const struct renewal *renewal, uint32_t *id);

#endif
