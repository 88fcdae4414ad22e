/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/mutex.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

/* struct __pthread_mutex_s of a 64-bit glibc, since 2.18. */
struct raw_mutex {
	uint32_t lock, count;
	int32_t owner;
	uint32_t users, kind;
	int16_t spins, elision;
	uint64_t list[2];
};

_Static_assert(sizeof(struct raw_mutex) == SNAPSHOT_LOCK_BYTES, "as long as glibc's");

/* struct __pthread_rwlock_arch_t of x86-64 and others, since 2.25. */
struct raw_rwlock {
	uint32_t readers, writers, write_phase, writers_wait, pad[2];
	int32_t writer;
};

/* nptl/pthreadP.h */
enum {
	KIND_TYPE = 3,
	KIND_RECURSIVE = 1,
	KIND_ADAPTIVE = 3,
	KIND_ROBUST = 16,
	KIND_INHERIT = 32, /* waits with FUTEX_LOCK_PI */
	KIND_PROTECT = 64,
	KIND_SHARED = 128,
	KIND_ELISION = 256 | 512,
	KIND_KNOWN = KIND_TYPE | KIND_ROBUST | KIND_PROTECT | KIND_SHARED | KIND_ELISION,
	CEILING_SHIFT = 19, /* of a KIND_PROTECT lock: its priority lies above */
	LOCKED = 1,
	LOCKED_AND_WAITED_FOR = 2,
	RWLOCK_WAITED_FOR = 3, /* 1 | PTHREAD_RWLOCK_FUTEX_USED */
};

enum mutex_kind mutex_is_locked_by(const char *name)
{
	/* pthread_cond_wait locks its mutex again in the end. */
	static const struct {
		const char *name;
		enum mutex_kind kind;
	} functions[] = {
		{"pthread_mutex_lock", MUTEX_PLAIN},
		{"pthread_mutex_lock_full", MUTEX_PLAIN},
		{"pthread_mutex_timedlock", MUTEX_PLAIN},
		{"pthread_mutex_clocklock", MUTEX_PLAIN},
		{"pthread_mutex_clocklock_common", MUTEX_PLAIN},
		{"pthread_mutex_cond_lock", MUTEX_PLAIN},
		{"pthread_mutex_cond_lock_full", MUTEX_PLAIN},
		{"pthread_cond_wait", MUTEX_PLAIN},
		{"pthread_cond_timedwait", MUTEX_PLAIN},
		{"pthread_cond_clockwait", MUTEX_PLAIN},
		{"pthread_cond_wait_common", MUTEX_PLAIN},
		{"pthread_rwlock_rdlock", MUTEX_READ},
		{"pthread_rwlock_rdlock_full64", MUTEX_READ},
		{"pthread_rwlock_timedrdlock", MUTEX_READ},
		{"pthread_rwlock_clockrdlock", MUTEX_READ},
		{"pthread_rwlock_wrlock", MUTEX_WRITE},
		{"pthread_rwlock_wrlock_full64", MUTEX_WRITE},
		{"pthread_rwlock_timedwrlock", MUTEX_WRITE},
		{"pthread_rwlock_clockwrlock", MUTEX_WRITE},
	};
	size_t underscores = strspn(name, "_");
	name += underscores;
	if (underscores && strncmp(name, "GI_", 3) == 0) /* a name inside of libc */
		name += 3 + strspn(name + 3, "_");
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t length = strlen(functions[i].name);
		/* "pthread_mutex_lock@GLIBC_2.2.5", but not "pthread_mutex_lock@plt" */
		if (strncmp(name, functions[i].name, length) == 0 &&
			(name[length] == '\0' ||
				strncmp(name + length, "@GLIBC", 6) == 0 ||
				strncmp(name + length, "@@GLIBC", 7) == 0))
			return functions[i].kind;
	}
	return MUTEX_NONE;
}

static pid_t owner_by_kernel(uint32_t word)
{
	return word & FUTEX_OWNER_DIED ? 0 : (pid_t)(word & FUTEX_TID_MASK);
}

/* Is the lock word that of a lock which is held, and EXPECTED, the word for which a thread
   waits, that of one that is waited for? */
