/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/launch.h"

#include "src/base/rights/caller-state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	NOT_STARTED = 127
}; /* the exit status of a shell for a command that it cannot run */

static _Noreturn void become(char *const argv[], int go_fd, int failed_fd)
{
	char go;
	/* Where Yama allows only ancestors to trace, name our parent as tracer: the real
	   tracer is a descendant of it, not an ancestor of this process. */
	prctl(PR_SET_PTRACER, getppid());
	/* What exec will call it, so that it never goes by our name. */
	const char *slash = strrchr(argv[0], '/');
	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	if (read(go_fd, &go, 1) != 1)
		_exit(NOT_STARTED);
	caller_state_return(NULL); /* we have the caller's limits still */
	execvp(argv[0], argv);
	int errnum = errno;
	ssize_t ignored = write(failed_fd, &errnum, sizeof(errnum));
	(void)ignored;
	_exit(NOT_STARTED);
}

static void redirect(int output_fd, bool silent)
{
	if (output_fd >= 0) {
		dup2(output_fd, STDOUT_FILENO);
		dup2(output_fd, STDERR_FILENO);
	}
	int null = silent ? open("/dev/null", O_RDONLY) : -1;
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
}

bool launch_prepare(struct launch *launch, char *const argv[], int output_fd, bool silent,
	struct error *err)
{
	int go[2], failed[2];
	if (pipe2(go, O_CLOEXEC) != 0)
		return error_errno(err, errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) != 0) {
		error_errno(err, errno, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return false;
	}
	launch->pid = fork();
	if (launch->pid == 0) {
		close(go[1]);
		close(failed[0]);
		redirect(output_fd, silent);
		become(argv, go[0], failed[1]);
	}
	int errnum = errno;
	close(go[0]);
	close(failed[1]);
	launch->go_fd = go[1];
	launch->failed_fd = failed[0];
	if (launch->pid > 0)
		return true;
	close(go[1]);
	close(failed[0]);
	return error_errno(err, errnum, "cannot fork");
}

bool launch_go(struct launch *launch, const char *command, struct error *err)
{
	ssize_t sent = write(launch->go_fd, "g", 1);
	close(launch->go_fd);
	/* The pipe closes at exec. If an errno comes before that, the exec failed. */
	int errnum = sent == 1 ? 0 : EIO;
	ssize_t got;
	do
		got = read(launch->failed_fd, &errnum, sizeof(errnum));
	while (got < 0 && errno == EINTR);
	close(launch->failed_fd);
	launch->errnum = errnum;
	if (!errnum)
		return true;
	return error_errno(err, errnum, "cannot run '%s'", command);
}

void launch_cancel(struct launch *launch)
{
	close(launch->go_fd);
	close(launch->failed_fd);
}
