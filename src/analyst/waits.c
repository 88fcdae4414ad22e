/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/waits.h"

#include "src/target/mutex.h"
#include "src/target/waiting.h"

#include <stdio.h>

enum {
	/* Innermost frames among which is the function that locks a mutex: glibc has at
	   most two inside of it, and inlined functions are no frames of their own. */
	MUTEX_FRAMES = 4,
};

void waits_finish(struct waits *waits)
{
	inner_tids_finish(&waits->tids);
}

static bool is_in_mutex(
	const struct profile *profile, const uint32_t *locations, size_t length)
{
	for (size_t i = 0; i < length && i < MUTEX_FRAMES; i++) {
		const struct location *location = profile_location(profile, locations[i]);
		for (uint32_t k = 0; k < location->n_lines; k++)
			if (mutex_is_locked_by(
				    profile_function(profile, location->lines[k].function)
					    ->system_name))
				return true;
	}
	return false;
}

/* The thread that holds what RECORD waits for; 0: not known. */
static pid_t holder_of(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length)
{
	if (record->call.lock_length == 0)
		return 0;
	bool is_mutex = is_in_mutex(waits->history->profile, locations, length);
	pid_t holder = inner_tids_find(&waits->tids, waits->proc_fd,
		mutex_owner(&record->call, is_mutex), record->time_ns);
	bool is_own = holder == record->tid && mutex_is_handed_over(&record->call);
	return is_own ? 0 : holder;
}

uint32_t waits_locate(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length)
{
	struct waiting waiting;
	waiting_of(&record->call, waits->proc_fd, &waiting);
	pid_t holder = holder_of(waits, record, locations, length);
	if (holder == 0)
		return profile_intern_detailed(
			waits->history->profile, waiting.name, waiting.object);
	char name[2 * WAITING_MAX], object[2 * WAITING_MAX];
	const char *who = holder == record->tid
				  ? "itself"
				  : history_thread_name(waits->history, holder);
	snprintf(object, sizeof(object), "%s held by %d", waiting.object, holder);
	if (who)
		snprintf(name, sizeof(name), "[futex held by %s]", who);
	return profile_intern_detailed(
		waits->history->profile, who ? name : waiting.name, object);
}

/* A lock is in other hands: what passed since the look before is the new owner's. */
static void charge_both(struct waits *waits, const struct snapshot *record)
{
	struct history *history = waits->history;
	uint32_t locations[MUTEX_FRAMES];
	uint64_t new_ns = record->time_ns - record->from_ns;
	if (new_ns > record->blocked_ns)
		new_ns = record->blocked_ns;
	uint32_t new_looks = record->looks > 0;
	history_charge_blocked(history, record->tid, record->time_ns - new_ns,
		record->blocked_ns - new_ns, record->looks - new_looks);
	size_t length = history_slept_in(history, record->tid, locations, MUTEX_FRAMES);
	history_change_wait(
		history, record->tid, waits_locate(waits, record, locations, length));
	history_charge_blocked(history, record->tid, record->time_ns, new_ns, new_looks);
}

void waits_charge(struct waits *waits, const struct snapshot *record)
{
	if (record->call.lock_length > 0)
		charge_both(waits, record);
	else
		history_charge_blocked(waits->history, record->tid, record->time_ns,
			record->blocked_ns, record->looks);
}
