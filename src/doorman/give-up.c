/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/give-up.h"

#include "src/doorman/doorman.h"
#include "src/doorman/main-calls.h"
#include "src/rights/own-user.h"
#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TRIAL_WITHIN_MS = 5000, /* it takes some ms; a busy machine may need more */
};

/* Before it is too late: can the doorman read the paths of a process that is not its own
   user's? Not to be traced is the same to it. */
static bool is_understood(bool is_root, const char **what)
{
	if (is_root)
		prctl(PR_SET_DUMPABLE, 0);
	int fd = open(DOORMAN_PROBE, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0, is_old = errno == EINVAL;
	if (done)
		close(fd);
	if (is_root)
		prctl(PR_SET_DUMPABLE, 1);
	*what = is_old ? "this kernel cannot hand over descriptors (before Linux 5.9)"
		: is_root
			? "to give them up this root needs CAP_SYS_PTRACE (and Yama's "
			  "leave)"
			: "to give them up this user must be allowed to look into their "
			  "own processes (Yama)";
	errno = EPERM;
	return done;
}

/* A user's files are open to who reads hostile files for it, but for Landlock (confine-files.h). */
static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
		       LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

bool give_up_rights(const struct doorman_rules *rules, const char **what)
{
	int socket;
	bool is_root = geteuid() == 0;
	/* It would be written where nobody is asked (core(5)). */
	const struct rlimit no_core = {0, 0};
	setrlimit(RLIMIT_CORE, &no_core);
	*what = "this kernel has no Landlock";
	if (!is_root && !has_landlock())
		return false;
	*what = "cannot start the process that opens files";
	pid_t doorman = doorman_start(rules, &socket);
	if (doorman < 0)
		return false;
	*what = "cannot install the filter of system calls";
	prctl(PR_SET_PTRACER, doorman); /* where Yama asks for it */
	int listener = main_calls_install(is_root);
	bool done = listener >= 0 && doorman_hand_over(socket, listener);
	int errnum = errno;
	if (listener >= 0)
		close(listener);
	close(socket);
	if (listener < 0)
		waitpid(doorman, NULL, 0); /* it ends with the socket */
	errno = errnum;
	if (!done || !is_understood(is_root, what))
		return false;
	*what = "cannot become a user without rights";
	done = !is_root || own_user_become();
#ifdef SANITIZED
	prctl(PR_SET_DUMPABLE, 1);
#endif
	return done;
}

/* Did it fail for a limit of this process (setrlimit(2)), and not because of where we run? */
static bool is_for_want(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == EAGAIN ||
	       errnum == ENOMEM || errnum == EFBIG;
}

bool give_up_is_possible(const char **what)
{
	static const struct doorman_rules nothing;
	static char refused_for[128];
	int pipe_fds[2];
	ssize_t length = -1;
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return true;
	*what = "cannot start a process";
	pid_t child = fork();
	if (child == 0) {
		const char *why = "";
		errno = 0;
		if (give_up_rights(&nothing, &why) || is_for_want(errno))
			why = "";
		_exit(write(pipe_fds[1], why, strlen(why) + 1) > 0 ? 0 : 1);
	}
	close(pipe_fds[1]);
	if (child > 0) {
		struct pollfd wait = {.fd = pipe_fds[0], .events = POLLIN};
		if (poll(&wait, 1, TRIAL_WITHIN_MS) == 1) {
			length = read(pipe_fds[0], refused_for, sizeof(refused_for) - 1);
		} else {
			*what = "the process that opens files does not answer";
			kill(child, SIGKILL);
		}
		waitpid(child, NULL, 0);
	}
	close(pipe_fds[0]);
	if (child < 0)
		return true;
	if (length <= 0)
		return false;
	*what = refused_for;
	return !refused_for[0];
}