static bool words_fit(const struct raw_mutex *mutex, uint32_t expected)
{
	if (mutex->kind & KIND_ROBUST)
		return (expected & FUTEX_WAITERS) &&
		       owner_by_kernel(mutex->lock) == mutex->owner;
	uint32_t mask = mutex->kind & KIND_PROTECT ? (1u << CEILING_SHIFT) - 1 : ~0u;
	uint32_t word = mutex->lock & mask;
	return (expected & mask) == LOCKED_AND_WAITED_FOR &&
	       (word == LOCKED || word == LOCKED_AND_WAITED_FOR);
}

static bool is_plausible(const struct raw_mutex *mutex, uint32_t expected)
{
	uint32_t type = mutex->kind & KIND_TYPE;
	bool is_plain = !(mutex->kind & (KIND_ROBUST | KIND_PROTECT));
	if ((mutex->kind & ~(uint32_t)KIND_KNOWN) || mutex->owner <= 0 ||
		mutex->users == 0 || !words_fit(mutex, expected))
		return false;
	if (type == KIND_RECURSIVE ? mutex->count == 0 : is_plain && mutex->count != 0)
		return false;
	if ((type != KIND_ADAPTIVE && mutex->spins != 0) ||
		(!(mutex->kind & KIND_ELISION) && mutex->elision != 0))
		return false;
	/* Only robust ones are in their owner's list. */
	return (mutex->kind & KIND_ROBUST) || (!mutex->list[0] && !mutex->list[1]);
}

bool mutex_is_handed_over(const struct snapshot_call *call)
{
	int command = (int)call->args[1] & FUTEX_CMD_MASK;
	return command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
}

bool mutex_is_waited_for(const struct snapshot_call *call)
{
	uint32_t word;
	if (call->lock_length < sizeof(word))
		return false;
	memcpy(&word, call->lock, sizeof(word));
	return word == (uint32_t)call->args[2] || (word & FUTEX_WAITERS);
}

/* Where in a read-write lock CALL waits: a reader at __wrphase_futex until that is 0, a writer
   at __writers_futex, or at __wrphase_futex until that is 1, which is for readers to leave. */
static size_t rwlock_offset(const struct snapshot_call *call, enum mutex_kind kind)
{
	bool is_for_readers = kind == MUTEX_WRITE && !(call->args[2] & 1);
	return kind == MUTEX_READ || is_for_readers
		       ? offsetof(struct raw_rwlock, write_phase)
		       : offsetof(struct raw_rwlock, writers_wait);
}

uint64_t mutex_address(const struct snapshot_call *call, enum mutex_kind kind)
{
	return kind == MUTEX_READ || kind == MUTEX_WRITE
		       ? call->args[0] - rwlock_offset(call, kind)
		       : call->args[0];
}

/* While somebody waits until it is given back, the word is 1 with the bit that says so. */
static pid_t writer_of(const struct snapshot_call *call, enum mutex_kind kind)
{
	struct raw_rwlock lock;
	uint32_t word;
	size_t at = rwlock_offset(call, kind);
	size_t length = offsetof(struct raw_rwlock, writer) + sizeof(lock.writer) - at;
	if (call->lock_length < length || call->args[2] != RWLOCK_WAITED_FOR)
		return 0;
	memcpy(&word, call->lock, sizeof(word));
	memcpy((char *)&lock + at, call->lock, length);
	return (word & 1) && lock.writer > 0 ? lock.writer : 0;
}

pid_t mutex_owner(const struct snapshot_call *call, enum mutex_kind kind)
{
	int command = (int)call->args[1] & FUTEX_CMD_MASK;
	struct raw_mutex mutex;
	if (call->nr != SYS_futex || call->lock_length < sizeof(mutex.lock))
		return 0;
	memcpy(&mutex.lock, call->lock, sizeof(mutex.lock));
	if (mutex_is_handed_over(call))
		return owner_by_kernel(mutex.lock);
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return 0;
	if (kind == MUTEX_READ || kind == MUTEX_WRITE)
		return writer_of(call, kind);
	if (kind == MUTEX_NONE || call->lock_length < sizeof(mutex))
		return 0;
	memcpy(&mutex, call->lock, sizeof(mutex));
	return is_plausible(&mutex, (uint32_t)call->args[2]) ? mutex.owner : 0;
}
