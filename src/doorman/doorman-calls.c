/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/doorman-calls.h"

#include "src/doorman/doorman-open.h"
#include "src/doorman/doorman-public.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* NAME is gone, or has become another one. */
static void forget_temporary(struct doorman *doorman, int output, const char *name)
{
	char *temporary = doorman->rules.outputs[output].temporary;
	if (strcmp(temporary, name) == 0)
		temporary[0] = '\0';
}

void doorman_calls_finish(struct doorman *doorman)
{
	for (size_t i = 0; i < doorman->rules.n_outputs; i++)
		if (doorman->rules.outputs[i].temporary[0])
			unlinkat(doorman->rules.outputs[i].folder,
				doorman->rules.outputs[i].temporary, 0);
}

static ssize_t read_link(
	struct doorman *doorman, const struct asked *asked, char link[PATH_MAX])
{
	char entry[DOORMAN_NAME_MAX];
	long pid, number;
	int proc = doorman_rules_entry(
		&doorman->rules, asked->directory, asked->path, entry);
	if (proc >= 0)
		return readlinkat(proc, entry, link, PATH_MAX);
	errno = 0;
	return doorman_rules_peer(&doorman->rules, asked->directory, asked->path, &pid,
		       &number) == DOORMAN_FD
		       ? doorman_peer_link(pid, number, link)
		       : -1;
}

static bool do_readlink(struct doorman *doorman, const struct asked *asked)
{
	char link[PATH_MAX];
	ssize_t length = read_link(doorman, asked, link);
	if (length < 0 && errno == 0)
		return false;
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
	bool follows = !(asked->args[3] & AT_SYMLINK_NOFOLLOW);
	int output = follows ? -1
			     : doorman_rules_output(
				       &doorman->rules, asked->dir, asked->path, false);
	int place = output < 0 ? doorman_below_folder(doorman, asked) : -1;
	if (output < 0 && place < 0)
		return false;
	int result = place >= 0 ? fstat(place, &status)
				: fstatat(doorman->rules.outputs[output].folder,
					  asked->path, &status, AT_SYMLINK_NOFOLLOW);
	if (place >= 0)
		close(place);
	if (result == 0 && !asked_write(asked, asked->args[2], &status, sizeof(status))) {
		errno = EFAULT;
		result = -1;
	}
	asked_answer(asked, result);
	return true;
}

static bool remove_socket(const struct doorman *doorman, const struct asked *asked)
{
	const char *socket = doorman->rules.socket;
	struct stat status;
	if (!socket || (int)asked->args[0] != AT_FDCWD || asked->args[2] != 0 ||
		strcmp(socket, asked->path) != 0 || lstat(socket, &status) != 0 ||
		!S_ISSOCK(status.st_mode))
		return false;
	asked_answer(asked, unlink(socket));
	return true;
}

static bool do_unlink(struct doorman *doorman, const struct asked *asked)
{
	int output = doorman_rules_output(&doorman->rules, asked->dir, asked->path, true);
	if (output < 0) {
		output = doorman_rules_output(
			&doorman->rules, asked->dir, asked->path, false);
		if (output < 0 || !doorman_rules_prunes(&doorman->rules, output))
			return remove_socket(doorman, asked);
	}
	forget_temporary(doorman, output, asked->path);
	asked_answer(
		asked, unlinkat(doorman->rules.outputs[output].folder, asked->path, 0));
	return true;
}

static bool do_rename(struct doorman *doorman, const struct asked *asked)
{
	char name[PATH_MAX];
	int target = asked_descriptor(asked, (int)asked->args[2]);
	int made = doorman_rules_output(&doorman->rules, asked->dir, asked->path, true);
	bool granted = target >= 0 && made >= 0 &&
		       asked_read_path(asked, asked->args[3], name) &&
		       asked_is_valid(asked);
	int output =
		granted ? doorman_rules_output(&doorman->rules, target, name, false) : -1;
	if (target >= 0)
		close(target);
	if (output < 0 || doorman->rules.outputs[output].is_stream)
		return false;
	int folder = doorman->rules.outputs[output].folder;
	unsigned how = doorman_rules_replaces(&doorman->rules, output, name)
			       ? 0
			       : RENAME_NOREPLACE;
	int result = renameat2(folder, asked->path, folder, name, how);
	if (result == 0)
		forget_temporary(doorman, made, asked->path);
	asked_answer(asked, result);
	return true;
}

/* Else somebody else may have its number. */
static bool main_runs(const struct doorman *doorman)
{
	struct pollfd ended = {.fd = doorman->main_fd, .events = POLLIN};
	return doorman->main_fd >= 0 && poll(&ended, 1, 0) == 0;
}

/* Is PID a child of main's, which still runs? */
static bool is_child_of_main(const struct doorman *doorman, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is_child =
		fd >= 0 && doorman_parent(fd) == doorman->main && main_runs(doorman);
	if (fd >= 0)
		close(fd);
	return is_child;
}

/* Main may have waited for the child, and somebody else have got its number: so it is known by a
   pidfd, which is looked at last. */
static bool do_kill(const struct doorman *doorman, const struct asked *asked)
{
	pid_t pid = (pid_t)asked->args[0];
	pid_t leader =
		pid < 0 ? -pid : pid; /* of a process group that is a child's own */
	int number = (int)asked->args[1], result = -1;
	int fd = leader > 1 ? pidfd_open(leader, 0) : -1;
	bool granted = fd >= 0 && is_child_of_main(doorman, leader) &&
		       (pid > 0 || getpgid(leader) == leader) &&
		       pidfd_send_signal(fd, 0, NULL, 0) == 0;
	if (granted)
		result = pid > 0 ? pidfd_send_signal(fd, number, NULL, 0)
				 : kill(pid, number);
	if (fd >= 0)
		close(fd);
	if (granted)
		asked_answer(asked, result);
	return granted;
}

bool doorman_call_has_path(int call)
{
	return call == SYS_openat || call == SYS_readlinkat || call == SYS_newfstatat ||
	       call == SYS_unlinkat || call == SYS_renameat;
}

bool doorman_call(struct doorman *doorman, int call, struct asked *asked)
{
	switch (call) {
	case SYS_openat:
		return doorman_open(doorman, asked);
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

/* A signal to itself has no memory of the caller's in it, so it may go on. */
bool doorman_call_of_anybody(struct doorman *doorman, int call, const struct asked *asked)
{
	if (call == SYS_openat)
		return doorman_public_open(&doorman->rules, asked);
	if ((call != SYS_kill && call != SYS_tgkill) ||
		(pid_t)asked->args[0] != doorman->main || !main_runs(doorman))
		return false;
	asked_go_on(asked);
	return true;
}
