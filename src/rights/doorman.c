/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/rights/doorman.h"

#include "src/rights/asked.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	KEPT_FROM = 256, /* descriptors of its own; no other is as high so early */
	REASONABLE_FLAGS = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY |
			   O_PATH | O_LARGEFILE, /* beside O_RDONLY */
};

struct doorman {
	struct doorman_rules rules;
	int listener;
	pid_t main; /* whom it serves */
};

/* --- the calls ----------------------------------------------------------------------------- */

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

static bool do_open(struct doorman *doorman, const struct asked *asked)
{
	int flags = (int)asked->args[2];
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return make_temporary(doorman, asked);
	if (flags & ~REASONABLE_FLAGS)
		return false;
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
	if (output < 0)
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

/* --- the process ---------------------------------------------------------------------------- */

static bool has_path(int call)
{
	return call == SYS_openat || call == SYS_readlinkat || call == SYS_newfstatat ||
	       call == SYS_unlinkat || call == SYS_renameat;
}

static void serve(struct doorman *doorman, const struct seccomp_notif *request)
{
	static struct asked asked;
	int call = request->data.nr;
	asked.listener = doorman->listener;
	asked.id = request->id;
	asked.tid = (pid_t)request->pid;
	asked.dir = -1;
	for (int i = 0; i < 6; i++)
		asked.args[i] = request->data.args[i];
	bool readable =
		!has_path(call) || asked_read_path(&asked, asked.args[1], asked.path);
	if (has_path(call))
		asked_look_at_directory(&asked, (int)asked.args[0]);
	bool done = false;
	if (readable && asked_is_valid(&asked))
		done = call == SYS_openat	? do_open(doorman, &asked)
		       : call == SYS_readlinkat ? do_readlink(doorman, &asked)
		       : call == SYS_newfstatat ? do_stat(doorman, &asked)
		       : call == SYS_unlinkat	? do_unlink(doorman, &asked)
		       : call == SYS_renameat	? do_rename(doorman, &asked)
		       : call == SYS_kill	? do_kill(doorman, &asked)
						: false;
	if (!done)
		asked_grant_nothing(&asked);
	if (asked.dir >= 0)
		close(asked.dir);
}

static int receive_listener(int socket)
{
	char byte;
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	struct iovec part = {&byte, 1};
	struct msghdr header = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	int fd = -1;
	if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&header))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(fd));
	return fd;
}

/* Of all descriptors keep those of the rules and the socket: others would not be closed for
   who waits for their end. */
static void keep_only(struct doorman_rules *rules, int *socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	int last = *socket = fcntl(*socket, F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_pids; i++)
		last = rules->proc_fds[i] =
			fcntl(rules->proc_fds[i], F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_outputs; i++)
		last = rules->outputs[i].folder =
			fcntl(rules->outputs[i].folder, F_DUPFD_CLOEXEC, KEPT_FROM);
	close_range(STDERR_FILENO + 1, KEPT_FROM - 1, 0);
	close_range((unsigned)last + 1, UINT_MAX, 0);
}

static _Noreturn void doorman_main(struct doorman *doorman, int socket)
{
	sigset_t all;
	struct seccomp_notif request;
	prctl(PR_SET_NAME, "doorman");
	prctl(PR_SET_DUMPABLE, 0);
	setpgid(0, 0); /* no key of the terminal is for it */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	keep_only(&doorman->rules, &socket);
	doorman->listener = receive_listener(socket);
	close(socket);
	for (;;) {
		struct pollfd wait = {.fd = doorman->listener, .events = POLLIN};
		if (doorman->listener < 0 || poll(&wait, 1, -1) < 0 ||
			(wait.revents & (POLLHUP | POLLERR | POLLNVAL)))
			_exit(0); /* whom it served has ended */
		memset(&request, 0, sizeof(request));
		if (ioctl(doorman->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) == 0)
			serve(doorman, &request);
	}
}

pid_t doorman_start(const struct doorman_rules *rules, int *socket)
{
	static struct doorman doorman; /* large */
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	doorman = (struct doorman){.rules = *rules, .main = getpid()};
	pid_t child = fork();
	if (child == 0) {
		close(pair[0]);
		doorman_main(&doorman, pair[1]);
	}
	close(pair[1]);
	*socket = pair[0];
	if (child < 0)
		close(pair[0]);
	return child;
}

bool doorman_hand_over(int socket, int listener)
{
	char byte = 0;
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr header = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &listener, sizeof(listener));
	return sendmsg(socket, &header, MSG_NOSIGNAL) == 1;
}
