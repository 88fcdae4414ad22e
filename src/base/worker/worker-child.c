/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/worker-child.h"

#include "src/base/rights/close-range.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"
#include "src/base/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- for what works ---------------------------------------------------------------- */

enum worker_arrival worker_child_receive(
	void *out, size_t size, size_t *length, int *fd, bool wait)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {.iov_base = out, .iov_len = size};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t got;
	do
		got = recvmsg(WORKER_SOCKET, &message,
			MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	while (got < 0 && errno == EINTR);
	*fd = -1;
	*length = got > 0 ? (size_t)got : 0;
	if (got < 0 && errno == EAGAIN)
		return WORKER_NOTHING_YET;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (got > 0 && header && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return got > 0 ? WORKER_PACKET : WORKER_END;
}

void worker_child_send(const void *packet, size_t length)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)packet, .iov_len = length};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	while (sendmsg(WORKER_SOCKET, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(0);
}

void worker_child_set_alarm(unsigned seconds)
{
	struct itimerval alarm = {.it_value = {.tv_sec = (time_t)seconds}};
	setitimer(ITIMER_PROF, &alarm, NULL);
}

enum {
	LIFE_CPU_S = 900, /* of a child; a question may take 20 */
};

/* --- the processes ----------------------------------------------------------------- */

static void keep_only(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
#ifndef SANITIZED	       /* whose reports are wanted */
		dup2(null, 2); /* how ours is open is shared with other programs */
#endif
	}
	if (socket != WORKER_SOCKET)
		dup2(socket, WORKER_SOCKET);
	close_all(WORKER_SOCKET + 1, UINT_MAX);
}

static void live_as_long_as(pid_t parent, int signal)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		_exit(0);
}

static void reset_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Wait for CHILD to end. False if no other one is needed: it ended because no more
   questions will come, or we were told to end. */
static bool wait_for(pid_t child, const sigset_t *watched)
{
	for (;;) {
		int status, number = sigwaitinfo(watched, NULL);
		if (number == SIGTERM)
			kill(child, SIGKILL);
		else if (number != SIGCHLD || waitpid(child, &status, WNOHANG) != child)
			continue;
		else
			return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		waitpid(child, &status, 0); /* reap it: no other process does */
		return false;
	}
}

_Noreturn void worker_main(const struct worker_kind *kind, int socket, pid_t parent,
	const char *const *folders)
{
	sigset_t watched;
	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	prctl(PR_SET_NAME, kind->name);
	/* A process group of its own, so that keys that end or stop our job do not reach
	   it. Not a session, which may get less CPU time (sched_autogroup_enabled): at a
	   load of 25 to 40, a process that only computes got 5 % of a CPU in a session of
	   its own, and 13 % in ours. */
	setpgid(0, 0);
	reset_signals();
	keep_only(socket);
	confine_identity();
	confine_reading_to(folders);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	live_as_long_as(parent, SIGTERM);
	confine_parent_calls();
	for (uint32_t number = 0;; number++) {
		pid_t self = getpid(), child = fork();
		if (child == 0) {
			reset_signals();
			live_as_long_as(self, SIGKILL);
			confine_time(LIFE_CPU_S); /* then another one is forked */
			if (kind->memory_bytes)
				confine_memory(kind->memory_bytes);
			confine_reader_calls();
			kind->serve(number);
			_exit(0);
		}
		if (child < 0 || !wait_for(child, &watched))
			_exit(0);
		if (send(WORKER_SOCKET, kind->anew, kind->anew_length, MSG_NOSIGNAL) < 0)
			_exit(0); /* nobody listens any more */
	}
}
