/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls only. */

#include "ptrace/link/keeper-process.h"

#include "ptrace/tracer/tracer-main.h"
#include "src/base/mem.h"
#include "src/base/rights/close-range.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEAD_WITHIN_MS = 100,
	FORK_WITHIN_MS = 800, /* where there is no room for another process */
	FORK_AGAIN_MS = 40,
};

struct kept {
	int socket;
	pid_t main;
	int main_fd;  /* a pidfd of main's */
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

/* A target that forks without end, or takes all memory, may leave no room for a moment. */
static pid_t fork_patiently(void)
{
	pid_t pid = fork();
	for (int left_ms = FORK_WITHIN_MS; pid < 0 && left_ms > 0;
		left_ms -= FORK_AGAIN_MS) {
		poll(NULL, 0, FORK_AGAIN_MS);
		pid = fork();
	}
	return pid;
}

static void fork_tracer(struct kept *kept, int socket)
{
	pid_t keeper = getpid();
	pid_t pid = fork_patiently();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != keeper)
			_exit(1);
		close_fd(&kept->socket);
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		close_fd(&kept->pipe_fd);
		close_fd(&kept->main_fd);
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

static bool is_pipe(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static void take(struct kept *kept, const struct wish *wish, int fds[WISH_FDS])
{
	switch (wish->kind) {
	case WISH_FORK:
		end_tracer(kept);
		fork_tracer(kept, fds[0]);
		break;
	case WISH_TERMINAL:
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		kept->terminal = wish->terminal;
		kept->terminal.in_fd = fds[0];
		kept->terminal.out_fd = fds[1];
		if (!isatty(fds[0]) || !isatty(fds[1])) {
			close_fd(&kept->terminal.in_fd);
			close_fd(&kept->terminal.out_fd);
		}
		break;
	case WISH_RELEASE:
		close_fd(&kept->terminal.in_fd);
		close_fd(&kept->terminal.out_fd);
		break;
	case WISH_PIPE:
		close_fd(&kept->pipe_fd);
		kept->pipe_fd = fds[0];
		if (!is_pipe(kept->pipe_fd))
			close_fd(&kept->pipe_fd);
		break;
	default:
		break;
	}
}

/* What came with HEADER, at most as many as it has room for (the kernel closes the rest). */
static size_t take_descriptors(struct msghdr *header, int fds[WISH_FDS])
{
	const struct cmsghdr *rights = CMSG_FIRSTHDR(header);
	if (!rights || rights->cmsg_level != SOL_SOCKET ||
		rights->cmsg_type != SCM_RIGHTS)
		return 0;
	size_t bytes = rights->cmsg_len - CMSG_LEN(0);
	bytes = bytes <= WISH_FDS * sizeof(int) ? bytes : WISH_FDS * sizeof(int);
	memcpy(fds, CMSG_DATA(rights), bytes);
	return bytes / sizeof(int);
}

/* Handle a message of main. False if main has ended. */
static bool receive(struct kept *kept)
{
	static const size_t needed[WISH_KINDS] = {
		[WISH_FORK] = 1, [WISH_TERMINAL] = 2, [WISH_PIPE] = 1};
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
	size_t n = take_descriptors(&header, fds);
	if ((unsigned)wish.kind < WISH_KINDS && n == needed[wish.kind]) {
		take(kept, &wish, fds);
	} else {
		close_fd(&fds[0]);
		close_fd(&fds[1]);
	}
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

_Noreturn void keeper_main(int socket, struct tracer_control *control,
	const struct tracer_options *options, pid_t main)
{
	struct kept kept = {
		.socket = socket,
		.main = main,
		.control = control,
		.options = options,
		.terminal = {.in_fd = -1, .out_fd = -1},
		.pipe_fd = -1,
	};
	sigset_t none;
	int last_words = 16;
	sigemptyset(&none);
	if (socket < 0)
		_exit(1);
	become_keeper(socket);
	kept.main_fd = pidfd_open(main, 0);
	bool is_left = getppid() != main; /* who has its number now is somebody else */
	if (is_left)
		close_fd(&kept.main_fd);
	for (;;) {
		static const struct timespec at_once;
		struct pollfd wait[] = {{.fd = socket, .events = POLLIN},
			{.fd = kept.main_fd, .events = POLLIN}};
		int ready = ppoll(wait, 2, is_left ? &at_once : NULL, &none);
		if (ready < 0 && errno != EINTR)
			break;
		if (ready > 0 && wait[0].revents && !receive(&kept))
			break;
		/* what main has said last counts, too; others may have its socket */
		is_left |= ready > 0 && wait[1].revents;
		if (is_left && ready >= 0 && (!wait[0].revents || --last_words == 0))
			break;
		see_to_tracer(&kept);
	}
	end_tracer(&kept);
	give_terminal_back(&kept);
	drain_pipe(&kept);
	_exit(0);
}
