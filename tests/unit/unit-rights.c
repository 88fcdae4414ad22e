/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that has given up its rights can still do: behind each fence alone, and
   behind all. */

#include "tests/lib/unit.h"

#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"
#include "src/base/rights/own-user.h"
#include "src/base/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	COMMON_USER = 64999,
};

/* What was tried, and worked. */
enum deed {
	DEED_SIGNAL = 1 << 0,
	DEED_PRIORITY = 1 << 1,
	DEED_FLAGS = 1 << 2, /* of a descriptor that others have, too */
	DEED_READ = 1 << 3,  /* a file that is not below the folders */
	DEED_READ_DEBUG = 1 << 4,
	DEED_WRITE = 1 << 5,
	DEED_SOCKET = 1 << 6,
	DEED_EXECUTABLE = 1 << 7, /* memory */
	DEED_ABORT = 1 << 8,	  /* a signal to itself */
	DEED_EXEC = 1 << 9,
	DEED_MEMORY = 1 << 10, /* of another process */
	DEED_MAKE = 1 << 11,   /* a file below the folder */
	ALL_DEEDS = (1 << 12) - 1,
};

struct place {
	char folder[32], debug[64], inside[96], outside[96];
	pid_t neighbour; /* of the same user as the process that tries */
};

static void write_file(const char *path)
{
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fclose(out);
	assert_int_equal(chmod(path, 0666), 0);
}

static struct place begin(void)
{
	struct place place = {.folder = "/tmp/unit-rights-XXXXXX"};
	assert_non_null(mkdtemp(place.folder));
	assert_int_equal(chmod(place.folder, 0755), 0);
	snprintf(place.debug, sizeof(place.debug), "%s/debug", place.folder);
	assert_int_equal(mkdir(place.debug, 0755), 0);
	assert_int_equal(chmod(place.debug, 0777), 0);
	snprintf(place.inside, sizeof(place.inside), "%s/inside", place.debug);
	snprintf(place.outside, sizeof(place.outside), "%s/outside", place.folder);
	write_file(place.inside);
	write_file(place.outside);
	return place;
}

static void end(struct place *place)
{
	unlink(place->inside);
	unlink(place->outside);
	rmdir(place->debug);
	rmdir(place->folder);
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* In the folder of debug files, which is for everybody here. */
static bool makes_file(const struct place *place)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/made", place->debug);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && unlink(path) == 0;
}

static bool has_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Another process's memory at an address that is the same there, because it was forked. */
static bool reads_memory(pid_t pid)
{
	static char theirs;
	char ours;
	struct iovec to = {.iov_base = &ours, .iov_len = 1};
	struct iovec from = {.iov_base = &theirs, .iov_len = 1};
	return syscall(SYS_process_vm_readv, (long)pid, &to, 1l, &from, 1l, 0l) == 1;
}

static unsigned try_all(const struct place *place)
{
	pid_t self = getpid(), other = place->neighbour;
	char *none[] = {NULL};
	void *memory = mmap(
		NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned done = memory != MAP_FAILED ? DEED_EXECUTABLE : 0;
	if (kill(other, 0) == 0 || syscall(SYS_tgkill, (long)other, (long)other, 0l) == 0)
		done |= DEED_SIGNAL;
	if (setpriority(PRIO_PROCESS, (id_t)other, 19) == 0)
		done |= DEED_PRIORITY;
	if (fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL)) == 0)
		done |= DEED_FLAGS;
	if (opens(place->outside, O_RDONLY))
		done |= DEED_READ;
	if (opens(place->inside, O_RDONLY))
		done |= DEED_READ_DEBUG;
	if (opens(place->outside, O_WRONLY))
		done |= DEED_WRITE;
	if (makes_file(place))
		done |= DEED_MAKE;
	if (has_socket())
		done |= DEED_SOCKET;
	if (reads_memory(other))
		done |= DEED_MEMORY;
	if (syscall(SYS_tgkill, (long)self, (long)self, 0l) == 0)
		done |= DEED_ABORT;
	execv("/no/such/program", none);
	if (errno == ENOENT)
		done |= DEED_EXEC;
	return done;
}

/* One user for both, as if other programs ran as the same user. */
static void become_common_user(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) != 0 ||
				      setresgid(COMMON_USER, COMMON_USER, COMMON_USER) ||
				      setresuid(COMMON_USER, COMMON_USER, COMMON_USER)))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}

