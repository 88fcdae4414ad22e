/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec-chain [SECONDS [leader|sibling|worker|vfork]]: replaces itself by exec half-way.
 *
 * Truth: half of the CPU time is in burn_before_exec, half in burn_after_exec, which are
 * never there at the same time, under one PID. "sibling" makes the exec from a thread
 * that is not the leader: the kernel then ends the leader, and the thread takes its TID.
 * In "worker" that thread has used most of the first half itself. "vfork": a child does the
 * second half, which is in its parent's memory for some looks at it before that.
 * The new program's name is its own (it was started as "exec-chain", it goes on as
 * "after-exec").
 */
#include "work.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static VISIBLE uint64_t burn_before_exec(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE uint64_t burn_after_exec(uint64_t until)
{
	return burn_until(until);
}

static uint64_t worker_ns; /* that a thread burns before it calls exec */

static void *exec_self(void *seconds)
{
	for (uint64_t now = thread_cpu_ns(); now < worker_ns;)
		now = burn_before_exec(now + MS);
	execl("/proc/self/exe", "exec-chain", seconds, "after", (char *)NULL);
	_exit(1);
}

static int exec_in_child(const char *seconds)
{
	static const struct timespec while_it_is_looked_at = {0, 300 * 1000 * 1000};
	int status = 1;
	pid_t child = vfork();
	if (child == 0) {
		nanosleep(&while_it_is_looked_at, NULL);
		execl("/proc/self/exe", "exec-chain", seconds, "after", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	return status != 0;
}

int main(int argc, char **argv)
{
	const char *seconds = argc > 1 ? argv[1] : "2";
	const char *mode = argc > 2 ? argv[2] : "leader";
	uint64_t half = (uint64_t)(strtod(seconds, NULL) * 0.5e9);
	bool after = strcmp(mode, "after") == 0, works = strcmp(mode, "worker") == 0;
	uint64_t first = works ? half / 8 : half;
	worker_ns = half - first;
	if (!after)
		work_begin(NULL);
	else
		prctl(PR_SET_NAME, "after-exec");
	/* The CPU clock goes on over exec. */
	uint64_t start = thread_cpu_ns();
	for (uint64_t now = start; now < start + first;)
		now = after ? burn_after_exec(now + MS) : burn_before_exec(now + MS);
	if (strcmp(mode, "vfork") == 0)
		return exec_in_child(seconds);
	if (works || strcmp(mode, "sibling") == 0) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, exec_self, argv[1]))
			return 1;
		pthread_join(thread, NULL);
	} else if (!after) {
		exec_self((void *)(uintptr_t)seconds);
	}
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
