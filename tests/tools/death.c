/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death FILE PID ROUNDS SIGNAL PROGRAM ARGUMENT...: measures how long a target stands
 * still when its profiler dies.
 *
 * FILE and PID are of a running targets/counter. In each round PROGRAM is started, and
 * sent SIGNAL after 20 to 250 ms; meanwhile the target gets signals that it handles
 * without effect, each of which stops it if it is traced. After that the units of work
 * have to go on. Prints after "stood" the longest time, in ms, in which they did not,
 * though the target neither ran nor waited for a CPU (by its schedstat; so others on this
 * machine do not change it). Fails if they do not go on for GIVE_UP_MS, which is long so
 * that a busy machine is no failure: a target that is left stopped stands for ever. A
 * program that SIGNAL does not end is ended by SIGKILL after the measurement.
 */
#include "src/base/clock.h"
#include "src/process/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	UNITS = 20, /* of 20 us: more than a unit that was finished during a stop */
	STEP_MS = 1,
	MOST_MS = 60, /* a tracer's dead-man, and what it takes to die */
	GIVE_UP_MS = 20 * 1000,
};

static void sleep_ms(unsigned ms)
{
	struct timespec t = clock_to_timespec(ms * NS_PER_MS);
	nanosleep(&t, NULL);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

/* Of the one thread of TARGET: how long it ran, or waited for a CPU. The kernel counts a
   wait when it ends. */
static uint64_t ran_or_waited_ns(pid_t target)
{
	char path[32];
	struct task_account account = {0};
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)target);
	int fd = open(path, O_RDONLY);
	task_read_account(fd, &account);
	close(fd);
	return account.cpu_ns + account.delay_ns;
}

/* Wait until UNITS more are done; how long that took, in ns, or UINT64_MAX. */
static uint64_t wait_for_units(const _Atomic uint64_t *units, uint64_t more, pid_t target)
{
	uint64_t wanted = *units + more, began_ns = clock_monotonic_ns();
	for (;;) {
		uint64_t waited_ns = clock_monotonic_ns() - began_ns;
		if (*units >= wanted)
			return waited_ns;
		if (waited_ns > GIVE_UP_MS * NS_PER_MS)
			return UINT64_MAX;
		kill(target, SIGUSR1);
		sleep_ms(STEP_MS);
	}
}

/* Until UNITS more are done: how long it stood, in ms, or -1. */
static long wait_for_progress(const _Atomic uint64_t *units, pid_t target)
{
	uint64_t ran_ns = ran_or_waited_ns(target);
	uint64_t waited_ns = wait_for_units(units, UNITS, target);
	/* If it waits for a CPU now, that is counted when it has got one. */
	if (waited_ns == UINT64_MAX || wait_for_units(units, 1, target) == UINT64_MAX)
		return -1;
	ran_ns = ran_or_waited_ns(target) - ran_ns;
	return waited_ns > ran_ns ? (long)((waited_ns - ran_ns) / NS_PER_MS) : 0;
}

static long one_round(
	const _Atomic uint64_t *units, pid_t target, int signal_number, char **argv)
{
	pid_t pid = start(argv);
	for (long left = 20 + random() % 230; left > 0; left -= STEP_MS) {
		kill(target, SIGUSR1);
		sleep_ms(STEP_MS);
	}
	kill(pid, signal_number);
	long longest = 0;
	/* Several times, as the first may still find it running. */
	for (int i = 0; i < 10 && longest >= 0; i++) {
		long ms = wait_for_progress(units, target);
		longest = ms < 0 || ms > longest ? ms : longest;
		sleep_ms(STEP_MS);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return longest;
}

int main(int argc, char **argv)
{
	if (argc < 6) {
		fputs("usage: death FILE PID ROUNDS SIGNAL PROGRAM ARGUMENT...\n",
			stderr);
		return 2;
	}
	int fd = open(argv[1], O_RDONLY);
	const _Atomic uint64_t *units =
		mmap(NULL, sizeof(*units), PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || units == MAP_FAILED) {
		perror(argv[1]);
		return 2;
	}
	long longest = 0, slow = 0, rounds = atol(argv[3]);
	srandom((unsigned)getpid());
	for (long i = 0; i < rounds; i++) {
		long ms = one_round(units, (pid_t)atoi(argv[2]), atoi(argv[4]), argv + 5);
		if (ms < 0) {
			printf("stuck in round %ld\n", i);
			return 1;
		}
		slow += ms > MOST_MS;
		longest = ms > longest ? ms : longest;
	}
	printf("stood %ld ms at most, more than %d ms in %ld of %ld rounds\n", longest,
		MOST_MS, slow, rounds);
	return 0;
}
