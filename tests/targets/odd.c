/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odd MODE [SECONDS [FILE]]: unusual processes, which tracers often handle wrongly.
 *
 * Truth: each burns CPU all the time, and ends by itself with status 0 after SECONDS (2
 * if not given).
 *
 *	zombie-leader  the first thread has exited, one goes on
 *	leader-dies    the same, but half-way
 *	exec-storm     execs itself every 5 ms, by a thread that is not the leader
 *	exec-burst     the same, much more often, while the leader sleeps
 *	exec-crowd     execs itself every 2 ms, while eight more threads run; FILE counts
 *	fork-storm     forks, vforks and clones children that end at once or run true(1)
 *	vfork-wait     the first thread waits in vfork (state D), another goes on
 *	late-thread    the first thread sleeps, and after a second another one burns
 *	filtered       sleeps for moments, with a seccomp filter that kills it for
 *		       restart_syscall(2)
 *	undumpable     has made itself undumpable (prctl(2))
 *	userfault      its stack pointer is in a page that nobody ever fills
 *	remap          a thread of the least priority changes the rights of very much
 *		       memory, which keeps others from looking at any
 */
#include "work.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t end_ns;

static VISIBLE void burn_oddly(uint64_t until)
{
	burn_until(until);
}

static void *burn_to_the_end(void *unused)
{
	(void)unused;
	while (work_goes_on(end_ns))
		burn_oddly(thread_cpu_ns() + MS);
	_exit(0);
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, NULL))
		_exit(1);
	return thread;
}

static void leader_exits_at(uint64_t when_ns)
{
	start(burn_to_the_end);
	while (work_goes_on(when_ns))
		burn_oddly(thread_cpu_ns() + MS);
	syscall(SYS_exit, 0);
}

static const char *exec_mode;
static uint64_t exec_after_ns;

static void *exec_soon(void *unused)
{
	(void)unused;
	char left[32];
	burn_oddly(thread_cpu_ns() + exec_after_ns);
	double seconds = ((double)end_ns - (double)monotonic_ns()) / 1e9;
	snprintf(left, sizeof(left), "%.3f", seconds > 0 ? seconds : 0);
	execl("/proc/self/exe", "odd", exec_mode, left, (char *)NULL);
	_exit(1);
}

static void exec_again_and_again(const char *mode, uint64_t after_ns)
{
	if (monotonic_ns() >= end_ns)
		_exit(0);
	exec_mode = mode;
	exec_after_ns = after_ns;
	start(exec_soon);
}

static void burst_of_execs(void)
{
	exec_again_and_again("exec-burst", 300 * US);
	for (;;)
		pause();
}

static void storm_of_execs(void)
{
	exec_again_and_again("exec-storm", 3 * MS);
	for (;;)
		burn_oddly(thread_cpu_ns() + MS);
}

/* A new program each time that has threads to be attached to, and ends them by an
   exec. */
static void crowd_of_execs(const char *file)
{
	char left[32];
	int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (monotonic_ns() >= end_ns)
		_exit(0);
	uint64_t units = 0;
	if (fd < 0 || pread(fd, &units, sizeof(units), 0) < 0)
		_exit(1);
	units++;
	if (pwrite(fd, &units, sizeof(units), 0) != sizeof(units))
		_exit(1);
	for (int i = 0; i < 8; i++)
		start(burn_to_the_end);
	work_sleep_ns(units * 37 % 1500 * US);
	double rest = ((double)end_ns - (double)monotonic_ns()) / 1e9;
	snprintf(left, sizeof(left), "%.3f", rest > 0 ? rest : 0);
	execl("/proc/self/exe", "odd", "exec-crowd", left, file, (char *)NULL);
	_exit(1);
}

static int child_main(void *unused)
{
	(void)unused;
	return 0;
}

static void run_child(int how)
{
	static _Alignas(16) char stack[16384];
	pid_t pid;
	if (how == 0) {
		pid = fork();
	} else if (how == 1) {
		pid = vfork();
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
	} else {
		pid = clone(child_main, stack + sizeof(stack), SIGCHLD | CLONE_FS, NULL);
	}
	if (pid == 0)
		_exit(0);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		_exit(1);
}

