/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/filter.h"

#include "src/base/clock.h"
#include "src/base/rights/caller-state.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIECE_BYTES = 64 << 10,
	STATUS_MISSING = 127, /* as a shell has it */
	STATUS_BROKEN = 126,
};

/* --- the child ------------------------------------------------------------------------- */

static _Noreturn void become(const struct filter *filter, int in_fd, int out_fd)
{
	int null_fd = open("/dev/null", O_WRONLY);
	if (dup2(in_fd, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0 ||
		dup2(null_fd, STDERR_FILENO) < 0)
		_exit(STATUS_BROKEN);
	setpgid(0, 0); /* Ctrl-C ends us first, and then it has no reader */
	caller_state_return(
		NULL); /* it keeps our limits: no core file of what it reads */
	confine_identity(0);
	confine_writing();
	execvp(filter->arguments[0], (char *const *)filter->arguments);
	/* EACCES: a folder of PATH that only root may enter */
	_exit(errno == ENOENT || errno == EACCES ? STATUS_MISSING : STATUS_BROKEN);
}

/* --- the parent ------------------------------------------------------------------------ */

/* A descriptor from which BYTES can be read; -1 and ERR. */
static int open_input(const void *bytes, size_t size, struct error *err)
{
	int fd = memfd_create("cproftop-filter", MFD_CLOEXEC);
	const char *from = bytes;
	while (fd >= 0 && size > 0) {
		ssize_t written = write(fd, from, size);
		if (written <= 0) {
			error_errno(err, errno, "cannot hand over %zu bytes", size);
			close(fd);
			return -1;
		}
		from += written;
		size -= (size_t)written;
	}
	if (fd < 0)
		error_errno(err, errno, "cannot make a file in memory");
	else
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Until it prints no more, or END_NS. */
static bool copy(const struct filter *filter, int fd, uint64_t end_ns, FILE *out,
	struct error *err)
{
	char piece[PIECE_BYTES];
	size_t copied = 0;
	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		if (now_ns >= end_ns)
			return error_set(err, "%s: has not ended after %u s",
				filter->arguments[0], filter->seconds);
		if (poll(&wait, 1, (int)((end_ns - now_ns) / NS_PER_MS) + 1) <= 0)
			continue;
		ssize_t length = read(fd, piece, sizeof(piece));
		if (length == 0)
			return true;
		if (length < 0 && errno != EINTR)
			return error_errno(err, errno, "%s", filter->arguments[0]);
		copied += length > 0 ? (size_t)length : 0;
		if (copied > filter->most_bytes)
			return error_set(err, "%s: prints more than %zu bytes",
				filter->arguments[0], filter->most_bytes);
		if (length > 0)
			fwrite(piece, 1, (size_t)length, out);
	}
}

/* Its status when it has ended, of itself or by us: if it is not DONE, or at END_NS. */
static int end(pid_t child, bool done, uint64_t end_ns)
{
	int status = 0, pidfd = pidfd_open(child, 0);
	struct pollfd wait = {.fd = pidfd, .events = POLLIN};
	uint64_t now_ns = clock_monotonic_ns();
	int left_ms = now_ns < end_ns ? (int)((end_ns - now_ns) / NS_PER_MS) : 0;
	if (!done || (pidfd >= 0 && poll(&wait, 1, left_ms) <= 0))
		kill(child, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static bool judge(const struct filter *filter, int status, struct error *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_MISSING)
		return error_set(err, "%s", filter->missing);
	return error_set(err, "%s: failed with %s %d", filter->arguments[0],
		WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

bool filter_run(const struct filter *filter, const void *bytes, size_t size, FILE *out,
	struct error *err)
{
	uint64_t end_ns = clock_monotonic_ns() + filter->seconds * NS_PER_SEC;
	int pipe_fds[2], in_fd = open_input(bytes, size, err);
	if (in_fd < 0)
		return false;
	if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
		close(in_fd);
		return error_errno(err, errno, "cannot make a pipe");
	}
	pid_t child = fork();
	if (child == 0)
		become(filter, in_fd, pipe_fds[1]);
	close(in_fd);
	close(pipe_fds[1]);
	bool done = child > 0 ? copy(filter, pipe_fds[0], end_ns, out, err)
			      : error_errno(err, errno, "cannot fork");
	close(pipe_fds[0]);
	if (child < 0)
		return false;
	int status = end(child, done, end_ns);
	return done && judge(filter, status, err);
}
