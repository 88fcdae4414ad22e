/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-floor PID HZ SEC: the cheapest possible sampler on the thread's own CPU, for comparison.
 *
 * Sit on the CPU where the thread was last, sleep until the instant, and so preempt it; attach,
 * stop, read the registers, detach. Nobody asks whether it was this thread that was preempted,
 * nothing is copied and nothing guarded: what cproftop takes above this is what knowing, copying
 * and safety cost; what this takes above `floor` is what it costs to be where the thread is, and
 * to be attached for the sample only.
 */
#include "loop.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

static void sit_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* False if the thread has gone. */
static bool take_sample(struct loop *loop)
{
	int status;
	struct user_regs_struct registers;
	struct iovec part = {&registers, sizeof(registers)};
	if (ptrace(PTRACE_SEIZE, loop->pid, NULL, NULL) != 0)
		return false;
	uint64_t before = loop_clock_ns(CLOCK_MONOTONIC);
	if (ptrace(PTRACE_INTERRUPT, loop->pid, NULL, NULL) != 0 ||
		waitpid(loop->pid, &status, __WALL) != loop->pid || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_GETREGSET, loop->pid, NT_PRSTATUS, &part);
	ptrace(PTRACE_DETACH, loop->pid, NULL, NULL);
	loop_sampled(loop, loop_clock_ns(CLOCK_MONOTONIC) - before);
	loop->frames++;
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: own-floor PID HZ SEC\n", stderr);
		return 2;
	}
	struct loop loop;
	struct sched_param fifo = {.sched_priority = 1};
	char path[64], state = 'R';
	loop_init(&loop, argv + 1);
	sched_setscheduler(0, SCHED_FIFO, &fifo); /* without rights it comes later */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", loop.pid, loop.pid);
	int stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	bool runs = true;
	int cpu = loop_last_cpu(stat_fd, &state);
	sit_on(cpu);
	while (runs && cpu >= 0 && loop_wait(&loop)) {
		int now = loop_last_cpu(stat_fd, &state);
		if (now == cpu && state == 'R')
			runs = take_sample(&loop);
		cpu = loop_last_cpu(stat_fd, &state);
		sit_on(cpu); /* the detach may have moved it */
	}
	close(stat_fd);
	return loop_finish(&loop);
}
