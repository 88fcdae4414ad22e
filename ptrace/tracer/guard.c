/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void guard_init(struct guard *guard, pid_t main)
{
	*guard = (struct guard){
		.main_fd = pidfd_open(main, 0),
		.terminal = {.in_fd = -1, .out_fd = -1},
		.pipe_fd = -1,
	};
	/* Main may die while somebody has stopped this process, which nobody else would
	   continue then. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	guard->main_ended = getppid() != main; /* who has its number now is another */
}

void guard_set_terminal(
	struct guard *guard, const struct guarded_terminal *terminal, const int fds[2])
{
	close_fd(&guard->terminal.in_fd);
	close_fd(&guard->terminal.out_fd);
	guard->terminal = *terminal;
	guard->terminal.in_fd = fds[0];
	guard->terminal.out_fd = fds[1];
	if (isatty(fds[0]) && isatty(fds[1]))
		return;
	close_fd(&guard->terminal.in_fd);
	close_fd(&guard->terminal.out_fd);
}

void guard_set_pipe(struct guard *guard, int fd)
{
	struct stat status;
	close_fd(&guard->pipe_fd);
	guard->pipe_fd = fd;
	if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
		close_fd(&guard->pipe_fd);
}

/* Restore the terminal, unless somebody else (the shell) has changed its settings
   meanwhile. */
static void give_terminal_back(const struct guarded_terminal *terminal)
{
	struct termios now;
	if (terminal->out_fd < 0)
		return;
	ssize_t ignored = write(
		terminal->out_fd, terminal->bytes, terminal->n_bytes % (GUARD_BYTES + 1));
	(void)ignored;
	if (tcgetattr(terminal->in_fd, &now) == 0 &&
		now.c_lflag == terminal->ours.c_lflag &&
		now.c_iflag == terminal->ours.c_iflag)
		tcsetattr(terminal->in_fd, TCSANOW, &terminal->before);
}

/* Copy what the command still writes to the terminal. */
static void drain_pipe(const struct guard *guard)
{
	char bytes[4096];
	ssize_t got;
	while ((got = read(guard->pipe_fd, bytes, sizeof(bytes)))) {
		if (got < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = guard->pipe_fd, .events = POLLIN};
			poll(&wait, 1, -1);
		} else if (got < 0 && errno != EINTR) {
			break;
		} else if (got > 0 && guard->terminal.out_fd >= 0) {
			ssize_t ignored =
				write(guard->terminal.out_fd, bytes, (size_t)got);
			(void)ignored;
		}
	}
}

void guard_end(struct guard *guard)
{
	give_terminal_back(&guard->terminal);
	/* A child has none of the threads that have sampled. */
	if (guard->pipe_fd < 0 || fork() > 0)
		return;
	drain_pipe(guard);
	_exit(0);
}
