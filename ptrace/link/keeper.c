/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In main. */

#include "ptrace/link/keeper.h"

#include "ptrace/link/keeper-process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 1000,
};

bool keeper_start(struct keeper *keeper, struct tracer_control *control,
	const struct tracer_options *options, struct error *err)
{
	int pair[2];
	*keeper = (struct keeper){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return error_errno(err, errno, "cannot make a socket for the tracer");
	pid_t main = getpid(), pid = fork();
	if (pid == 0)
		keeper_main(pair[1], control, options, main);
	if (pid < 0)
		error_errno(err, errno, "cannot start the tracer's process");
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return false;
	}
	keeper->pid = pid;
	keeper->socket = pair[0];
	return true;
}

static bool wish_for(
	struct keeper *keeper, const struct wish *wish, const int *fds, size_t n_fds)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(WISH_FDS * sizeof(int))] = {0};
	struct iovec part = {(void *)(uintptr_t)wish, sizeof(*wish)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (n_fds > 0) {
		header.msg_control = space;
		header.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, n_fds * sizeof(int));
	}
	return keeper->socket >= 0 &&
	       sendmsg(keeper->socket, &header, MSG_NOSIGNAL) == sizeof(*wish);
}

bool keeper_fork(struct keeper *keeper, int *socket)
{
	int pair[2];
	struct wish wish = {.kind = WISH_FORK};
	*socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	bool sent = wish_for(keeper, &wish, &pair[1], 1);
	close(pair[1]);
	if (sent)
		*socket = pair[0];
	else
		close(pair[0]);
	return sent;
}

void keeper_guard_terminal(struct keeper *keeper, const struct keeper_terminal *terminal)
{
	struct wish wish = {.kind = WISH_TERMINAL, .terminal = *terminal};
	int fds[] = {terminal->in_fd, terminal->out_fd};
	wish_for(keeper, &wish, fds, 2);
}

void keeper_release_terminal(struct keeper *keeper)
{
	struct wish wish = {.kind = WISH_RELEASE};
	wish_for(keeper, &wish, NULL, 0);
}

void keeper_guard_pipe(struct keeper *keeper, int fd)
{
	struct wish wish = {.kind = WISH_PIPE};
	wish_for(keeper, &wish, &fd, 1);
}

void keeper_tend(struct keeper *keeper)
{
	siginfo_t info = {0};
	if (keeper->pid &&
		waitid(P_PID, (id_t)keeper->pid, &info, WSTOPPED | WNOHANG) == 0 &&
		info.si_pid != 0)
		kill(keeper->pid, SIGCONT);
}

void keeper_end(struct keeper *keeper)
{
	if (keeper->socket >= 0)
		close(keeper->socket);
	keeper->socket = -1;
	if (keeper->pid) {
		int pidfd = pidfd_open(keeper->pid, 0);
		struct pollfd ended = {.fd = pidfd, .events = POLLIN};
		kill(keeper->pid, SIGCONT); /* in case somebody has stopped it */
		/* A limited time: its tracer may be waiting for a file system. */
		if (poll(&ended, 1, PATIENCE_MS) == 1)
			waitpid(keeper->pid, NULL, 0);
		if (pidfd >= 0)
			close(pidfd);
	}
	keeper->pid = 0;
}
