/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/rights/doorman-calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	REASONABLE_FLAGS = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY |
			   O_PATH | O_LARGEFILE, /* beside O_RDONLY */
	LOOK_EVERY_US = 200 * 1000,
};

/* For reading what is open at PATH_FD, if it is a regular file; a descriptor that only stands
   for a path cannot be handed over. Closes PATH_FD. */
static int open_content(int path_fd)
{
	char path[32];
	struct stat status;
	int fd = -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	if (path_fd < 0)
		return -1;
	if (fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	else
		errno = EACCES;
	int errnum = errno;
	close(path_fd);
	errno = errnum;
	return fd;
}

static bool open_entry(struct doorman *doorman, const struct asked *asked, int flags)
{
	char entry[DOORMAN_NAME_MAX];
	int fd, proc = doorman_rules_entry(
			&doorman->rules, asked->directory, asked->path, entry);
	if (proc < 0 || strstr(entry, "fd/")) /* of which the link is enough */
		return false;
	if (doorman_rules_is_mapped(entry))
		fd = open_content(openat(proc, entry, O_PATH | O_CLOEXEC));
	else
		fd = openat(proc, entry, (flags & O_DIRECTORY) | O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && doorman_rules_is_mapped(entry))
		doorman_rules_remember(&doorman->rules, fd);
	asked_hand_over(asked, fd);
	return true;
}

static bool open_again(struct doorman *doorman, const struct asked *asked)
{
	char *end;
	if (strncmp(asked->path, "/proc/self/fd/", 14) != 0)
		return false;
	long number = strtol(asked->path + 14, &end, 10);
	if (*end || number < 0 || number > INT_MAX)
		return false;
	int copy = asked_descriptor(asked, (int)number);
	bool known = copy >= 0 && doorman_rules_knows(&doorman->rules, copy);
	if (known)
		asked_hand_over(asked, open_content(copy));
	else if (copy >= 0)
		close(copy);
	return known;
}

static bool open_folder(const struct doorman *doorman, const struct asked *asked)
{
	int output = doorman_rules_folder(&doorman->rules, asked->path);
	if (output < 0 || (int)asked->args[0] != AT_FDCWD)
		return false;
	asked_hand_over(asked, openat(doorman->rules.outputs[output].folder, ".",
				       O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return true;
}

static bool make_temporary(const struct doorman *doorman, const struct asked *asked)
{
	int output = doorman_rules_output(&doorman->rules, asked->dir, asked->path, true);
	if (output < 0)
		return false;
	asked_hand_over(asked,
		openat(doorman->rules.outputs[output].folder, asked->path,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	return true;
}

static void wake(int number)
{
	(void)number;
}

/* open, which waits for the other end of a FIFO: as long as the caller does. */
static int open_patiently(
	const struct asked *asked, int folder, const char *path, int flags)
{
	struct itimerval often = {{0, LOOK_EVERY_US}, {0, LOOK_EVERY_US}}, never = {0};
	struct sigaction waking = {.sa_handler = wake}; /* open fails then */
	sigset_t alarm_only;
	int fd;
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigaction(SIGALRM, &waking, NULL);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	do
		fd = openat(folder, path, flags);
	while (fd < 0 && errno == EINTR && asked_is_valid(asked));
	int errnum = errno;
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_BLOCK, &alarm_only, NULL);
	errno = errnum;
	return fd;
}

/* By the words of the command line, so a link may lead anywhere; but /dev/fd/3 would be the
   doorman's own. Whatever the caller has made of the name or the descriptor since, it is opened
   only if it is the file of the start. */
static bool open_input(const struct doorman *doorman, const struct asked *asked)
{
	char path[32];
	int number;
	int input = doorman_rules_input(&doorman->rules, asked->path, &number);
	if (input < 0 || (int)asked->args[0] != AT_FDCWD)
		return false;
	int copy = number < 0 ? -1 : asked_descriptor(asked, number);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	int fd = open(number < 0 ? asked->path : path, O_PATH | O_CLOEXEC);
	if (copy >= 0)
		close(copy);
	if (fd >= 0 && !doorman_rules_is_input(&doorman->rules, input, fd)) {
		close(fd);
		fd = -1;
		errno = EACCES;
	}
	if (fd < 0) {
		asked_answer(asked, -1);
		return true;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	asked_hand_over(asked,
		open_patiently(asked, AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_CLOEXEC));
	close(fd);
	return true;
}

static bool is_stream(const struct stat *status)
{
	return S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode);
}

static bool open_stream(const struct doorman *doorman, const struct asked *asked)
{
	int output =
		doorman_rules_output(&doorman->rules, asked->dir, asked->path, false);
	struct stat status;
	if (output < 0)
		return false;
	int folder = doorman->rules.outputs[output].folder;
	if (fstatat(folder, asked->path, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
		!is_stream(&status))
		return false;
	int fd = open_patiently(
		asked, folder, asked->path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &status) != 0 || !is_stream(&status))) {
		close(fd); /* another one lies there by now */
		fd = -1;
		errno = EACCES;
	}
	asked_hand_over(asked, fd);
	return true;
}

static bool do_open(struct doorman *doorman, const struct asked *asked)
{
	int flags = (int)asked->args[2];
	if (strcmp(asked->path, DOORMAN_PROBE) == 0) {
		errno = EALREADY;
		asked_answer(asked, -1);
		return true;
	}
	if ((flags & O_TMPFILE) == O_TMPFILE) { /* would belong to the caller's user */
		errno = EOPNOTSUPP;
		asked_answer(asked, -1);
		return true;
	}
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return make_temporary(doorman, asked);
	if (flags == (O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC))
		return open_stream(doorman, asked);
	if (flags & ~REASONABLE_FLAGS)
		return false;
	if ((flags & ~(O_LARGEFILE | O_CLOEXEC)) == 0 && open_input(doorman, asked))
		return true;
	return open_entry(doorman, asked, flags) || open_again(doorman, asked) ||
	       ((flags & O_DIRECTORY) && open_folder(doorman, asked));
}

static bool do_readlink(const struct doorman *doorman, const struct asked *asked)
{
	char entry[DOORMAN_NAME_MAX], link[PATH_MAX];
	int proc = doorman_rules_entry(
		&doorman->rules, asked->directory, asked->path, entry);
	if (proc < 0)
		return false;
	ssize_t length = readlinkat(proc, entry, link, sizeof(link));
	if (length > 0 && (uint64_t)length > asked->args[3])
		length = (ssize_t)asked->args[3];
	if (length > 0 && !asked_write(asked, asked->args[2], link, (size_t)length)) {
		errno = EFAULT;
		length = -1;
	}
	asked_answer(asked, length);
	return true;
}

static bool do_stat(const struct doorman *doorman, const struct asked *asked)
{
	struct stat status;
	int output =
		doorman_rules_output(&doorman->rules, asked->dir, asked->path, false);
	if (output < 0)
		return false;
	int result = fstatat(doorman->rules.outputs[output].folder, asked->path, &status,
		AT_SYMLINK_NOFOLLOW);
	if (result == 0 && !asked_write(asked, asked->args[2], &status, sizeof(status))) {
		errno = EFAULT;
		result = -1;
	}
	asked_answer(asked, result);
	return true;
}

static bool do_unlink(const struct doorman *doorman, const struct asked *asked)
{
	int output = doorman_rules_output(&doorman->rules, asked->dir, asked->path, true);
	if (output < 0)
		return false;
	asked_answer(
		asked, unlinkat(doorman->rules.outputs[output].folder, asked->path, 0));
	return true;
}

static bool do_rename(const struct doorman *doorman, const struct asked *asked)
{
	char name[PATH_MAX];
	int target = asked_descriptor(asked, (int)asked->args[2]);
	bool granted =
		target >= 0 && asked_read_path(asked, asked->args[3], name) &&
		doorman_rules_output(&doorman->rules, asked->dir, asked->path, true) >= 0;
	int output =
		granted ? doorman_rules_output(&doorman->rules, target, name, false) : -1;
	if (target >= 0)
		close(target);
	if (output < 0 || doorman->rules.outputs[output].is_stream)
		return false;
	int folder = doorman->rules.outputs[output].folder;
	asked_answer(asked, renameat(folder, asked->path, folder, name));
	return true;
}

/* The parent of PID, or 0. */
static pid_t parent_of(pid_t pid)
{
	char path[32], text[4096];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *line = strstr(text, "\nPPid:"); /* a name has no newline there */
	return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

static bool do_kill(const struct doorman *doorman, const struct asked *asked)
{
	pid_t pid = (pid_t)asked->args[0];
	pid_t leader =
		pid < 0 ? -pid : pid; /* of a process group that is a child's own */
	if (leader <= 1 || parent_of(leader) != doorman->main)
		return false;
	asked_answer(asked, kill(pid, (int)asked->args[1]));
	return true;
}

bool doorman_call_has_path(int call)
{
	return call == SYS_openat || call == SYS_readlinkat || call == SYS_newfstatat ||
	       call == SYS_unlinkat || call == SYS_renameat;
}

bool doorman_call(struct doorman *doorman, int call, const struct asked *asked)
{
	switch (call) {
	case SYS_openat:
		return do_open(doorman, asked);
	case SYS_readlinkat:
		return do_readlink(doorman, asked);
	case SYS_newfstatat:
		return do_stat(doorman, asked);
	case SYS_unlinkat:
		return do_unlink(doorman, asked);
	case SYS_renameat:
		return do_rename(doorman, asked);
	case SYS_kill:
		return do_kill(doorman, asked);
	default:
		return false;
	}
}
