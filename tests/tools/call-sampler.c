/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-sampler HZ SECONDS own|other|any whole|leave|cut PID
 * call-sampler HZ SECONDS own|other|any whole|leave|cut -- COMMAND [ARGUMENT...]
 * call-sampler HZ ROUNDS own|other|any die|rescue PID
 *
 * Samples the first thread of a process as the sampler does, attached for each sample
 * only, but nothing else: for what a stop does to system calls. From the thread's own CPU
 * (a timer preempts it there), or from another, where the stop lands in the midst of
 * whatever it does and cuts more calls; "any": from another, and also where it sleeps.
 * With "whole" calls that were cut are completed (ptrace/call/whole-call.h); with "leave" too,
 * but one that takes longer than 10 ms is given up; with "cut" they are left so. Ends
 * after the seconds, or with the process, and prints
 *
 *	samples N  away N  at a call's exit N  begun N  stops N  longest N us
 *
 * away: instants at which the thread did not run (there); begun, stops, longest: of
 * completed calls.
 *
 * With "die" a child does so and is killed at a random instant of its first completion,
 * so many times; with "rescue" what has to be done then is done (whole_call_rescue).
 * Prints "killed N  in a completion N  rescued N".
 */
#include "ptrace/call/whole-call.h"
#include "ptrace/capture.h"
#include "ptrace/event.h"
#include "ptrace/left-call.h"
#include "ptrace/threads/schedule.h"
#include "src/base/clock.h"
#include "src/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEATH_US = 1000, /* as long as a completion may take */
	LEAVE_MS = 10,
};

struct sampler {
	pid_t tid;
	int stat_fd;
	bool own, any, whole, leaves, dies;
	struct whole_call *call; /* shared with the process that survives */
	timer_t death;
	unsigned long samples, away, at_exit, begun, stops;
	uint64_t longest_ns;
};

static void sit_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Real time where that is permitted, as the sampler has it; else as it comes. */
static void take_priority(void)
{
	struct sched_param fifo = {.sched_priority = 1};
	prctl(PR_SET_TIMERSLACK, 1);
	sched_setscheduler(0, SCHED_FIFO, &fifo);
}

/* --- one sample ------------------------------------------------------------------ */

static bool interrupt(pid_t tid)
{
	return ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0 &&
	       ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
}

/* False if the thread is gone, or with errno EINTR when the alarm comes first. Not for it
   by number: when another thread executes a program the leader disappears without an
   event, and a wait for that number is not woken (Linux 6.18). */
static bool wait_for_stop(struct tracee_status *status)
{
	siginfo_t info = {0};
	if (waitid(P_ALL, 0, &info,
		    WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD) != 0)
		return false;
	*status = tracee_decode(&info);
	errno = ESRCH;
	return status->event != TRACEE_GONE;
}

static void set_alarm(unsigned ms)
{
	struct itimerval when = {.it_value = {.tv_usec = ms * 1000}};
	setitimer(ITIMER_REAL, &when, NULL);
}

static void wake(int signal_number)
{
	(void)signal_number;
}

/* Follow a call that was begun to its end, or to the alarm; false if the thread ends. */
static bool follow(struct sampler *sampler, struct tracee_status *status)
{
	do {
		while (!wait_for_stop(status)) {
			if (errno != EINTR)
				return false;
			whole_call_leave(sampler->call);
		}
		sampler->stops++;
	} while (whole_call_step(sampler->call, *status));
	return true;
}

static bool complete(struct sampler *sampler, struct tracee_status *status)
{
	uint64_t began_ns = clock_monotonic_ns();
	sampler->begun++;
	set_alarm(sampler->leaves ? LEAVE_MS : 0);
	bool there = follow(sampler, status);
	set_alarm(0);
	uint64_t took_ns = clock_monotonic_ns() - began_ns;
	if (took_ns > sampler->longest_ns)
		sampler->longest_ns = took_ns;
	return there;
}

/* Be killed after NS; 0: not any more. */
static void die_in(const struct sampler *sampler, uint64_t ns)
{
	struct itimerspec when = {.it_value = clock_to_timespec(ns)};
	if (sampler->dies)
		timer_settime(sampler->death, 0, &when, NULL);
}

/* False if the thread is gone. */
static bool take_sample(struct sampler *sampler)
{
	struct tracee_status status;
	struct arch_regset regset;
	struct arch_call call;
	bool there = true;
	if (!interrupt(sampler->tid) || !wait_for_stop(&status) ||
		!capture_registers(sampler->tid, &regset))
		return false;
	sampler->samples++;
	left_call_find(sampler->tid, &regset);
	sampler->at_exit += arch_left_call(&regset, &call);
	die_in(sampler, 1 + clock_monotonic_ns() % (DEATH_US * NS_PER_US));
	if (sampler->whole &&
		whole_call_begin(sampler->call, sampler->tid, status, &regset))
		there = complete(sampler, &status);
	die_in(sampler, 0);
	return there &&
	       ptrace(PTRACE_DETACH, sampler->tid, NULL, (long)status.signal) == 0;
}

