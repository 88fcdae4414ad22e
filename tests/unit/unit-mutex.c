/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a mutex is, and what is none: glibc's own mutexes, and bytes that only look like
   one. */

#include "tests/lib/unit.h"

#include "src/process/file-locks.h"
#include "src/process/inner-tids.h"
#include "src/process/mutex.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct snapshot_call call_on(const void *lock, uint64_t operation, uint64_t value)
{
	struct snapshot_call call = {.nr = SYS_futex,
		.args = {(uint64_t)(uintptr_t)lock, operation, value},
		.lock_length = SNAPSHOT_LOCK_BYTES};
	memcpy(call.lock, lock, sizeof(call.lock));
	return call;
}

/* How glibc waits for a mutex that holds nothing special. */
static struct snapshot_call plain_call(const pthread_mutex_t *mutex)
{
	return call_on(mutex, FUTEX_WAIT_PRIVATE, 2);
}

static pid_t own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void make(pthread_mutex_t *mutex, int type, int robust, int protocol)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	assert_int_equal(pthread_mutexattr_settype(&how, type), 0);
	assert_int_equal(pthread_mutexattr_setrobust(&how, robust), 0);
	assert_int_equal(pthread_mutexattr_setprotocol(&how, protocol), 0);
	assert_int_equal(pthread_mutex_init(mutex, &how), 0);
}

/* The mutexes are those of the libc that this test runs with, so this also shows that
   their layout is what we think. */
static void test_owners_of_all_types(void **state)
{
	(void)state;
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
		PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		pthread_mutex_t mutex;
		make(&mutex, types[i], PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
		struct snapshot_call call = plain_call(&mutex);
		assert_int_equal(mutex_owner(&call, true), 0); /* nobody has it */
		pthread_mutex_lock(&mutex);
		call = plain_call(&mutex);
		assert_int_equal(mutex_owner(&call, true), own_tid());
		assert_int_equal(mutex_owner(&call, false), 0); /* no such code */
		call.lock_length--;
		assert_int_equal(mutex_owner(&call, true), 0); /* not read whole */
		pthread_mutex_unlock(&mutex);
		call = plain_call(&mutex);
		assert_int_equal(mutex_owner(&call, true), 0);
	}
}

static void test_robust_and_inheriting(void **state)
{
	(void)state;
	pthread_mutex_t mutex;
	make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	pthread_mutex_lock(&mutex);
	uint32_t waited_for = (uint32_t)mutex.__data.__lock | FUTEX_WAITERS;
	struct snapshot_call call = call_on(&mutex, FUTEX_WAIT, waited_for);
	assert_int_equal(mutex_owner(&call, true), own_tid());
	assert_false(mutex_is_handed_over(&call));
	call.lock[3] |= FUTEX_OWNER_DIED >> 24;
	assert_int_equal(mutex_owner(&call, true), 0);
	pthread_mutex_unlock(&mutex);

	/* The kernel's own: whoever waits for it, in whatever code. */
	make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	pthread_mutex_lock(&mutex);
	call = call_on(&mutex, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0);
	call.lock_length = 4;
	assert_int_equal(mutex_owner(&call, false), own_tid());
	assert_true(mutex_is_handed_over(&call));
	call.args[1] = FUTEX_UNLOCK_PI;
	assert_int_equal(mutex_owner(&call, false), 0);
	pthread_mutex_unlock(&mutex);
}

/* Each of these differs in one word from a mutex that is waited for. */
static void test_nearly_a_mutex(void **state)
{
	(void)state;
	pthread_mutex_t mutex;
	make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	pthread_mutex_lock(&mutex);
	const struct {
		size_t offset;
		uint32_t word;
	} changes[] = {{0, 0}, {0, 3}, {0, 0x80000002}, {4, 1}, {8, 0}, {8, 0x80000001},
		{12, 0}, {16, 8}, {16, 1}, {16, 1024}, {20, 1}, {24, 1}, {36, 1}};
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct snapshot_call call = plain_call(&mutex);
		memcpy(call.lock + changes[i].offset, &changes[i].word, 4);
		assert_int_equal(mutex_owner(&call, true), 0);
	}
	struct snapshot_call call = call_on(&mutex, FUTEX_WAIT_PRIVATE, 1);
	assert_int_equal(mutex_owner(&call, true), 0);
	call = call_on(&mutex, FUTEX_WAKE_PRIVATE, 2);
	assert_int_equal(mutex_owner(&call, true), 0);
	call = plain_call(&mutex);
	call.nr = SYS_read;
	assert_int_equal(mutex_owner(&call, true), 0);
	/* With an end, and waited for with another call: still one. */
	call = call_on(
		&mutex, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 2);
	assert_int_equal(mutex_owner(&call, true), own_tid());
	pthread_mutex_unlock(&mutex);
}

