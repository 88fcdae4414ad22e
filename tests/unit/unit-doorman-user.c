/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process of a user who is not root, and stays that user, gives up its rights: it reaches no file
   and no process of that user's but by a rule, whichever way it asks. */

#include "tests/lib/doorman-place.h"
#include "tests/lib/unit.h"

#include "src/doorman/give-up.h"
#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/unit-doorman-user-XXXXXX";
static pid_t target, stranger; /* of that user */

static void path_of(const char *name, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/%s", folder, name);
}

static void make(const char *name, const char *text, mode_t mode)
{
	char path[PATH_MAX];
	path_of(name, path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(2);
	close(fd);
}

static int opening_of(const char *pid, const char *entry)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "/proc/%s/%s", pid, entry);
	return place_opening(AT_FDCWD, path, O_RDONLY);
}

/* The exit status of a program that reads PATH. */
static int status_of_reading(const char *path)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/cat", "cat", path, (char *)NULL);
		_exit(126);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void read_files(char *wrong)
{
	char path[PATH_MAX], again[64];
	CHECK(place_opening(AT_FDCWD, "secret", O_RDONLY) == EACCES);
	CHECK(place_opening(AT_FDCWD, "secret", O_RDONLY | O_PATH) == EACCES);
	CHECK(place_opening(AT_FDCWD, "secret", O_WRONLY) == EACCES);
	CHECK(place_opening(AT_FDCWD, "shown", O_RDONLY) ==
		EACCES); /* 0644, but the user's */
	path_of("secret", path);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	CHECK(status_of_reading(path) == 1);
	CHECK(opening_of("self/root", path + 1) == EACCES);
	CHECK(opening_of("self/cwd", "secret") == EACCES);
	path_of("input", path);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == 0);
	CHECK(place_opening(AT_FDCWD, path, O_RDWR) == EACCES);
	path_of("roots", path); /* 0644, but in a folder that is not for anybody */
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	path_of("link.c",
		path); /* rule 10 is for what is a source, not what leads to it */
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	path_of("main.c", path); /* rule 10, and once more by its number */
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY | O_PATH | O_NOFOLLOW) == 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	CHECK(place_opening(AT_FDCWD, again, O_RDONLY) == 0);
	CHECK(place_opening(AT_FDCWD, again, O_RDWR) == EACCES);
	close(fd);
	/* a descriptor for writing only is not made one for reading */
	int folder_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder_fd >= 0);
	CHECK(place_opening(folder_fd, "secret", O_RDONLY) == EACCES);
	fd = openat(folder_fd, place_temporary(getpid(), 12),
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	CHECK(place_opening(AT_FDCWD, again, O_RDONLY) == EACCES);
	CHECK(renameat(folder_fd, place_temporary(getpid(), 12), folder_fd, "secret") !=
		0);
	CHECK(renameat(folder_fd, place_temporary(getpid(), 12), folder_fd, "out") == 0);
	CHECK(unlinkat(folder_fd, "secret", 0) != 0 && errno == EACCES);
	/* not of another recording */
	CHECK(place_opening(folder_fd, place_temporary(1, 12),
		      O_WRONLY | O_CREAT | O_EXCL) == EACCES);
	close(fd);
	close(folder_fd);
}

/* The exit status of this program, started anew, that reads PATH. */
static int status_of_us(const char *path)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		execl("/proc/self/exe", "us", path, (char *)NULL);
		_exit(126);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Rule 11. */
