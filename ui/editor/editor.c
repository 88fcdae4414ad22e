/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/editor/editor.h"

#include "src/base/invoker.h"
#include "src/base/mem.h"
#include "ui/editor/editor-command.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	WAIT_MS = 100,
	STATUS_BROKEN = 126,
	STATUS_MISSING = 127, /* as a shell has it */
};

/* What the terminal sends to everybody in front of it. */
static const int signals[] = {SIGINT, SIGQUIT, SIGTSTP};

enum {
	N_SIGNALS = sizeof(signals) / sizeof(signals[0])
};

/* Groups first: without root's user id they could not be changed any more, and without the
   change the editor would keep root's. */
static bool become(const struct invoker *invoker)
{
	return setgroups((size_t)invoker->n_groups, invoker->groups) == 0 &&
	       setresgid(invoker->gid, invoker->gid, invoker->gid) == 0 &&
	       setresuid(invoker->uid, invoker->uid, invoker->uid) == 0 && setuid(0) != 0;
}

/* ENVIRONMENT was made before the fork: only system calls are allowed here, because other
   threads may hold locks. */
static _Noreturn void start(const struct editor_command *command,
	const struct caller_state *caller, const struct invoker *invoker,
	char *const *environment)
{
	if (invoker && !become(invoker))
		_exit(STATUS_BROKEN);
	caller_state_return(caller);
	for (int i = 0; i < N_SIGNALS; i++)
		signal(signals[i], SIG_DFL);
	execve(command->argv[0], (char *const *)command->argv, environment);
	_exit(STATUS_MISSING);
}

/* Until it has ended; its status. */
static int wait_for(const struct editor *editor, pid_t child)
{
	int pidfd = pidfd_open(child, 0);
	struct pollfd wait = {.fd = pidfd, .events = POLLIN};
	int status = 0;

	for (;;) {
		pid_t changed = waitpid(child, &status, WNOHANG | WUNTRACED);
		if (changed < 0 && errno != EINTR)
			break;
		if (changed == child && !WIFSTOPPED(status))
			break;
		if (changed == child && editor->stop)
			editor->stop(editor->context);
		if (editor->meanwhile)
			editor->meanwhile(editor->context);
		poll(&wait, 1, WAIT_MS);
	}
	if (pidfd >= 0)
		close(pidfd);
	return status;
}

static bool judge(const char *command, int status, struct error *err)
{
	char name[64];

	editor_name(command, name, sizeof(name));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_MISSING)
		return error_set(err, "there is no editor '%s': set EDITOR", name);
	return error_set(err, "%s: ended with %s %d", name,
		WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Ours, with the name and home of INVOKER if that is not NULL; the caller frees the array
   and the first three strings. */
static char **environment_for(const struct invoker *invoker)
{
	static const char *const names[] = {"HOME=", "USER=", "LOGNAME="};
	const char *values[3];
	size_t n = 0, count = 0;

	while (environ[count])
		count++;
	char **result = mem_alloc((count + 4) * sizeof(*result));
	for (size_t i = 0; i < 3 && invoker; i++) {
		values[i] = i == 0 ? invoker->home : invoker->name;
		result[n++] = mem_printf("%s%s", names[i], values[i]);
	}
	for (size_t e = 0; e < count; e++) {
		bool is_replaced = false;
		for (size_t i = 0; i < 3 && invoker; i++)
			is_replaced |=
				strncmp(environ[e], names[i], strlen(names[i])) == 0;
		if (!is_replaced)
			result[n++] = environ[e];
	}
	result[n] = NULL;
	return result;
}

bool editor_run(
	const struct editor *editor, const char *file, unsigned line, struct error *err)
{
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before[N_SIGNALS];
	struct editor_command command;
	struct invoker invoker;
	bool is_sudo = invoker_uid() != 0;

	if (is_sudo && !invoker_find(&invoker))
		return error_set(err,
			"sudo was called by user %u, whom this system does "
			"not know: no editor is started as root",
			(unsigned)invoker_uid());
	editor_command_make(&command, editor->command, file, line);
	char **environment = environment_for(is_sudo ? &invoker : NULL);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &ignored, &before[i]);
	pid_t child = fork();
	if (child == 0)
		start(&command, editor->caller, is_sudo ? &invoker : NULL, environment);
	int errnum = errno;
	int status = child > 0 ? wait_for(editor, child) : 0;
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	for (size_t i = 0; i < 3 && is_sudo; i++)
		free(environment[i]);
	free(environment);
	return child > 0 ? judge(editor->command, status, err)
			 : error_errno(err, errnum, "cannot fork");
}
