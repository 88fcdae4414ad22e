/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls PID: what the system calls of a sample cost, one by one, on a process.
 *
 * Each is made 2000 times in a row, so these are the figures of warm caches; in a sample,
 * that comes after milliseconds of something else, they are two to three times as much.
 * The stop is the whole of it: interrupt, sleep until it stops, registers, a read of 4
 * KiB, resume.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TIMES = 2000
};

static struct {
	pid_t pid;
	int task_fd, schedstat_fd, stat_fd, sched_fd, mem_fd;
	clockid_t clock;
	timer_t timer;
	uint64_t sp;
} at;

static char buffer[4096];

static int open_file(const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)at.pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void read_file(int fd, size_t bytes, off_t offset)
{
	ssize_t ignored = pread(fd, buffer, bytes, offset);
	(void)ignored;
}

static void read_schedstat(void)
{
	read_file(at.schedstat_fd, 128, 0);
}

static void read_stat(void)
{
	read_file(at.stat_fd, 1023, 0);
}

static void read_sched(void)
{
	read_file(at.sched_fd, 511, 0);
}

static void read_stack(void)
{
	read_file(at.mem_fd, sizeof(buffer), (off_t)at.sp);
}

static void count_tasks(void)
{
	struct stat status;
	fstat(at.task_fd, &status);
}

static void read_clock(void)
{
	struct timespec now;
	clock_gettime(at.clock, &now);
}

static void arm_and_disarm(void)
{
	struct itimerspec far = {.it_value = {10, 0}}, never = {{0}, {0}};
	timer_settime(at.timer, 0, &far, NULL);
	timer_settime(at.timer, 0, &never, NULL);
}

static void wait_for(idtype_t which, id_t id)
{
	siginfo_t info;
	waitid(which, id, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL);
}

static void wait_one(void)
{
	wait_for(P_PID, (id_t)at.pid);
}

static void wait_all(void)
{
	wait_for(P_ALL, 0);
}

static void wait_for_signal(void)
{
	sigset_t set;
	struct timespec none = {0, 0};
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &none);
}

static void stop(void)
{
	struct user_regs_struct registers;
	struct iovec part = {&registers, sizeof(registers)};
	int status;
	ptrace(PTRACE_INTERRUPT, at.pid, NULL, NULL);
	waitpid(at.pid, &status, __WALL);
	ptrace(PTRACE_GETREGSET, at.pid, NT_PRSTATUS, &part);
	at.sp = registers.rsp;
	read_stack();
	ptrace(PTRACE_CONT, at.pid, NULL, NULL);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void measure(const char *name, void (*call)(void))
{
	static double us[TIMES];
	for (int i = 0; i < TIMES; i++) {
		double before = now_us();
		call();
		us[i] = now_us() - before;
	}
	qsort(us, TIMES, sizeof(us[0]), compare);
	printf("%-34s %7.2f us\n", name, us[TIMES / 2]);
}

int main(int argc, char **argv)
{
	at.pid = argc == 2 ? atoi(argv[1]) : 0;
	if (!at.pid || ptrace(PTRACE_SEIZE, at.pid, NULL, NULL) != 0) {
		fputs("usage: calls PID (that may be traced)\n", stderr);
		return 2;
	}
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	at.task_fd = open_file("task");
	at.schedstat_fd = open_file("schedstat");
	at.stat_fd = open_file("stat");
	at.sched_fd = open_file("sched");
	at.mem_fd = open_file("mem");
	clock_getcpuclockid(at.pid, &at.clock);
	timer_create(CLOCK_MONOTONIC, NULL, &at.timer);
	stop();
	measure("CPU clock of the process", read_clock);
	measure("link count of its task directory", count_tasks);
	measure("schedstat", read_schedstat);
	measure("stat", read_stat);
	measure("sched", read_sched);
	measure("dead-man: arm and disarm", arm_and_disarm);
	measure("waitid: one thread", wait_one);
	measure("waitid: whoever it is", wait_all);
	measure("sigtimedwait that finds nothing", wait_for_signal);
	measure("4 KiB of stack", read_stack);
	measure("a whole stop", stop);
	return 0;
}