static void read_what_is_public(char *wrong)
{
	char pid[16], path[PATH_MAX], text[256] = "";
	CHECK(place_opening(AT_FDCWD, "/etc/passwd", O_RDONLY) == 0);
	CHECK(place_opening(AT_FDCWD, "/etc/passwd", O_WRONLY) == EACCES);
	CHECK(place_opening(AT_FDCWD, "/usr/lib", O_RDONLY | O_DIRECTORY) == 0);
	CHECK(place_opening(AT_FDCWD, "/etc/not/there", O_RDONLY) == ENOENT);
	CHECK(place_opening(AT_FDCWD, "/dev/null", O_RDWR) == 0);
	CHECK(place_opening(AT_FDCWD, "/dev/full", O_RDONLY) == EACCES);
	CHECK(status_of_reading("/etc/passwd") == 0);
	path_of("main.c", path);
	CHECK(status_of_us("/etc/passwd") == 0);
	CHECK(status_of_us(path) == 1);
	CHECK(place_opening(AT_FDCWD, "/proc/stat", O_RDONLY) == 0);
	CHECK(opening_of("1", "stat") == 0);
	CHECK(opening_of("1", "maps") == EACCES);
	snprintf(pid, sizeof(pid), "%d", (int)stranger);
	CHECK(opening_of(pid, "status") == 0);
	CHECK(opening_of(pid, "maps") == EACCES);
	CHECK(opening_of(pid, "mem") == EACCES);
	CHECK(opening_of(pid, "environ") == EACCES);
	snprintf(path, sizeof(path), "../%s/maps", pid);
	CHECK(opening_of("self", path) == EACCES);
	snprintf(pid, sizeof(pid), "%d", (int)target);
	CHECK(opening_of(pid, "maps") == 0);
	/* itself, and not the doorman */
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && atoi(text) == getpid());
	close(fd);
}

static void reach_processes(char *wrong)
{
	CHECK(kill(stranger, 0) != 0 && errno == EPERM);
	CHECK(kill(target, SIGSTOP) != 0 && errno == EPERM);
	CHECK(kill(getpid(), 0) == 0);
#ifndef SANITIZED /* whose runtime needs more */
	char byte;
	struct iovec here = {&byte, 1}, there = {wrong, 1};
	const struct rlimit none = {0, 0};
	const struct sched_param other = {0};
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CHECK(syscall(SYS_tgkill, stranger, stranger, 0) != 0 && errno == ENOSYS);
	CHECK(syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
	CHECK(syscall(SYS_tkill, stranger, 0) != 0 && errno == ENOSYS);
	CHECK(ptrace(PTRACE_SEIZE, stranger, 0, 0) != 0 && errno == ENOSYS);
	CHECK(process_vm_readv(stranger, &here, 1, &there, 1, 0) < 0 && errno == ENOSYS);
	CHECK(prlimit(stranger, RLIMIT_CPU, &none, NULL) != 0 && errno == ENOSYS);
	CHECK(setpriority(PRIO_PROCESS, (id_t)stranger, 5) != 0 && errno == ENOSYS);
	CHECK(setpriority(PRIO_USER, 0, 5) != 0 && errno == ENOSYS);
	CHECK(sched_setscheduler(stranger, SCHED_OTHER, &other) != 0 && errno == ENOSYS);
	CHECK(sched_setaffinity(stranger, sizeof(cpus), &cpus) != 0 && errno == ENOSYS);
	CHECK(fcntl(STDIN_FILENO, F_SETOWN, stranger) != 0 && errno == ENOSYS);
	CHECK(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 && errno == ENOSYS);
	int pair[2]; /* of which one end could send to any address */
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 && errno == ENOSYS);
	CHECK(socketpair(AF_UNIX, SOCK_RAW, 0, pair) != 0 && errno == ENOSYS);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
	CHECK(fcntl(pair[0], F_SETFL, O_ASYNC) != 0 && errno == ENOSYS);
	CHECK(ioctl(pair[0], TIOCSPGRP, &stranger) != 0 && errno == ENOSYS);
	CHECK(syscall(SYS_get_robust_list, stranger, &there, &here) != 0 &&
		errno == ENOSYS);
	close(pair[0]);
	close(pair[1]);
#endif
}

/* Calls that no doorman sees. */
static void try_other_calls(char *wrong)
{
#ifdef SANITIZED
	(void)wrong;
#else
	char path[PATH_MAX];
	struct stat status;
	struct rlimit core;
	CHECK(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0);
	CHECK(prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0) != 0 && errno == ENOSYS);
	CHECK(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) < 0 &&
		errno == ENOSYS);
	path_of("input", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(fchmod(fd, 0777) != 0 && errno == ENOSYS);
	CHECK(ioctl(fd, _IOW('f', 2, long), &(long){0}) != 0 && errno == ENOSYS);
	CHECK(ioctl(STDIN_FILENO, TIOCSTI, "x") != 0 && errno == ENOSYS);
	CHECK(syscall(SYS_open, path, O_RDONLY) < 0 && errno == ENOSYS);
	CHECK(syscall(SYS_creat, path, 0600) < 0 && errno == ENOSYS);
	CHECK(syscall(SYS_openat2, AT_FDCWD, path, NULL, 0) < 0 && errno == ENOSYS);
	CHECK(chmod(path, 0777) != 0 && errno == ENOSYS);
	CHECK(truncate(path, 0) != 0 && errno == ENOSYS);
	CHECK(rename(path, "x") != 0 && errno == ENOSYS);
	CHECK(unlink(path) != 0 && errno == ENOSYS);
	CHECK(link(path, "x") != 0 && errno == ENOSYS);
	CHECK(symlink(path, "x") != 0 && errno == ENOSYS);
	CHECK(mkdir("x", 0700) != 0 && errno == ENOSYS);
	CHECK(chdir("/") != 0 && errno == ENOSYS);
	CHECK(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) < 0 &&
		errno == ENOSYS);
	CHECK(fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0600);
	close(fd);
