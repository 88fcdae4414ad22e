/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/tracer-process.h"

#include "ptrace/tracer/tracer-main.h"
#include "src/base/mem.h"
#include "src/base/rights/close-range.h"
#include "src/process/task.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEAD_WITHIN_MS = 100,
	END_WITHIN_MS = 1000,
	FORK_WITHIN_MS = 800, /* where there is no room for another process */
	FORK_AGAIN_MS = 40,
};

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

static bool is_fatal(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGABRT ||
	       number == SIGILL || number == SIGFPE;
}

/* Be deaf to all signals but fatal ones, instead of main's handlers, and close all
   inherited descriptors: a pipe that a tracer holds would never be closed for its reader.
   All signals are blocked. */
static void become_tracer(int socket)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN},
			 fallback = {.sa_handler = SIG_DFL};
	for (int number = 1; number < SIGRTMIN; number++)
		sigaction(number,
			is_fatal(number) || number == SIGCHLD ? &fallback : &ignore,
			NULL);
	/* A stop of a target's thread sends one. Blocked, they are one that waits. */
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	/* So that no key of the terminal reaches it. A process group, not a session: with
	   sched_autogroup_enabled a new session is a group of its own (sched(7)), and slices
	   and nice values have no effect outside of a group. */
	setpgid(0, 0);
	mem_set_last_words(NULL);
	close_all(STDERR_FILENO + 1, (unsigned)socket - 1);
	close_all((unsigned)socket + 1, UINT_MAX);
	close_all(STDIN_FILENO, STDOUT_FILENO);
}

bool tracer_process_begin(struct tracer_process *process, struct tracer_control *control,
	const struct tracer_options *options)
{
	int pair[2];
	*process = (struct tracer_process){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t main = getpid(), pid = fork_patiently();
	if (pid == 0) {
		become_tracer(pair[1]);
		tracer_main(pair[1], main, control, options);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(pair[1]);
	process->socket = pair[0];
	process->pid = pid > 0 ? pid : 0;
	return pid > 0;
}

bool tracer_process_has_ended(const struct tracer_process *process)
{
	return process->pid && task_state(process->pid) == 'Z';
}

void tracer_process_tend(const struct tracer_process *process)
{
	siginfo_t info = {0};
	if (process->pid &&
		waitid(P_PID, (id_t)process->pid, &info, WSTOPPED | WNOHANG) == 0 &&
		info.si_pid != 0)
		kill(process->pid, SIGKILL);
}

/* It may not end completely, because one of its threads reads a file whose server does not
   answer; but the other threads end, and nothing is traced any more. So the wait is limited. */
static bool is_reaped(pid_t pid, int patience_ms)
{
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (patience_ms-- <= 0)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	is_reaped(pid, DEAD_WITHIN_MS);
}

void tracer_process_end(struct tracer_process *process, bool at_once)
{
	if (process->pid && at_once)
		kill_and_reap(process->pid);
	if (process->socket >= 0)
		close(process->socket);
	if (process->pid && !at_once && !is_reaped(process->pid, END_WITHIN_MS))
		kill_and_reap(process->pid);
	*process = (struct tracer_process){.socket = -1};
}
