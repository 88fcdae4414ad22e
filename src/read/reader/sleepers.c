/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/sleepers.h"

#include "src/base/clean.h"

#include <string.h>

enum {
	TRIM_AT = 1024,
};

void sleepers_finish(struct sleepers *sleepers)
{
	vec_free(&sleepers->list);
	idmap_finish(&sleepers->places);
}

/* Forget threads that have ended, if they are more than half of many. */
static void trim(struct sleepers *sleepers)
{
	size_t kept = 0;
	vec_each (&sleepers->list, sleeper)
		kept += sleeper->alive;
	if (sleepers->list.len < TRIM_AT || kept * 2 > sleepers->list.len)
		return;
	kept = 0;
	idmap_clear(&sleepers->places);
	vec_each (&sleepers->list, sleeper) {
		if (!sleeper->alive)
			continue;
		idmap_put(&sleepers->places, (uint64_t)sleeper->tid, 0, (uint32_t)kept);
		sleepers->list.data[kept++] = *sleeper;
	}
	sleepers->list.len = kept;
}

struct sleeper *sleepers_of(struct sleepers *sleepers, pid_t tid)
{
	const uint32_t *place = idmap_get(&sleepers->places, (uint64_t)tid, 0);
	if (place)
		return &sleepers->list.data[*place];
	trim(sleepers);
	idmap_put(&sleepers->places, (uint64_t)tid, 0, (uint32_t)sleepers->list.len);
	vec_push(&sleepers->list, (struct sleeper){.tid = tid, .alive = true});
	return &sleepers->list.data[sleepers->list.len - 1];
}

bool sleepers_name(
	struct sleepers *sleepers, pid_t tid, const char name[SNAPSHOT_NAME_BYTES])
{
	struct sleeper *sleeper = sleepers_of(sleepers, tid);
	bool is_new = !sleeper->alive ||
		      memcmp(sleeper->name, name, sizeof(sleeper->name)) != 0;
	sleeper->alive = true;
	memcpy(sleeper->name, name, sizeof(sleeper->name));
	return is_new;
}

void sleepers_place(struct sleepers *sleepers, pid_t tid, uint64_t time_ns,
	bool is_blocked, const uint32_t *locations, size_t length)
{
	struct sleeper *sleeper = sleepers_of(sleepers, tid);
	sleeper->slept_ns = is_blocked ? time_ns : 0;
	if (!is_blocked)
		return;
	sleeper->n_locations = 0;
	while (sleeper->n_locations < SLEEPER_FRAMES && sleeper->n_locations < length) {
		sleeper->locations[sleeper->n_locations] =
			locations[sleeper->n_locations];
		sleeper->n_locations++;
	}
}

void sleepers_exit(struct sleepers *sleepers, pid_t tid)
{
	sleepers_of(sleepers, tid)->alive = false;
}

const char *sleepers_name_of(
	const struct sleepers *sleepers, pid_t tid, char out[SLEEPER_NAME_BYTES])
{
	const uint32_t *place = idmap_get(&sleepers->places, (uint64_t)tid, 0);
	const struct sleeper *sleeper = place ? &sleepers->list.data[*place] : NULL;
	bool is_known = sleeper && sleeper->alive;
	clean_text(out, SLEEPER_NAME_BYTES, is_known ? sleeper->name : "",
		is_known ? sizeof(sleeper->name) : 0);
	return out;
}

void sleepers_renew(struct sleepers *sleepers, struct renewal *renewal)
{
	vec_each (&sleepers->list, sleeper)
		for (uint32_t i = 0; i < sleeper->n_locations; i++)
			sleeper->locations[i] =
				renewal_location(renewal, sleeper->locations[i]);
}