/* What a process can do behind FENCE. */
static unsigned deeds(void (*fence)(const struct place *place))
{
	struct place place = begin();
	unsigned *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, ready[2];
	char byte;
	assert_true(done != MAP_FAILED);
	assert_int_equal(pipe(ready), 0);
	place.neighbour = fork();
	if (place.neighbour == 0) {
		become_common_user();
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	pid_t child = fork();
	if (child == 0) {
		become_common_user();
		fence(&place);
		*done = try_all(&place);
		_exit(0);
	}
	waitpid(child, &status, 0);
	kill(place.neighbour, SIGKILL);
	waitpid(place.neighbour, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	unsigned result = *done;
	munmap(done, sizeof(*done));
	end(&place);
	assert_int_equal(status, 0);
	return result;
}

/* --- the fences ------------------------------------------------------------------------- */

static void no_fence(const struct place *place)
{
	(void)place;
}

static void fence_files(const struct place *place)
{
	const char *const folders[] = {"/no/such:", place->debug, NULL};
	confine_identity(0);
	confine_reading_to(folders);
}

static void fence_calls(const struct place *place)
{
	(void)place;
	confine_identity(0);
	confine_reader_calls();
}

static void fence_fetcher(const struct place *place)
{
	static const char *const nothing[] = {NULL};
	confine_keeping_user();
	confine_fetching(nothing, place->debug);
	confine_fetcher_calls();
}

static void all_fences(const struct place *place)
{
	fence_files(place);
	confine_reader_calls();
}

/* The version of Landlock that the kernel has; 0: none. */
static long landlock(void)
{
#ifdef SANITIZED
	return 0;
#else
	long version = syscall(
		SYS_landlock_create_ruleset, NULL, 0l, LANDLOCK_CREATE_RULESET_VERSION);
	return version > 0 ? version : 0;
#endif
}

static void test_without_a_fence_all_of_it_works(void **state)
{
	(void)state;
	unsigned done = deeds(no_fence);
	/* Where one may trace only descendants (Yama), the memory is not there for anybody. */
	assert_int_equal(done | DEED_MEMORY, ALL_DEEDS);
}

static void test_files_and_signals_by_landlock(void **state)
{
	(void)state;
	if (!landlock())
		skip();
	unsigned done = deeds(fence_files);
	assert_int_equal(done & (DEED_READ | DEED_WRITE), 0);
	assert_int_equal(done & DEED_READ_DEBUG, DEED_READ_DEBUG);
	assert_int_equal(done & DEED_MEMORY, 0);
	if (landlock() >= 6)
		assert_int_equal(done & DEED_SIGNAL, 0);
}

static void test_calls_that_reach_others(void **state)
{
	(void)state;
#ifdef SANITIZED
	skip();
#endif
	assert_int_equal(deeds(fence_calls), DEED_READ | DEED_READ_DEBUG | DEED_ABORT);
}

static void test_all_that_a_reader_can_do(void **state)
{
	(void)state;
#ifdef SANITIZED
	skip();
#endif
	unsigned expected = DEED_READ_DEBUG | DEED_ABORT;
	assert_int_equal(deeds(all_fences), landlock() ? expected : expected | DEED_READ);
}

static void test_a_fetcher_writes_its_cache_and_reaches_nobody(void **state)
{
	(void)state;
#ifdef SANITIZED
	skip();
#endif
	unsigned done = deeds(fence_fetcher);
	unsigned never = DEED_SIGNAL | DEED_PRIORITY | DEED_EXEC | DEED_MEMORY;
	assert_int_equal(done & never, 0);
	assert_int_equal(done & (DEED_MAKE | DEED_SOCKET), DEED_MAKE | DEED_SOCKET);
	if (landlock())
		assert_int_equal(done & (DEED_READ | DEED_WRITE), 0);
}

/* --- the user ---------------------------------------------------------------------------- */

static void test_a_user_that_nobody_else_is(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	uid_t *uids = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(uids != MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		if (child == 0) {
			bool done = own_user_become();
			uids[i] = getuid();
			_exit(done && getuid() == geteuid() && getuid() == getgid() &&
						getgroups(0, NULL) == 0 && setuid(0) != 0
					? 0
					: 1);
		}
		int status;
		waitpid(child, &status, 0);
		if (getpwnam(OWN_USER_NAME) == NULL)
			assert_int_equal(status, 0);
		assert_int_not_equal(uids[i], 0);
		assert_int_not_equal(uids[i], 65534);
		if (getpwnam(OWN_USER_NAME) == NULL)
			assert_null(getpwuid(uids[i]));
	}
	if (getpwnam(OWN_USER_NAME) == NULL)
		assert_int_not_equal(uids[0], uids[1]);
	munmap(uids, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_fence_all_of_it_works),
		cmocka_unit_test(test_files_and_signals_by_landlock),
		cmocka_unit_test(test_calls_that_reach_others),
		cmocka_unit_test(test_all_that_a_reader_can_do),
		cmocka_unit_test(test_a_fetcher_writes_its_cache_and_reaches_nobody),
		cmocka_unit_test(test_a_user_that_nobody_else_is),
	};
	return unit_run(tests);
}