/* This libc's own read-write lock, with the words as they are while others wait. */
static void test_who_writes(void **state)
{
	(void)state;
	enum {
		WAITED_FOR = 3
	};
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	assert_int_equal(pthread_rwlock_wrlock(&lock), 0);
	lock.__data.__wrphase_futex = lock.__data.__writers_futex = WAITED_FOR;
	struct snapshot_call reader =
		call_on(&lock.__data.__wrphase_futex, FUTEX_WAIT_BITSET, WAITED_FOR);
	struct snapshot_call writer =
		call_on(&lock.__data.__writers_futex, FUTEX_WAIT_BITSET, WAITED_FOR);
	assert_int_equal(mutex_owner(&reader, MUTEX_READ), own_tid());
	assert_int_equal(mutex_owner(&writer, MUTEX_WRITE), own_tid());
	assert_true(mutex_is_waited_for(&reader));
	assert_true(mutex_is_waited_for(&writer));
	uint64_t address = (uint64_t)(uintptr_t)&lock;
	assert_int_equal(mutex_address(&reader, MUTEX_READ), address);
	assert_int_equal(mutex_address(&writer, MUTEX_WRITE), address);
	assert_int_equal(mutex_address(&writer, MUTEX_NONE), writer.args[0]);
	assert_int_equal(mutex_owner(&writer, MUTEX_NONE), 0);
	reader.lock_length = 19; /* the writer is not among them */
	assert_int_equal(mutex_owner(&reader, MUTEX_READ), 0);
	/* A writer that waits for readers to leave waits for nobody who is known. */
	writer = call_on(&lock.__data.__wrphase_futex, FUTEX_WAIT_BITSET, 2);
	assert_int_equal(mutex_owner(&writer, MUTEX_WRITE), 0);
	assert_int_equal(mutex_address(&writer, MUTEX_WRITE), address);
	lock.__data.__wrphase_futex = lock.__data.__writers_futex = 1;
	pthread_rwlock_unlock(&lock);
	reader = call_on(&lock.__data.__wrphase_futex, FUTEX_WAIT_BITSET, WAITED_FOR);
	assert_int_equal(mutex_owner(&reader, MUTEX_READ), 0);
	assert_false(mutex_is_waited_for(&reader));
}

static void test_which_code(void **state)
{
	(void)state;
	static const char *const yes[] = {"pthread_mutex_lock", "___pthread_mutex_lock",
		"__GI___pthread_mutex_lock", "pthread_mutex_timedlock@@GLIBC_2.34",
		"__pthread_mutex_lock@GLIBC_2.2.5", "__pthread_mutex_cond_lock",
		"pthread_cond_wait", "__pthread_rwlock_wrlock_full64",
		"___pthread_rwlock_rdlock"};
	static const char *const no[] = {"", "_", "pthread_mutex_lock@plt",
		"pthread_mutex_lockx", "my_pthread_mutex_lock", "pthread_rwlock_unlock",
		"sem_wait", "syscall", "runtime.futex", "__lll_lock_wait_private"};
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(mutex_is_locked_by(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(mutex_is_locked_by(no[i]));
}

static void test_locks_on_files(void **state)
{
	(void)state;
	static const char text[] = "1: POSIX  ADVISORY  WRITE 100 fe:00:7 0 EOF\n"
				   "1: -> POSIX  ADVISORY  WRITE 200 fe:00:7 0 EOF\n"
				   "1:  -> POSIX  ADVISORY  READ  201 fe:00:7 0 EOF\n"
				   "2: FLOCK  ADVISORY  WRITE 101 fe:00:8 0 EOF\n"
				   "2: -> FLOCK  ADVISORY  WRITE 200 fe:00:8 0 EOF\n"
				   "3: OFDLCK ADVISORY  WRITE -1 fe:00:9 0 EOF\n"
				   "3: -> OFDLCK ADVISORY  WRITE 202 fe:00:9 0 EOF\n"
				   "4: LEASE  ACTIVE    READ  103 fe:00:10 0 EOF\n"
				   "nonsense\n"
				   "5: -> FLOCK  ADVISORY  WRITE 203 fe:00:8 0 EOF";
	assert_int_equal(file_locks_find(text, false, 200, 7), 100);
	assert_int_equal(file_locks_find(text, false, 200, 0), 100);
	assert_int_equal(file_locks_find(text, false, 201, 7), 100);
	assert_int_equal(file_locks_find(text, true, 200, 8), 101);
	assert_int_equal(file_locks_find(text, true, 200, 7), 0);  /* another file */
	assert_int_equal(file_locks_find(text, false, 202, 9), 0); /* no process's */
	assert_int_equal(file_locks_find(text, true, 203, 8), 0);  /* no holder */
	assert_int_equal(file_locks_find(text, true, 100, 0), 0);  /* does not wait */
	assert_int_equal(file_locks_find("", true, 100, 0), 0);
	struct snapshot_call call = {.nr = SYS_fcntl, .args = {3, F_SETLKW}};
	assert_true(file_locks_waits(&call));
	call.args[1] = F_GETLK;
	assert_false(file_locks_waits(&call));
}

static void test_threads_of_the_process(void **state)
{
	(void)state;
	struct inner_tids tids = {0};
	int proc_fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(proc_fd >= 0);
	assert_int_equal(inner_tids_find(&tids, proc_fd, own_tid(), 1), own_tid());
	assert_int_equal(inner_tids_find(&tids, proc_fd, getppid(), 2), 0);
	assert_int_equal(inner_tids_find(&tids, proc_fd, 0, 3), 0);
	inner_tids_finish(&tids);
	close(proc_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners_of_all_types),
		cmocka_unit_test(test_robust_and_inheriting),
		cmocka_unit_test(test_nearly_a_mutex),
		cmocka_unit_test(test_who_writes),
		cmocka_unit_test(test_which_code),
		cmocka_unit_test(test_locks_on_files),
		cmocka_unit_test(test_threads_of_the_process),
	};
	return unit_run(tests);
}