#endif
}

/* A process that main has left behind. */
static void try_without_main(pid_t main, char *wrong)
{
	char path[PATH_MAX];
	path_of("main.c", path);
	while (getppid() == main)
		usleep(1000);
	int errnum = 0;
	for (int i = 0; i < 5000 && errnum != ENOSYS; i++) {
		errnum = place_opening(AT_FDCWD, path, O_RDONLY);
		usleep(1000); /* the doorman hears of it */
	}
	CHECK(errnum == ENOSYS);
}

static void try_all(char *wrong)
{
	static struct doorman_rules rules;
	const char *what = "rules";
	char input[PATH_MAX], output[PATH_MAX];
	path_of("input", input);
	path_of("out", output);
	rules.person = geteuid();
	rules.person_group = getegid();
	if (chdir(folder) != 0 || !doorman_rules_add_input(&rules, input) ||
		!doorman_rules_add_output(&rules, "out") ||
		!doorman_rules_add_process(&rules, target) ||
		!give_up_rights(&rules, &what)) {
		snprintf(wrong, 256, "%s: %s", what, strerror(errno));
		return;
	}
	read_files(wrong);
	if (!wrong[0])
		read_what_is_public(wrong);
	if (!wrong[0])
		reach_processes(wrong);
	if (!wrong[0])
		try_other_calls(wrong);
	pid_t main = getpid();
	if (!wrong[0] && fork() == 0)
		try_without_main(main, wrong);
}

/* As that user; root becomes one. */
static void be_the_user(char *wrong)
{
	char link[PATH_MAX];
	int tried[2];
	path_of("link.c", link);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	make("roots", "r\n", 0644);
	if (geteuid() == 0 && (chown(folder, PERSON, PERSON) != 0 ||
				      setresgid(PERSON, PERSON, PERSON) != 0 ||
				      setresuid(PERSON, PERSON, PERSON) != 0))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 1);
	make("secret", "s\n", 0600);
	make("shown", "s\n", 0644);
	make("input", "i\n", 0600);
	make("main.c", "int x;\n", 0600);
	if (symlink("secret", link) != 0)
		_exit(2);
	target = place_start_process();
	stranger = place_start_process();
	if (pipe2(tried, O_CLOEXEC) != 0)
		_exit(2);
	pid_t tries = fork();
	if (tries == 0) {
		try_all(wrong);
		_exit(0);
	}
	int status = 0;
	waitpid(tries, &status, 0);
	close(tried[1]);
	(void)!read(tried[0], link, 1); /* until what it has left behind has ended */
	place_end_process(target);
	place_end_process(stranger);
	_exit(status != 0);
}

static void test_a_user_keeps_nothing_but_what_rules_grant(void **state)
{
	(void)state;
	char path[PATH_MAX];
	int status;
	char *wrong = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!place_can_notify())
		skip();
	assert_true(wrong != MAP_FAILED && mkdtemp(folder));
	pid_t user = fork();
	if (user == 0)
		be_the_user(wrong);
	waitpid(user, &status, 0);
	assert_string_equal(wrong, "");
	assert_int_equal(status, 0);
	static const char *const names[] = {
		"secret", "shown", "input", "main.c", "out", "roots", "link.c"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		path_of(names[i], path);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(folder), 0);
	munmap(wrong, 4096);
}

int main(int argc, char **argv)
{
	if (argc == 2) /* status_of_us */
		return place_opening(AT_FDCWD, argv[1], O_RDONLY) != 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_user_keeps_nothing_but_what_rules_grant),
	};
	return unit_run(tests);
}
