/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traced-clones FILE: makes children with CLONE_PTRACE, one after the other, and waits for each,
 * until SIGTERM asks it to end.
 *
 * If the thread that makes it is traced at that moment, the kernel attaches the child to
 * the same tracer, which must let it go; otherwise it stays stopped, and this program
 * waits for ever. They are in turn like those of fork, of vfork, with CLONE_UNTRACED (which
 * changes nothing), threads, and, where that is allowed, the first of a PID namespace. FILE
 * gets the number of children that have ended so far, as 8 bytes. Truth at the end: "truth odd N"
 * of those that did not end as they should.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_BYTES = 64 * 1024,
	STATUS = 7
};

static const int kinds[] = {
	SIGCHLD,
	SIGCHLD | CLONE_UNTRACED,
	SIGCHLD | CLONE_VM | CLONE_VFORK,
	CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		CLONE_CHILD_CLEARTID,
	SIGCHLD | CLONE_NEWPID,
};

static int child(void *argument)
{
	(void)argument;
	syscall(SYS_exit, STATUS);
	return 0;
}

/* Wait until the kernel clears the number of a thread that has ended. */
static void join(const int *tid)
{
	int value;
	while ((value = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, tid, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* False if it did not end with its status. */
static bool make_one(char *stack, int kind)
{
	static int tid;
	int status;
	tid = 1;
	pid_t pid = clone(
		child, stack + STACK_BYTES, kind | CLONE_PTRACE, NULL, NULL, NULL, &tid);
	if (pid < 0)
		return errno == EPERM && (kind & CLONE_NEWPID);
	if (kind & CLONE_THREAD) {
		join(&tid);
		return true;
	}
	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == STATUS;
}

static volatile sig_atomic_t asked_to_end;

static void ask_to_end(int signal)
{
	(void)signal;
	asked_to_end = 1;
}

int main(int argc, char **argv)
{
	uint64_t done = 0, odd = 0;
	int file = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT, 0666) : -1;
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (file < 0 || stack == MAP_FAILED)
		return EXIT_FAILURE;
	signal(SIGTERM, ask_to_end);
	while (!asked_to_end) {
		odd += !make_one(stack, kinds[done % (sizeof(kinds) / sizeof(*kinds))]);
		done++;
		if (pwrite(file, &done, sizeof(done), 0) != sizeof(done))
			return EXIT_FAILURE;
	}
	printf("truth odd %llu\n", (unsigned long long)odd);
	return odd ? EXIT_FAILURE : EXIT_SUCCESS;
}
