/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutex: who holds the lock that a thread waits for.
 *
 * A mutex of glibc has its owner's TID in its third word (__owner in struct
 * __pthread_mutex_s, sysdeps/nptl/bits/struct_mutex.h; set after the lock was taken, and
 * cleared before it is given back). A futex that is not part of such a mutex may have any
 * number there: a condition, a semaphore, the locks of Go and of Rust. So an owner is named
 * only if the thread got into its call through a function of glibc that locks a mutex, and
 * if all else in the mutex is as it must be while somebody waits for it. The locks for
 * which the kernel itself knows the owner (FUTEX_LOCK_PI) have it in the first word,
 * whoever made them (futex(2)).
 *
 * A read-write lock of glibc has the TID of the thread that holds it for writing in
 * __cur_writer (struct __pthread_rwlock_arch_t, sysdeps/nptl/bits/struct_rwlock.h), and is
 * waited for at two of its words (nptl/pthread_rwlock_common.c). Readers leave no TID.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_MUTEX_H
#define CPROFTOP_MUTEX_H

#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <sys/types.h>

enum mutex_kind {
	MUTEX_NONE,
	MUTEX_PLAIN,
	MUTEX_READ, /* a read-write lock, for reading */
	MUTEX_WRITE,
};

/* Is this a function in which glibc waits for a mutex, by its NAME, and for which kind? */
enum mutex_kind mutex_is_locked_by(const char *name);

/* The owner of the lock that CALL waits for, with the TID that it has for itself (of the
   innermost PID namespace). KIND: by the function that the thread is in. 0: it is not known,
   nobody holds it, or it is no such lock. */
pid_t mutex_owner(const struct snapshot_call *call, enum mutex_kind kind);

/* Does its memory say that a thread waits for it? */
bool mutex_is_waited_for(const struct snapshot_call *call);

/* Where the lock begins: a read-write lock has several words to wait at. */
uint64_t mutex_address(const struct snapshot_call *call, enum mutex_kind kind);

/* Is the lock that CALL waits for one whose owner the kernel knows? It makes the next owner
   the owner while that still sleeps, so there a thread can be found to hold what it waits
   for. */
bool mutex_is_handed_over(const struct snapshot_call *call);

#endif