static void sample(struct sampler *sampler, unsigned hz, uint64_t end_ns)
{
	struct schedule schedule;
	schedule_start(
		&schedule, NS_PER_SEC / hz, clock_monotonic_ns(), clock_monotonic_ns());
	while (schedule.next_ns < end_ns) {
		struct task_stat stat;
		if (!task_read_stat(sampler->stat_fd, &stat))
			return;
		int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), cpu = stat.cpu;
		sit_on(sampler->own ? cpu : (cpu + 1) % cpus);
		struct timespec until = clock_to_timespec(schedule.next_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		if (!task_read_stat(sampler->stat_fd, &stat) || stat.state == 'Z')
			return;
		if (!sampler->any &&
			(stat.state != 'R' || (sampler->own && stat.cpu != cpu)))
			sampler->away++;
		else if (!take_sample(sampler))
			return;
		schedule_advance(&schedule, clock_monotonic_ns());
	}
}

/* --- many deaths ----------------------------------------------------------------- */

/* The tracer is dead: make the thread's call honest. */
static bool rescue(struct sampler *sampler)
{
	struct tracee_status status;
	struct arch_regset regset;
	if (!sampler->call->is_asked || !interrupt(sampler->tid) ||
		!wait_for_stop(&status) || !capture_registers(sampler->tid, &regset))
		return false;
	bool rescued = whole_call_rescue(sampler->call, &regset);
	ptrace(PTRACE_DETACH, sampler->tid, NULL, (long)status.signal);
	return rescued;
}

static void die_many_times(
	struct sampler *sampler, unsigned hz, unsigned long rounds, bool rescues)
{
	unsigned long killed = 0, inside = 0, rescued = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		int status;
		sampler->call->is_asked = false;
		pid_t pid = fork();
		if (pid == 0) {
			struct sigevent kill = {
				.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
			timer_create(CLOCK_MONOTONIC, &kill, &sampler->death);
			sample(sampler, hz, UINT64_MAX);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		killed += WIFSIGNALED(status);
		inside += sampler->call->is_asked;
		rescued += rescues && rescue(sampler);
	}
	printf("killed %lu  in a completion %lu  rescued %lu\n", killed, inside, rescued);
}

static int open_stat(pid_t tid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Start it, held back until GATE is closed. */
static pid_t start(char **argv, int *gate)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		char byte;
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 0)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[0]);
	*gate = ends[1];
	return pid;
}

int main(int argc, char **argv)
{
	if (argc < 6) {
		fputs("usage: call-sampler HZ SECONDS own|other|any "
		      "whole|leave|cut|die|rescue "
		      "PID|-- COMMAND...\n",
			stderr);
		return 2;
	}
	const char *mode = argv[4];
	bool launched = strcmp(argv[5], "--") == 0, rescues = strcmp(mode, "rescue") == 0;
	struct sampler sampler = {
		.own = strcmp(argv[3], "own") == 0,
		.any = strcmp(argv[3], "any") == 0,
		.whole = strcmp(mode, "cut") != 0,
		.leaves = strcmp(mode, "leave") == 0,
		.dies = rescues || strcmp(mode, "die") == 0,
		.call = mmap(NULL, sizeof(*sampler.call), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	};
	int gate = -1, status = 0;
	unsigned hz = (unsigned)atoi(argv[1]);
	sampler.tid = launched ? start(argv + 6, &gate) : (pid_t)atoi(argv[5]);
	uint64_t end_ns =
		clock_monotonic_ns() + (uint64_t)(strtod(argv[2], NULL) * NS_PER_SEC);
	sampler.stat_fd = open_stat(sampler.tid);
	if (launched)
		close(gate);
	take_priority();
	struct sigaction action = {.sa_handler = wake};
	sigaction(SIGALRM, &action, NULL);
	if (sampler.dies) {
		die_many_times(&sampler, hz, strtoul(argv[2], NULL, 10), rescues);
		return 0;
	}
	sample(&sampler, hz, end_ns);
	printf("samples %lu  away %lu  at a call's exit %lu  begun %lu  stops %lu  "
	       "longest %.0f us\n",
		sampler.samples, sampler.away, sampler.at_exit, sampler.begun,
		sampler.stops, (double)sampler.longest_ns / 1e3);
	if (launched)
		waitpid(sampler.tid, &status, 0);
	return WEXITSTATUS(status);
}
