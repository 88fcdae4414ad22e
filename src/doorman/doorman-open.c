/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/doorman-open.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
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
		errno = EINVAL; /* as src/sourcefile/source-open.h has it */
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

/* By the words of the command line, anew each time: another folder may have that name by now. */
static bool open_folder(struct doorman *doorman, const struct asked *asked)
{
	int output = doorman_rules_folder(&doorman->rules, asked->dir, asked->path);
	if (output < 0 || (asked->dir < 0 && (int)asked->args[0] != AT_FDCWD))
		return false;
	int *known = &doorman->rules.outputs[output].folder;
	if (asked->dir < 0) {
		int fd = open(doorman->rules.outputs[output].folder_path,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0) {
			asked_answer(asked, -1);
			return true;
		}
		close(*known);
		*known = fd;
	}
	asked_hand_over(asked, openat(*known, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return true;
}

static bool make_temporary(struct doorman *doorman, const struct asked *asked)
{
	struct doorman_rules *rules = &doorman->rules;
	int output = doorman_rules_output(rules, asked->dir, asked->path, true);
	if (output < 0)
		return false;
	int fd = openat(rules->outputs[output].folder, asked->path,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0) {
		strcpy(rules->outputs[output].temporary, asked->path);
		fchmod(fd, rules->mode ? rules->mode : 0600); /* whatever the umask is */
	}
	asked_hand_over(asked, fd);
	return true;
}

/* What is below FOLDER by PATH, if no link or mount is on the way but those that RESOLVE does
   not name (openat2(2)). */
static int open_below(int folder, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
		.resolve = resolve | RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/* What PATH below DIR stands for, if it is in a folder of rule 6: O_PATH; -1, and errno is ENOENT
   if nothing is there. */
int doorman_below_folder(const struct doorman *doorman, const struct asked *asked)
{
	const char *rest;
	int folder = doorman_rules_below(&doorman->rules, asked->dir, asked->path, &rest);
	errno = folder < 0 ? EACCES : ENOENT;
	return folder < 0 || doorman->rules.folders[folder].fd < 0
		       ? -1
		       : open_below(doorman->rules.folders[folder].fd, *rest ? rest : ".",
				 0);
}

static bool open_in_folder(
	const struct doorman *doorman, const struct asked *asked, int flags)
{
	int place = doorman_below_folder(doorman, asked);
	int fd = -1;
	if (place < 0 && errno != ENOENT)
		return false; /* else what anybody may open, as by a link to elsewhere */
	if (place < 0) {
		; /* whoever names a folder may know what is not in it */
	} else if (flags & O_DIRECTORY) {
		fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(place);
	} else {
		fd = open_content(place);
	}
	asked_hand_over(asked, fd);
	return true;
}

/* Its folder is the target's, which can mount there what it may not read itself. */
static bool open_perf_map(const struct asked *asked)
{
	struct stat status;
	if (asked->dir < 0 || !doorman_rules_is_perf_map(asked->path))
		return false;
	int fd = open_below(
		asked->dir, asked->path, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_nlink != 1)) {
		close(fd);
		fd = -1;
	}
	fd = open_content(fd);
	if (fd >= 0)
		asked_hand_over(asked, fd);
	return fd >= 0;
}

static void wake(int number)
{
	(void)number;
}

/* open, which waits for the other end of a FIFO: as long as the caller does. */
static int open_patiently(struct asked *asked, int folder, const char *path, int flags)
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
	*asked->may_wait = true;
	do
		fd = openat(folder, path, flags);
	while (fd < 0 && errno == EINTR && asked_is_valid(asked));
	int errnum = errno;
	*asked->may_wait = false;
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_BLOCK, &alarm_only, NULL);
	errno = errnum;
	return fd;
}

/* By the words of the command line, so a link may have led anywhere. Whatever the caller has made
   of the name since, this is the file of the start. */
