/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleepers: what the reader itself must remember of the threads of one process: how each is
 * called, and where it last slept, innermost frames first. All else is main's to keep.
 */
#ifndef CPROFTOP_SLEEPERS_H
#define CPROFTOP_SLEEPERS_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/renewal.h"
#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	/* Innermost frames among which is the function that takes a lock: ObjectMonitor::enter
	   of HotSpot's, with what is below it. */
	SLEEPER_FRAMES = 10,
	SLEEPER_NAME_BYTES = 4 * SNAPSHOT_NAME_BYTES + 1, /* cleaned */
};

struct sleeper {
	pid_t tid;
	bool alive;
	char name[SNAPSHOT_NAME_BYTES]; /* raw; "": not known */
	/* when the sleep began to be seen in which it was last found; 0: it has run since */
	uint64_t slept_ns;
	uint32_t n_locations; /* of its last blocked sample; 0: there was none */
	uint32_t locations[SLEEPER_FRAMES];
};

/* A zeroed struct is empty and valid. */
struct sleepers {
	VEC(struct sleeper) list;
	struct idmap places; /* tid -> index */
};

void sleepers_finish(struct sleepers *sleepers);

/* The entry of TID; made if there is none. Valid until the next call. */
struct sleeper *sleepers_of(struct sleepers *sleepers, pid_t tid);

/* TID is called NAME (raw). False: that is known. */
bool sleepers_name(
	struct sleepers *sleepers, pid_t tid, const char name[SNAPSHOT_NAME_BYTES]);

/* A sample of TID at TIME_NS with the stack LOCATIONS, without the kernel's frames. */
void sleepers_place(struct sleepers *sleepers, pid_t tid, uint64_t time_ns,
	bool is_blocked, const uint32_t *locations, size_t length);

void sleepers_exit(struct sleepers *sleepers, pid_t tid);

/* The name of TID, cleaned, into OUT; "" if no such thread is alive or its name is not known.
   Returns OUT. */
const char *sleepers_name_of(
	const struct sleepers *sleepers, pid_t tid, char out[SLEEPER_NAME_BYTES]);

/* Locations have other ids now. */
void sleepers_renew(struct sleepers *sleepers, struct renewal *renewal);

#endif
