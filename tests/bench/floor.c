/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor PID HZ SEC: the cheapest possible ptrace sampler, for comparison.
 *
 * Stop, read the registers, resume. What cproftop takes above this is what copying the
 * stack costs; no sampler that stops threads gets below it. The wait is the one that
 * measured best: while the thread runs on another processor, ask again and again for as
 * long as it would take this one to fall asleep and wake up; on the same processor, block
 * at once, because asking would keep the thread from running into its stop.
 */
#include "loop.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

enum {
	SPIN_NS = 80000
};

/* The processor that the thread ran on last: field 39 of stat (proc(5)), counted from
   after the name, which may contain anything but ends with the last parenthesis. */
static int last_cpu(int stat_fd)
{
	char text[1024];
	ssize_t n = pread(stat_fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	const char *at = strrchr(text, ')');
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at + 1) : -1;
}

static bool wait_for_stop(pid_t pid, bool elsewhere)
{
	int status;
	pid_t got = 0;
	uint64_t give_up = loop_clock_ns(CLOCK_MONOTONIC) + SPIN_NS;
	while (elsewhere && got == 0 && loop_clock_ns(CLOCK_MONOTONIC) < give_up)
		got = waitpid(pid, &status, __WALL | WNOHANG);
	if (got == 0)
		got = waitpid(pid, &status, __WALL);
	return got == pid && WIFSTOPPED(status);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: floor PID HZ SEC\n", stderr);
		return 2;
	}
	struct loop loop;
	loop_init(&loop, argv + 1);
	loop_seize(&loop);
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", loop.pid, loop.pid);
	int stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	while (loop_wait(&loop)) {
		struct user_regs_struct registers;
		struct iovec part = {&registers, sizeof(registers)};
		bool elsewhere = last_cpu(stat_fd) != sched_getcpu();
		uint64_t before = loop_clock_ns(CLOCK_MONOTONIC);
		if (ptrace(PTRACE_INTERRUPT, loop.pid, NULL, NULL) != 0 ||
			!wait_for_stop(loop.pid, elsewhere))
			break;
		ptrace(PTRACE_GETREGSET, loop.pid, NT_PRSTATUS, &part);
		ptrace(PTRACE_CONT, loop.pid, NULL, NULL);
		loop_sampled(&loop, loop_clock_ns(CLOCK_MONOTONIC) - before);
		loop.frames++;
	}
	close(stat_fd);
	return loop_finish(&loop);
}
