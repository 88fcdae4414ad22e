/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/watched-locks.h"

#include "src/base/clock.h"

enum {
	WATCHED_MS = 1000 /* since it was waited for last */
};

void watched_locks_add(struct watched_locks *locks, uint64_t address, uint64_t now_ns)
{
	size_t place = 0;
	for (size_t i = 0; i < SNAPSHOT_WATCHED; i++) {
		if (locks->addresses[i] == address) {
			place = i;
			break;
		}
		if (locks->seen_ns[i] < locks->seen_ns[place])
			place = i;
	}
	locks->addresses[place] = address;
	locks->seen_ns[place] = now_ns;
}

void watched_locks_list(
	const struct watched_locks *locks, uint64_t now_ns, struct snapshot *slot)
{
	slot->n_watched = 0;
	for (size_t i = 0; i < SNAPSHOT_WATCHED; i++)
		if (locks->seen_ns[i] &&
			now_ns < locks->seen_ns[i] + WATCHED_MS * NS_PER_MS)
			slot->watched[slot->n_watched++].address = locks->addresses[i];
}

void watched_locks_read(const struct capture_memory *memory, struct snapshot *slot)
{
	uint32_t n = slot->n_watched;
	slot->n_watched = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct snapshot_watched *to = &slot->watched[slot->n_watched];
		to->address = slot->watched[i].address;
		ssize_t got =
			capture_read(memory, to->lock, sizeof(to->lock), to->address);
		slot->n_watched += got == (ssize_t)sizeof(to->lock);
	}
}
