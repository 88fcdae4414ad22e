/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/worker/own-process.h"

#include "src/base/own-cpu.h"
#include "src/base/rights/close-range.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"
#include "src/base/rights/sanitized.h"
#include "src/base/wide-stack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_PROGRAM "/proc/self/exe"

enum {
	ABOVE_ALL = 64, /* descriptors that are given */
	VARIABLES_MAX = 32,
};

static const struct own_process_kind *const *known; /* NULL: main has not said */

static const struct own_process_kind *find(const char *name)
{
	for (size_t i = 0; known && known[i]; i++)
		if (strcmp(known[i]->name, name) == 0)
			return known[i];
	return NULL;
}

/* --- the process ----------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
	find(argv[0])->run(argc > 1 ? argv[1] : "");
	return 0;
}

void own_process_is(int argc, char **argv, const struct own_process_kind *const *kinds)
{
	known = kinds;
	if (argc < 1 || !find(argv[0]))
		return;
	prctl(PR_SET_NAME, argv[0]);
	_exit(wide_stack_run(run, argc, argv));
}

void own_process_confine(const char *const *folders, size_t ring_bytes)
{
	struct rlimit files;
	pid_t parent = getppid();
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max; /* one for each file of a target */
		setrlimit(RLIMIT_NOFILE, &files);
	}
	confine_identity(ring_bytes);
	/* The process of another user has none. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	confine_reading_to(folders);
}

/* --- who begins it --------------------------------------------------------------------- */

static void choose_variables(char **variables, const char *const *prefixes)
{
	size_t count = 0;
	while (variables[count])
		count++;
	for (char **at = environ; *at && count < VARIABLES_MAX; at++)
		for (size_t i = 0; prefixes && prefixes[i]; i++)
			if (strncmp(*at, prefixes[i], strlen(prefixes[i])) == 0) {
				variables[count++] = *at;
				break;
			}
	variables[count] = NULL;
}

/* Standard input and output, which may be a terminal, are not for it. */
static void give(const int *fds, size_t count)
{
	int above[OWN_PROCESS_FDS_MAX], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (size_t i = 0; i < count; i++)
		above[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE_ALL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
#ifndef SANITIZED /* whose reports are wanted */
		dup2(null, STDERR_FILENO);
#endif
	}
	for (size_t i = 0; i < count; i++)
		if (dup2(above[i], OWN_PROCESS_SOCKET + (int)i) < 0)
			_exit(1);
	close_all(OWN_PROCESS_SOCKET + (unsigned)count, UINT_MAX);
}

static void reset_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Makes system calls and nothing else: main has threads. */
static _Noreturn void become(char *const *arguments, char *const *variables,
	const int *fds, size_t count, pid_t parent)
{
	/* A process group of its own, so that keys that end or stop our job do not reach
	   it. Not a session, which may get less CPU time (sched_autogroup_enabled): at a
	   load of 25 to 40, a process that only computes got 5 % of a CPU in a session of
	   its own, and 13 % in ours. */
	setpgid(0, 0);
	reset_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	give(fds, count);
	execve(OWN_PROGRAM, arguments, variables);
	_exit(1);
}

pid_t own_process_begin(
	const char *name, const char *argument, const int *fds, size_t count)
{
	/* What others make of the rest may be secret, as a token is. */
	static const char *const usual[] = {"LD_", "LC_", "LANG",
		"GLIBC_TUNABLES=", "MALLOC_",
		"ASAN_OPTIONS=", "LSAN_OPTIONS=", "UBSAN_OPTIONS=", NULL};
	const struct own_process_kind *kind = find(name);
	char *variables[VARIABLES_MAX + 1] = {NULL};
	char *arguments[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)argument, NULL};
	if (!kind || count > OWN_PROCESS_FDS_MAX) {
		errno = ENOEXEC;
		return -1;
	}
	choose_variables(variables, usual);
	choose_variables(variables, kind->variables);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(arguments, variables, fds, count, parent);
	if (pid > 0)
		own_cpu_follow(pid);
	return pid;
}

int own_process_end(pid_t pid)
{
	int status = 0;
	struct rusage used = {0};
	kill(pid, SIGKILL);
	while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	own_cpu_leave(pid, &used);
	return status;
}
