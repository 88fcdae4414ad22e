/* SPDX-License-Identifier: GPL-2.0-or-later */
/* left-call and capture_restart: a child does not see that its calls were interrupted by a stop, but
   it does see its signals. */

#include "tests/lib/unit.h"

#include "ptrace/capture.h"
#include "ptrace/left-call.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STOPS = 30,
	BLOCKED_US = 10 * 1000, /* until it is in the call again */
};

/* What the child tells; shared with it. */
static volatile struct {
	int ready, interrupted, returned, handled;
} * told;

/* --- the child ------------------------------------------------------------------------ */

static int queue, semaphore, poller;

static long wait_epoll(void)
{
	struct epoll_event event;
	return epoll_wait(poller, &event, 1, -1);
}

static long wait_epoll_masked(void)
{
	struct epoll_event event;
	sigset_t mask;
	sigemptyset(&mask);
	return epoll_pwait(poller, &event, 1, 1000 * 1000, &mask);
}

static long wait_poll(void)
{
	return poll(NULL, 0, 1000 * 1000);
}

static long wait_sleep(void)
{
	return nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
}

static long wait_message(void)
{
	char message[sizeof(long) + 1];
	return msgrcv(queue, message, 1, 0, 0);
}

static long wait_semaphore(void)
{
	struct sembuf down = {.sem_op = -1};
	return semop(semaphore, &down, 1);
}

static long wait_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 1000});
}

static void handle(int number)
{
	(void)number;
	told->handled++;
}

static pid_t begin(long (*call)(void))
{
	told->ready = told->interrupted = told->returned = told->handled = 0;
	pid_t parent = getpid(), child = fork();
	while (child != 0 && !told->ready)
		usleep(BLOCKED_US);
	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, NULL);
	told->ready = 1;
	while (getppid() == parent) {
		bool is_interrupted = call() == -1 && errno == EINTR;
		told->interrupted += is_interrupted;
		told->returned += !is_interrupted;
	}
	_exit(0);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* --- stops ---------------------------------------------------------------------------- */

static void stop(pid_t child, int signal_number, bool restart)
{
	struct arch_regset regset;
	int status;
	assert_return_code(ptrace(PTRACE_SEIZE, child, NULL, NULL), errno);
	if (signal_number)
		kill(child, signal_number);
	assert_return_code(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), errno);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	bool by_us = status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8);
	if (restart) {
		assert_true(capture_registers(child, &regset));
		capture_restart(child, &regset);
	}
	long deliver = by_us ? 0 : WSTOPSIG(status);
	assert_return_code(ptrace(PTRACE_DETACH, child, NULL, deliver), errno);
}

static void stop_often(pid_t child, int signal_number, bool restart)
{
	for (int i = 0; i < STOPS; i++) {
		usleep(BLOCKED_US);
		stop(child, signal_number, restart);
	}
	usleep(BLOCKED_US);
}

/* --- what is known of the call -------------------------------------------------------- */

/* A child that is stopped in wait_epoll. */
static pid_t begin_stopped(struct arch_regset *regset)
{
	pid_t child = begin(wait_epoll);
	usleep(BLOCKED_US);
	assert_return_code(ptrace(PTRACE_SEIZE, child, NULL, NULL), errno);
	assert_return_code(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), errno);
	assert_int_equal(waitpid(child, NULL, __WALL), child);
	assert_true(capture_registers(child, regset));
	left_call_find(child, regset);
	return child;
}

/* Does this kernel tell the calls that it does not start again itself? */
static bool are_calls_told(void)
{
	struct arch_regset regset;
	struct arch_call call;
	end(begin_stopped(&regset));
	return arch_left_call(&regset, &call);
}

static void test_the_call_is_known(void **state)
{
	struct arch_regset regset;
	struct arch_call call;
	(void)state;
	if (!are_calls_told())
		skip();
	pid_t child = begin_stopped(&regset);
	assert_true(arch_left_call(&regset, &call));
	assert_int_equal(arch_call_result(&regset), -EINTR);
	assert_int_equal(call.arguments[0], poller);
	assert_int_equal(call.arguments[2], 1);
#ifdef SYS_epoll_wait
	assert_int_equal(call.number, SYS_epoll_wait);
#else
	assert_int_equal(call.number, SYS_epoll_pwait);
#endif
	end(child);
}

/* --- what is noticed ------------------------------------------------------------------ */

static void test_a_stop_interrupts(void **state)
{
	(void)state;
	pid_t child = begin(wait_epoll);
	stop_often(child, 0, false);
	end(child);
	assert_in_range(told->interrupted, STOPS / 2, STOPS);
}

/* Those that the kernel itself starts again, and the others if it tells them. */
static void test_a_stop_is_not_noticed(void **state)
{
	static long (*const calls[])(void) = {wait_poll, wait_sleep, wait_message,
		wait_epoll, wait_semaphore, wait_signal};
	enum {
		KERNEL_RESTARTS = 3
	};
	(void)state;
	size_t n = are_calls_told() ? sizeof(calls) / sizeof(*calls) : KERNEL_RESTARTS;
	for (size_t i = 0; i < n; i++) {
		pid_t child = begin(calls[i]);
		stop_often(child, 0, true);
		end(child);
		assert_int_equal(told->interrupted, 0);
		assert_int_equal(told->returned, 0);
	}
}

static void test_a_signal_is_noticed(void **state)
{
	(void)state;
	pid_t child = begin(wait_epoll);
	stop_often(child, SIGUSR1, true);
	end(child);
	assert_int_equal(told->handled, STOPS);
	assert_in_range(told->interrupted, STOPS, 2 * STOPS);
}

/* A call that changes the mask of signals while it waits: never a restart too many. */
static void test_a_mask_is_noticed(void **state)
{
	(void)state;
	pid_t child = begin(wait_epoll_masked);
	stop_often(child, SIGUSR1, true);
	end(child);
	assert_int_equal(told->handled, STOPS);
	assert_in_range(told->interrupted, STOPS, 2 * STOPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_call_is_known),
		cmocka_unit_test(test_a_stop_interrupts),
		cmocka_unit_test(test_a_stop_is_not_noticed),
		cmocka_unit_test(test_a_signal_is_noticed),
		cmocka_unit_test(test_a_mask_is_noticed),
	};
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	poller = epoll_create1(EPOLL_CLOEXEC);
	queue = msgget(IPC_PRIVATE, 0600);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	int failed = unit_run(tests);
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphore, 0, IPC_RMID);
	return failed;
}
