/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/hook.h"

#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STATUS_MISSING = 127, /* as a shell has it */
};

/* The command has signals and limits as any other, and a process group of its own: Ctrl-C ends
   the recording, not a command that handles the last file. Only system calls are made here,
   because other threads may hold locks. */
static _Noreturn void become(const struct hook *hook, char *const *arguments, int null_fd)
{
	setpgid(0, 0);
	dup2(null_fd, STDIN_FILENO);
	caller_state_return(hook->caller);
	execve("/bin/sh", arguments, environ);
	_exit(STATUS_MISSING);
}

bool hook_run(struct hook *hook, const char *path, struct error *err)
{
	char *script = mem_printf("%s \"$@\"", hook->command);
	char shell[] = "sh", option[] = "-c";
	char *const arguments[] = {shell, option, script, shell, (char *)path, NULL};
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid = null_fd >= 0 ? fork() : -1;
	if (pid == 0)
		become(hook, arguments, null_fd);
	int errnum = errno;
	if (null_fd >= 0)
		close(null_fd);
	free(script);
	if (pid < 0)
		return error_errno(err, errnum, "--exec: /bin/sh");
	vec_push(&hook->running, pid);
	return true;
}

bool hook_reap(struct hook *hook, struct error *err)
{
	for (size_t i = 0; i < hook->running.len; i++) {
		int status;
		pid_t ended = waitpid(hook->running.data[i], &status, WNOHANG);
		if (ended == 0)
			continue;
		hook->running.data[i--] = hook->running.data[--hook->running.len];
		if (ended < 0 || status == 0)
			continue;
		return error_set(err, "--exec: '%s' failed with %s %d", hook->command,
			WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	return true;
}

void hook_finish(struct hook *hook)
{
	vec_free(&hook->running);
}
