/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/hook.h"

#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command gets signals as any other has them, and a process group of its own: Ctrl-C
   ends the recording, not a command that handles the last file. */
static void set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, ignored;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &ignored);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setflags(attributes,
		POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

bool hook_run(struct hook *hook, const char *path, struct error *err)
{
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t files;
	char *script = mem_printf("%s \"$@\"", hook->command);
	char shell[] = "sh", option[] = "-c";
	char *const arguments[] = {shell, option, script, shell, (char *)path, NULL};
	pid_t pid;
	set_attributes(&attributes);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	int errnum =
		posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free(script);
	if (errnum)
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
