#include "ptrace/guardian.h"

#include "src/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 50,
	LOOKS = 2, /* one might be a stop that is just ending */
};

static bool is_stopped(int stat_fd)
{
	char text[512];
	ssize_t length = pread(stat_fd, text, sizeof(text), 0);
	const char *close = length > 0 ? memrchr(text, ')', (size_t)length) : NULL;
	return close && close + 2 < text + length && close[2] == 'T';
}

/* After fork in a program with threads: system calls, and nothing else. */
static _Noreturn void guard(pid_t parent, const char *stat_path)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "guardian");
	setsid(); /* what stops our job must not stop the guardian */
	/* It must keep no pipe open that others wait to see closed. */
	if (close_range(0, UINT_MAX, 0) != 0)
		_exit(1);
	int stat_fd = open(stat_path, O_RDONLY);
	struct timespec pause = clock_to_timespec(LOOK_EVERY_MS * NS_PER_MS);
	int stopped = 0;
	while (getppid() == parent) {
		stopped = is_stopped(stat_fd) ? stopped + 1 : 0;
		if (stopped >= LOOKS)
			kill(parent, SIGKILL);
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

bool guardian_init(struct guardian *guardian, struct error *err)
{
	char stat_path[32];
	pid_t parent = getpid();
	snprintf(stat_path, sizeof(stat_path), "/proc/%d/stat", parent);
	pid_t pid = fork();
	if (pid == 0)
		guard(parent, stat_path);
	guardian->pid = pid > 0 ? pid : 0;
	return pid > 0 || error_errno(err, errno, "cannot start the guardian process");
}

void guardian_finish(struct guardian *guardian)
{
	if (guardian->pid) {
		kill(guardian->pid, SIGKILL);
		while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	guardian->pid = 0;
}
