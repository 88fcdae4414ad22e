/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renewal: copy what is still needed of one profile into a new one.
 *
 * A profile only grows, because reports point into it. A session that runs for long must
 * start a new one from time to time. Each entry that is asked for is copied once, with
 * all entries that it refers to. A location that profile_find_location finds in the old
 * profile is also found in the new one, once copied. Analyst thread only.
 */
#ifndef CPROFTOP_RENEWAL_H
#define CPROFTOP_RENEWAL_H

#include "src/base/idmap.h"
#include "src/facts/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct renewal {
	const struct profile *from;
	struct profile *to;
	struct idmap mappings, functions, locations, threads; /* old id -> new id */
};

/* Copy from FROM into a new, empty profile. Holds references to both until it is
   finished. */
void renewal_init(struct renewal *renewal, const struct profile *from);
void renewal_finish(struct renewal *renewal);

/* The new id of the entry ID of the old profile; copies the entry if that was not done
   yet. For a process, PROFILE_NONE stays PROFILE_NONE. */
uint32_t renewal_location(struct renewal *renewal, uint32_t id);
uint32_t renewal_mapping(struct renewal *renewal, uint32_t id);
uint32_t renewal_process(struct renewal *renewal, uint32_t id);
uint32_t renewal_thread(struct renewal *renewal, uint32_t id);

/* If location *ID was copied, set *ID to the new id and return true. Copies nothing. */
bool renewal_knows_location(const struct renewal *renewal, uint32_t *id);

#endif
