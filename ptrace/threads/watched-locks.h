/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watched-locks: the locks of a process that threads were seen to wait for lately.
 *
 * Whether a thread holds one of them at the instant of its sample can be told only then: a
 * moment later it may have given it back. So their memory is read with each sample of a
 * thread, right after it was taken, when the thread is not stopped any more. What the bytes
 * mean is for the analyst (src/process/mutex.h). Allocates nothing; the caller has a lock.
 */
#ifndef CPROFTOP_PTRACE_WATCHED_LOCKS_H
#define CPROFTOP_PTRACE_WATCHED_LOCKS_H

#include "ptrace/capture-memory.h"
#include "src/facts/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/* Zeroed it has none. */
struct watched_locks {
	uint64_t addresses[SNAPSHOT_WATCHED];
	uint64_t seen_ns[SNAPSHOT_WATCHED];
};

/* A thread was seen to wait for the lock at ADDRESS. The one that nobody has waited for for
   longest makes room. */
void watched_locks_add(struct watched_locks *locks, uint64_t address, uint64_t now_ns);

/* Those that were waited for shortly before NOW_NS, with their addresses only, into SLOT. */
void watched_locks_list(
	const struct watched_locks *locks, uint64_t now_ns, struct snapshot *slot);

/* Read the memory of those that SLOT lists. One that cannot be read is left out. */
void watched_locks_read(const struct capture_memory *memory, struct snapshot *slot);

#endif
