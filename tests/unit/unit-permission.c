/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a process may be traced, asked without its noticing. */

#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	QUESTIONS = 2000,
};

static pid_t fork_one(void (*run)(void))
{
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(0);
	}
	return child;
}

static int ask_about(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	int errnum = permission_ask(pid, fd);
	close(fd);
	return errnum;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void sleep_on(void)
{
	for (;;)
		pause();
}

/* --- nobody is attached -------------------------------------------------------------- */

static _Atomic unsigned *looks, *times_traced;

static void look_who_traces(void)
{
	for (;;) {
		if (process_tracer(getpid()) != 0)
			(*times_traced)++;
		(*looks)++;
	}
}

/* The child looks all the while; one that attached for its answer would be seen. */
static void test_it_does_not_notice(void **state)
{
	(void)state;
	looks = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(looks, MAP_FAILED);
	times_traced = looks + 1;
	pid_t child = fork_one(look_who_traces);
	for (int i = 0; i < QUESTIONS || *looks < QUESTIONS; i++)
		assert_int_equal(ask_about(child), 0);
	assert_int_equal(*times_traced, 0);
	/* The test can fail. */
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	for (int i = 0; i < 20000 && *times_traced == 0; i++)
		usleep(1000);
	assert_true(*times_traced > 0);
	end(child);
	munmap((void *)looks, 4096);
}

/* --- answers -------------------------------------------------------------------------- */

static void test_one_that_ended(void **state)
{
	(void)state;
	pid_t child = fork_one(sleep_on);
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)child);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	kill(child, SIGKILL);
	process_await_end(child);
	assert_int_equal(permission_ask(child, fd), ESRCH); /* a zombie */
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(permission_ask(child, fd), ESRCH);
	close(fd);
}

static void test_one_that_another_traces(void **state)
{
	(void)state;
	pid_t child = fork_one(sleep_on), tracer = fork();
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_SEIZE, child, NULL, NULL);
		sleep_on();
	}
	while (process_tracer(child) != tracer)
		usleep(1000);
	assert_int_equal(ask_about(child), EPERM);
	end(tracer);
	assert_int_equal(ask_about(child), 0);
	end(child);
}

static void *live_on(void *argument)
{
	(void)argument;
	sleep_on();
	return NULL;
}

static void end_the_leader_only(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, live_on, NULL);
	syscall(SYS_exit, 0);
}

static void test_one_whose_leader_ended(void **state)
{
	(void)state;
	pid_t child = fork_one(end_the_leader_only);
	process_await_state(child, 'Z');
	assert_int_equal(ask_about(child), 0);
	end(child);
}

/* In a child: run as NOBODY, it must not trace us. */
static void ask_about_root(void)
{
	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		_exit(1);
	_exit(ask_about(getppid()) == EPERM ? 0 : 2);
}

static void test_one_of_another_user(void **state)
{
	(void)state;
	int status;
	if (geteuid() != 0)
		skip();
	pid_t child = fork_one(ask_about_root);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void ask_without_the_call(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ptrace), 0);
	if (seccomp_load(filter) != 0)
		_exit(1);
	pid_t child = fork_one(sleep_on);
	int errnum = ask_about(child);
	kill(child, SIGKILL);
	_exit(errnum == EPERM ? 0 : 2);
}

static void test_a_filter_forbids_all(void **state)
{
	(void)state;
	int status;
	pid_t child = fork_one(ask_without_the_call);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_does_not_notice),
		cmocka_unit_test(test_one_that_ended),
		cmocka_unit_test(test_one_that_another_traces),
		cmocka_unit_test(test_one_whose_leader_ended),
		cmocka_unit_test(test_one_of_another_user),
		cmocka_unit_test(test_a_filter_forbids_all),
	};
	return unit_run(tests);
}
