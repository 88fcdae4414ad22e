#include "ptrace/guardian.h"

#include "ptrace/deadman.h"
#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
	(void)ignored;
}

/* Our parent is gone. Was it the dead-man? */
static void say_why(const _Atomic uint64_t *armed_ns)
{
	uint64_t armed = *armed_ns;
	if (armed && clock_monotonic_ns() - armed >= DEADMAN_MS * NS_PER_MS)
		say("cproftop: did not get on for 200 ms while a thread of the target "
		    "stood, and ended itself so that the target runs on; what was "
		    "recorded is lost\n");
}

/* After fork in a program with threads: system calls, and nothing else. */
static _Noreturn void guard(
	pid_t parent, const char *stat_path, const _Atomic uint64_t *armed_ns)
{
	sigset_t end;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "guardian");
	setsid(); /* what stops our job must not stop the guardian */
	/* It must keep no pipe open that others wait to see closed. */
	if (close_range(0, STDERR_FILENO - 1, 0) != 0 ||
		close_range(STDERR_FILENO + 1, UINT_MAX, 0) != 0)
		_exit(1);
	int stat_fd = open(stat_path, O_RDONLY);
	struct timespec pause = clock_to_timespec(LOOK_EVERY_MS * NS_PER_MS);
	int stopped = 0;
	while (getppid() == parent) {
		stopped = is_stopped(stat_fd) ? stopped + 1 : 0;
		if (stopped >= LOOKS && kill(parent, SIGKILL) == 0) {
			say("cproftop: was stopped while it traced, and was ended so "
			    "that the target runs on; what was recorded is lost\n");
			_exit(0);
		}
		if (sigtimedwait(&end, NULL, &pause) == SIGTERM)
			break;
	}
	say_why(armed_ns);
	_exit(0);
}

bool guardian_init(struct guardian *guardian, struct error *err)
{
	char stat_path[32];
	pid_t parent = getpid();
	snprintf(stat_path, sizeof(stat_path), "/proc/%d/stat", parent);
	guardian->armed_ns = mmap(NULL, sizeof(*guardian->armed_ns),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guardian->armed_ns == MAP_FAILED) {
		guardian->armed_ns = NULL;
		return error_errno(err, errno, "cannot share memory with the guardian");
	}
	pid_t pid = fork();
	if (pid == 0)
		guard(parent, stat_path, guardian->armed_ns);
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
	if (guardian->armed_ns)
		munmap(guardian->armed_ns, sizeof(*guardian->armed_ns));
	guardian->armed_ns = NULL;
}
