/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/keeper.h"

#include "ptrace/tracer/tracer-main.h"
#include "src/base/mem.h"
#include "src/rights/close-range.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum wish_kind {
	WISH_FORK,     /* fds[0]: the tracer's end of the socket */
	WISH_TERMINAL, /* fds[0], fds[1]: in and out */
	WISH_RELEASE,
	WISH_PIPE,  /* fds[0] */
	WISH_SPARE, /* fds[0]: its end of the socket */
};

struct wish {
	enum wish_kind kind;
	struct keeper_terminal terminal; /* of WISH_TERMINAL */
};

enum {
	WISH_FDS = 2,
	PATIENCE_MS = 1000,
	DEAD_WITHIN_MS = 100,
};

/* --- in the keeper's process: system calls only ------------------------------------ */

struct kept {
	int socket;
	pid_t tracer; /* 0: none */
	struct tracer_control *control;
	const struct tracer_options *options;
	struct keeper_terminal
		terminal; /* with the keeper's descriptors; -1: no terminal */
	int pipe_fd;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void fork_tracer(struct kept *kept, int socket)
{
	pid_t keeper = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != keeper)
			_exit(1);
		close_fd(&kept->socket);
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		close_fd(&kept->pipe_fd);
		tracer_main(socket, kept->control, kept->options);
	}
	close(socket);
	kept->tracer = pid > 0 ? pid : 0;
	kept->control->tracer_pid = kept->tracer;
}

/* Kill the tracer. It may not end completely, because one of its threads reads a file
   whose server does not answer; but the other threads end, and nothing is traced any
   more. So the wait is limited. */
static void end_tracer(struct kept *kept)
{
	if (!kept->tracer)
		return;
	kill(kept->tracer, SIGKILL);
	for (int left_ms = DEAD_WITHIN_MS; left_ms > 0; left_ms--) {
		if (waitpid(kept->tracer, NULL, WNOHANG) != 0)
			break;
		poll(NULL, 0, 1);
	}
	kept->tracer = 0;
}

/* Kill a tracer that somebody has stopped, because it would keep threads of the target
   stopped. Reap a tracer that has ended. */
static void see_to_tracer(struct kept *kept)
{
	int status;
	while (kept->tracer &&
		waitpid(kept->tracer, &status, WNOHANG | WUNTRACED) == kept->tracer) {
		if (WIFSTOPPED(status))
			kill(kept->tracer, SIGKILL);
		else
			kept->tracer = 0;
	}
}

/* Restore the terminal, unless somebody else (the shell) has changed its settings
   meanwhile. */
static void give_terminal_back(const struct kept *kept)
{
	struct termios now;
	if (kept->terminal.out_fd < 0)
		return;
	ssize_t ignored = write(kept->terminal.out_fd, kept->terminal.bytes,
		kept->terminal.n_bytes % (KEEPER_BYTES + 1));
	(void)ignored;
	if (tcgetattr(kept->terminal.in_fd, &now) == 0 &&
		now.c_lflag == kept->terminal.ours.c_lflag &&
		now.c_iflag == kept->terminal.ours.c_iflag)
		tcsetattr(kept->terminal.in_fd, TCSANOW, &kept->terminal.before);
}

/* Copy what the command still writes to the terminal. */
static void drain_pipe(const struct kept *kept)
{
	char bytes[4096];
	ssize_t got;
	while (kept->pipe_fd >= 0 && (got = read(kept->pipe_fd, bytes, sizeof(bytes)))) {
		if (got < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = kept->pipe_fd, .events = POLLIN};
			poll(&wait, 1, -1);
		} else if (got < 0 && errno != EINTR) {
			break;
		} else if (got > 0 && kept->terminal.out_fd >= 0) {
			ssize_t ignored =
				write(kept->terminal.out_fd, bytes, (size_t)got);
			(void)ignored;
		}
	}
}

static _Noreturn void keeper_main(int socket, struct tracer_control *control,
	const struct tracer_options *options, bool is_spare);

/* A child of main, which can wait for it and signal it. It says first which process it is. */
static void fork_spare(struct kept *kept, int socket)
{
	if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
		keeper_main(fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
			kept->control, kept->options, true);
	close(socket);
}