static bool open_input(const struct doorman *doorman, struct asked *asked)
{
	char path[32];
	int input = doorman_rules_input(&doorman->rules, asked->path);
	if (input < 0 || (int)asked->args[0] != AT_FDCWD)
		return false;
	int fd = doorman->rules.inputs[input].fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	errno = ENOENT;
	asked_hand_over(asked, fd < 0 ? -1
				      : open_patiently(asked, AT_FDCWD, path,
						O_RDONLY | O_NOCTTY | O_CLOEXEC));
	return true;
}

static bool is_stream(const struct stat *status)
{
	return S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode);
}

static bool open_stream(const struct doorman *doorman, struct asked *asked)
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

ssize_t doorman_peer_link(long pid, long number, char link[PATH_MAX])
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%ld/fd/%ld", pid, number);
	ssize_t length = number < 0 ? -1 : readlink(path, link, PATH_MAX - 1);
	link[length > 0 ? length : 0] = '\0';
	if (strncmp(link, "pipe:[", 6) == 0 || strncmp(link, "socket:[", 8) == 0)
		return length;
	errno = 0;
	return -1;
}

static bool open_peer(const struct doorman *doorman, const struct asked *asked)
{
	char path[64], link[PATH_MAX];
	long pid, number;
	enum doorman_peer peer = doorman_rules_peer(
		&doorman->rules, asked->directory, asked->path, &pid, &number);
	if (peer == DOORMAN_FDINFO && doorman_peer_link(pid, number, link) > 0)
		snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%ld", pid, number);
	else if (peer == DOORMAN_FD && number < 0)
		snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
	else
		return false;
	asked_hand_over(asked, open(path, O_RDONLY | O_CLOEXEC));
	return true;
}

/* By the name that it has, whatever link led there. */
static bool is_source(int fd)
{
	char link[32], real[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, real, sizeof(real) - 1);
	real[length > 0 ? length : 0] = '\0';
	return doorman_rules_is_source(real);
}

static bool is_program(int fd)
{
	char magic[4];
	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, "\177ELF", sizeof(magic)) == 0;
}

/* For files this process is the person meanwhile, and has no capability that overrides
   permissions (setfsuid(2)). */
static bool open_source(struct doorman *doorman, const struct asked *asked, int flags)
{
	struct doorman_rules *rules = &doorman->rules;
	bool is_below = doorman->stays_user && asked->dir >= 0;
	if (!rules->person || (asked->path[0] != '/' && !is_below))
		return false;
	gid_t group = rules->person_group;
	uid_t us = geteuid();
	setgroups(0, NULL); /* where it may not be called, we are in none that counts */
	setfsgid(group);
	setfsuid(rules->person);
	const struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)),
		.resolve = RESOLVE_NO_MAGICLINKS};
	int fd = -1;
	if ((uid_t)setfsuid((uid_t)-1) == rules->person)
		fd = open_content(
			(int)syscall(SYS_openat2, is_below ? asked->dir : AT_FDCWD,
				asked->path, &how, sizeof(how)));
	setfsuid(us);
	setfsgid(getegid());
	if (fd >= 0 && !is_source(fd) && !is_program(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0 && doorman->stays_user)
		doorman_rules_remember(rules, fd);
	if (fd >= 0)
		asked_hand_over(asked, fd);
	return fd >= 0;
}

bool doorman_open(struct doorman *doorman, struct asked *asked)
{
	int flags = (int)asked->args[2];
	if (strcmp(asked->path, DOORMAN_PROBE) == 0) {
		asked_hand_over(asked, open("/dev/null", O_RDONLY | O_CLOEXEC));
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
	if (flags & O_PATH) /* no right is needed for it, but for what rule 1 names */
		return open_entry(doorman, asked, flags) ||
		       (doorman->stays_user && open_source(doorman, asked, flags));
	return open_entry(doorman, asked, flags) || open_again(doorman, asked) ||
	       open_peer(doorman, asked) || open_in_folder(doorman, asked, flags) ||
	       open_perf_map(asked) || open_source(doorman, asked, flags) ||
	       ((flags & O_DIRECTORY) && open_folder(doorman, asked));
}
