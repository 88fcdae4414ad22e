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
	char path[64], state;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", loop.pid, loop.pid);
	int stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	while (loop_wait(&loop)) {
		struct user_regs_struct registers;
		struct iovec part = {&registers, sizeof(registers)};
		bool elsewhere = loop_last_cpu(stat_fd, &state) != sched_getcpu();
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