static void storm_of_forks(void)
{
	for (int how = 0; work_goes_on(end_ns); how = (how + 1) % 3) {
		run_child(how);
		burn_oddly(thread_cpu_ns() + 200 * US);
	}
	_exit(0);
}

static void wait_in_vfork(void)
{
	start(burn_to_the_end);
	if (vfork() == 0) {
		/* No C library here: this is the parent's memory. */
		struct timespec t = {60, 0};
		syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
		syscall(SYS_nanosleep, &t, NULL);
		_exit(0);
	}
}

static _Atomic(void *) missing;

/* With its stack pointer in a page that a read would wait for, it does nothing that needs
   a stack. */
static void *spin_without_stack(void *unused)
{
	(void)unused;
	while (!missing)
		work_sleep_ns(MS);
	__asm__ volatile("mov %0, %%rsp\n1: jmp 1b" : : "r"((char *)missing + 8192));
	return NULL;
}

static void stack_from_userfault(void)
{
	enum {
		BYTES = 16384
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = {.api = UFFD_API};
	void *pages = mmap(
		NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = {
		.range = {(uintptr_t)pages, BYTES},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 ||
		ioctl(fd, UFFDIO_REGISTER, &range) != 0) {
		puts("n/a");
		_exit(77);
	}
	start(spin_without_stack);
	missing = pages;
	burn_to_the_end(NULL);
}

/* While it waits for a CPU in the middle of that, no other process can read this
   process's memory. */
static void *remap_on(void *unused)
{
	enum {
		BYTES = 256 << 20
	};
	char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (pages == MAP_FAILED || setpriority(PRIO_PROCESS, (id_t)gettid(), 19) != 0)
		_exit(1);
	for (int rights = PROT_READ; work_goes_on(end_ns); rights ^= PROT_WRITE)
		mprotect(pages, BYTES, rights);
	return unused;
}

static void *nap_on(void *unused)
{
	const struct timespec moment = {.tv_nsec = 300 * US};
	while (work_goes_on(end_ns)) {
		burn_oddly(thread_cpu_ns() + 200 * US);
		poll(NULL, 0, 1);
		burn_oddly(thread_cpu_ns() + 100 * US);
		nanosleep(&moment, NULL);
	}
	return unused;
}

static void nap_filtered(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
	for (int i = 0; i < 3; i++)
		start(nap_on);
	nap_on(NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *seconds = argc > 2 ? argv[2] : "2";
	end_ns = work_prepare(seconds);
	if (strcmp(mode, "undumpable") == 0)
		prctl(PR_SET_DUMPABLE, 0);
	work_ready();
	if (strcmp(mode, "zombie-leader") == 0)
		leader_exits_at(0);
	else if (strcmp(mode, "leader-dies") == 0)
		leader_exits_at(end_ns - (uint64_t)(strtod(seconds, NULL) * 0.5e9));
	else if (strcmp(mode, "exec-storm") == 0)
		storm_of_execs();
	else if (strcmp(mode, "exec-burst") == 0)
		burst_of_execs();
	else if (strcmp(mode, "exec-crowd") == 0 && argc > 3)
		crowd_of_execs(argv[3]);
	else if (strcmp(mode, "fork-storm") == 0)
		storm_of_forks();
	else if (strcmp(mode, "vfork-wait") == 0)
		wait_in_vfork();
	else if (strcmp(mode, "late-thread") == 0) {
		sleep(1);
		start(burn_to_the_end);
		while (work_goes_on(end_ns))
			usleep(100 * 1000);
		return 0;
	} else if (strcmp(mode, "filtered") == 0)
		nap_filtered();
	else if (strcmp(mode, "undumpable") == 0)
		burn_to_the_end(NULL);
	else if (strcmp(mode, "userfault") == 0)
		stack_from_userfault();
	else if (strcmp(mode, "remap") == 0) {
		start(remap_on);
		burn_to_the_end(NULL);
	}
	return 2;
}