static void take(struct kept *kept, const struct wish *wish, int fds[WISH_FDS])
{
	switch (wish->kind) {
	case WISH_SPARE:
		fork_spare(kept, fds[0]);
		break;
	case WISH_FORK:
		prctl(PR_SET_NAME, "keeper"); /* if it was a spare one */
		end_tracer(kept);
		fork_tracer(kept, fds[0]);
		break;
	case WISH_TERMINAL:
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		kept->terminal = wish->terminal;
		kept->terminal.in_fd = fds[0];
		kept->terminal.out_fd = fds[1];
		break;
	case WISH_RELEASE:
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		break;
	case WISH_PIPE:
		close_fd(&kept->pipe_fd);
		kept->pipe_fd = fds[0];
		break;
	}
}

/* Handle a message of main. False if main has ended. */
static bool receive(struct kept *kept)
{
	struct wish wish;
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(WISH_FDS * sizeof(int))];
	struct iovec part = {&wish, sizeof(wish)};
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	int fds[WISH_FDS] = {-1, -1};
	ssize_t got = recvmsg(kept->socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (got != sizeof(wish))
		return false;
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	if (rights && rights->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
	take(kept, &wish, fds);
	return true;
}

static void on_child(int number)
{
	(void)number;
}

static bool is_fatal(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGABRT ||
	       number == SIGILL || number == SIGFPE;
}

/* Block all signals but SIGCHLD and fatal ones, and close all inherited descriptors: a
   pipe that the keeper holds would never be closed for its reader. */
static void become_keeper(int socket)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN},
			 /* remove the screen's handlers */
		fatal = {.sa_handler = SIG_DFL}, child = {.sa_handler = on_child};
	for (int number = 1; number < SIGRTMIN; number++)
		sigaction(number, is_fatal(number) ? &fatal : &ignore, NULL);
	sigaction(SIGCHLD, &child, NULL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL); /* delivered only during ppoll */
	/* A process group, not a session: with sched_autogroup_enabled a new session is a group of
	   its own (sched(7)), and slices and nice values have no effect outside of a group. */
	setpgid(0, 0);
	prctl(PR_SET_NAME, "keeper");
	mem_set_last_words(NULL);
	close_all(STDERR_FILENO + 1, (unsigned)socket - 1);
	close_all((unsigned)socket + 1, UINT_MAX);
	close_all(STDIN_FILENO, STDOUT_FILENO);
}

static _Noreturn void keeper_main(int socket, struct tracer_control *control,
	const struct tracer_options *options, bool is_spare)
{
	struct kept kept = {
		.socket = socket,
		.control = control,
		.options = options,
		.terminal = {.in_fd = -1, .out_fd = -1},
		.pipe_fd = -1,
	};
	sigset_t none;
	sigemptyset(&none);
	become_keeper(socket);
	if (is_spare) {
		pid_t own = getpid();
		prctl(PR_SET_NAME, "spare");
		send(socket, &own, sizeof(own), MSG_NOSIGNAL);
	}
	for (;;) {
		struct pollfd wait = {.fd = socket, .events = POLLIN};
		int ready = ppoll(&wait, 1, NULL, &none);
		if (ready < 0 ? errno != EINTR : ready > 0 && !receive(&kept))
			break;
		see_to_tracer(&kept);
	}
	end_tracer(&kept);
	give_terminal_back(&kept);
	drain_pipe(&kept);
	_exit(0);
}

/* --- in main ----------------------------------------------------------------------- */

bool keeper_start(struct keeper *keeper, struct tracer_control *control,
	const struct tracer_options *options, struct error *err)
{
	int pair[2];
	*keeper = (struct keeper){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return error_errno(err, errno, "cannot make a socket for the tracer");
	pid_t pid = fork();
	if (pid == 0)
		keeper_main(pair[1], control, options, false);
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

bool keeper_start_spare(struct keeper *keeper, struct keeper *spare)
{
	struct wish wish = {.kind = WISH_SPARE};
	int pair[2];
	*spare = (struct keeper){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	struct pollfd wait = {.fd = spare->socket = pair[0], .events = POLLIN};
	bool sent = wish_for(keeper, &wish, &pair[1], 1);
	close(pair[1]);
	if (sent && poll(&wait, 1, PATIENCE_MS) == 1 &&
		recv(pair[0], &spare->pid, sizeof(spare->pid), 0) == sizeof(spare->pid))
		return true;
	keeper_end(spare);
	return false;
}

bool keeper_take_over(struct keeper *keeper, struct keeper *spare)
{
	*keeper = *spare;
	return keeper_start_spare(keeper, spare) || keeper->socket >= 0;
}

bool keeper_fork(struct keeper *keeper, int *socket)
{
	int pair[2];
	struct wish wish = {.kind = WISH_FORK};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	bool sent = wish_for(keeper, &wish, &pair[1], 1);
	close(pair[1]);
	*socket = pair[0];
	if (!sent)
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
