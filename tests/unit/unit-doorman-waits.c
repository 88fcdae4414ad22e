/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process without rights and its doorman, where one of them waits or is disturbed; and what its
   filter forbids without asking. */

#include "tests/lib/doorman-place.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/doorman/give-up.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/unit-doorman-waits-XXXXXX";
static char output[sizeof(folder) + 8];

/* What a process does without rights; "" or what is wrong goes to WRONG. */
typedef void deeds(pid_t target, char *wrong);

/* DEED, by a process that has given up its rights, but for TARGET and the file "out". */
static void without_rights(deeds *deed, pid_t target)
{
	static struct doorman_rules rules;
	char *wrong = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(wrong != MAP_FAILED);
	pid_t pid = fork();
	if (pid == 0) {
		const char *what = "rules";
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!doorman_rules_add_process(&rules, target) ||
			!doorman_rules_add_output(&rules, output) ||
			!give_up_rights(&rules, &what))
			snprintf(wrong, 256, "%s: %s", what, strerror(errno));
		else
			deed(target, wrong);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_string_equal(wrong, "");
	assert_int_equal(status, 0);
	munmap(wrong, 4096);
}

static bool cannot(void)
{
	return geteuid() != 0 || !place_can_notify();
}

/* --- what is forbidden -------------------------------------------------------------------- */

/* What is typed at the terminal for the user is read by a shell of root's later; in a namespace of
   its own a process has all capabilities. */
static void leave_by_other_ways(pid_t target, char *wrong)
{
	static const unsigned long spaces[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET,
		CLONE_NEWPID, CLONE_NEWUSER | CLONE_NEWNS};
	char letter = 'x';
	(void)target;
	CHECK(ioctl(STDIN_FILENO, TIOCSTI, &letter) != 0 && errno == EPERM);
	CHECK(syscall(SYS_ioctl, STDIN_FILENO, TIOCSTI | 1L << 32, &letter) != 0 &&
		errno == EPERM);
	CHECK(ioctl(STDIN_FILENO, TIOCLINUX, &letter) != 0 && errno == EPERM);
	CHECK(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 && errno == EPERM);
	CHECK(syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == EPERM);
	CHECK(syscall(SYS_fsopen, "tmpfs", 0) < 0 && errno == EPERM);
	CHECK(syscall(SYS_open_tree, AT_FDCWD, "/", 0) < 0 && errno == EPERM);
	CHECK(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		CHECK(syscall(SYS_clone, spaces[i] | SIGCHLD, 0, 0, 0, 0) < 0 &&
			errno == EPERM);
	pid_t child = fork(); /* which is not */
	if (child == 0)
		_exit(0);
	CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

static void test_what_is_forbidden(void **state)
{
	(void)state;
	if (cannot())
		skip();
	without_rights(leave_by_other_ways, getpid());
}

/* --- signals ------------------------------------------------------------------------------ */

static void nothing(int number)
{
	(void)number;
}

static void write_often(pid_t target, char *wrong)
{
	const struct sigaction heed = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	pid_t self = getpid();
	(void)target;
	sigaction(SIGWINCH, &heed, NULL);
	pid_t flood = fork();
	if (flood == 0)
		while (kill(self, SIGWINCH) == 0)
			sched_yield();
	int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(place >= 0 && flood > 0);
	for (int i = 0; i < 300; i++) {
		char name[64];
		snprintf(name, sizeof(name), ".cproftop-%d-%d.tmp", (int)self, i);
		int fd = openat(
			place, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
		close(fd);
		CHECK(renameat(place, name, place, "out") == 0);
	}
	int highest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(highest >= 0 && highest < 40); /* none is left over */
	kill(flood, SIGKILL);
	waitpid(flood, NULL, 0);
}

static void test_signals_that_are_handled_make_no_call_twice(void **state)
{
	(void)state;
	struct utsname system;
	int major = 0, minor = 0;
	if (cannot() || uname(&system) != 0 ||
		sscanf(system.release, "%d.%d", &major, &minor) != 2 ||
		major * 100 + minor < 519) /* before, the kernel cannot help it */
		skip();
	without_rights(write_often, getpid());
}

/* --- a file that does not answer ------------------------------------------------------------ */

struct slow {
	char path[64];
	int errnum;
};

static void *open_slow(void *argument)
{
	struct slow *slow = argument;
	int fd = open(slow->path, O_RDONLY | O_CLOEXEC);
	slow->errnum = fd < 0 ? errno : 0;
	return NULL;
}

/* The mapping of TARGET that is executable and called "slow". */
static bool find_mapping(pid_t target, char path[64])
{
	char line[512], maps[32];
	bool found = false;
	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)target);
	FILE *in = fopen(maps, "re");
	while (in && !found && fgets(line, sizeof(line), in))
		found = strstr(line, "/slow") != NULL;
	if (in)
		fclose(in);
	snprintf(path, 64, "/proc/%d/map_files/%.*s", (int)target,
		(int)strcspn(line, " "), line);
	return found;
}

static void ask_meanwhile(pid_t target, char *wrong)
{
	struct slow slow = {.errnum = -1};
	pthread_t thread;
	char maps[32];
	CHECK(find_mapping(target, slow.path));
	uint64_t begin_ns = clock_monotonic_ns();
	CHECK(pthread_create(&thread, NULL, open_slow, &slow) == 0);
	usleep(200 * 1000);
	CHECK(slow.errnum == -1); /* it waits */
	snprintf(maps, sizeof(maps), "/proc/%d/auxv", (int)target);
	CHECK(open(maps, O_RDONLY | O_CLOEXEC) >= 0);
	pthread_join(thread, NULL);
	CHECK(slow.errnum == EIO);
	CHECK(clock_monotonic_ns() - begin_ns < 25 * NS_PER_SEC);
	CHECK(open(maps, O_RDONLY | O_CLOEXEC) >= 0); /* by another doorman */
}

/* As a file on a server that does not answer: somebody may forbid that it is opened, and does not
   say whether they do (fanotify(7)). */
static void test_a_file_that_does_not_answer_holds_up_nobody_else(void **state)
{
	(void)state;
	char path[sizeof(folder) + 8];
	int watch = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);
	if (cannot() || watch < 0)
		skip();
	snprintf(path, sizeof(path), "%s/slow", folder);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_int_equal(ftruncate(fd, 4096), 0);
	pid_t target = fork();
	if (target == 0) {
		if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	waitpid(target, NULL, WUNTRACED);
	if (fanotify_mark(watch, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path) != 0)
		skip();
	without_rights(ask_meanwhile, target);
	close(watch); /* now it may be opened */
	close(fd);
	place_end_process(target);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_forbidden),
		cmocka_unit_test(test_signals_that_are_handled_make_no_call_twice),
		cmocka_unit_test(test_a_file_that_does_not_answer_holds_up_nobody_else),
	};
	if (!mkdtemp(folder) || chmod(folder, 0711) != 0)
		return 1;
	snprintf(output, sizeof(output), "%s/out", folder);
	int failed = unit_run(tests);
	unlink(output);
	return rmdir(folder) != 0 ? 1 : failed; /* nothing else was left */
}
