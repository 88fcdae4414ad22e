/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that wait and do all or nothing: each ends at its time limit, or when another
   process answers, and neither earlier nor with EINTR. */

#include "whole-calls.h"

#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Long enough to fall asleep, and short, so that many are made. */
#define WAIT	 (60 * US)
#define NS_PER_S 1000000000L

/* Not in all versions of linux/futex.h and of the C library. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define FUTEX_32 2

struct waited_for {
	uint64_t value, address;
	uint32_t flags, reserved;
};

static struct timespec after(clockid_t clock)
{
	struct timespec when;
	clock_gettime(clock, &when);
	when.tv_nsec += (long)WAIT;
	if (when.tv_nsec >= NS_PER_S) {
		when.tv_nsec -= NS_PER_S;
		when.tv_sec++;
	}
	return when;
}

static bool is_past(clockid_t clock, const struct timespec *when)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec > when->tv_sec ||
	       (now.tv_sec == when->tv_sec && now.tv_nsec >= when->tv_nsec);
}

/* RESULT is to be EXPECTED, and that not before WHEN. */
static enum whole_outcome judge_wait(
	long result, long expected, clockid_t clock, const struct timespec *when)
{
	if (result != expected)
		return WHOLE_FAILED;
	return whole_judge(is_past(clock, when), 1, true);
}

static enum whole_outcome enter_futexes(void)
{
	static uint32_t words[2];
	struct waited_for both[2] = {{0, (uintptr_t)&words[0], FUTEX_32, 0},
		{0, (uintptr_t)&words[1], FUTEX_32, 0}};
	struct timespec when = after(CLOCK_MONOTONIC);
	long result =
		call(SYS_futex_waitv, (long)both, 2, 0, (long)&when, CLOCK_MONOTONIC, 0);
	return judge_wait(result, -ETIMEDOUT, CLOCK_MONOTONIC, &when);
}

static bool have_futexes(void)
{
	return enter_futexes() == WHOLE;
}

static int epoll_fd = -1;

static bool make_epoll(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return epoll_fd >= 0;
}

static enum whole_outcome enter_epoll(void)
{
	struct epoll_event event;
	const struct timespec limit = {0, (long)WAIT};
	struct timespec when = after(CLOCK_MONOTONIC);
	long result =
		call(SYS_epoll_pwait2, epoll_fd, (long)&event, 1, (long)&limit, 0, 0);
	return judge_wait(result, 0, CLOCK_MONOTONIC, &when);
}

static aio_context_t context;

static bool make_context(void)
{
	return syscall(SYS_io_setup, 8, &context) == 0;
}

static enum whole_outcome enter_pgetevents(void)
{
	struct io_event event;
	struct timespec limit = {0, (long)WAIT}, when = after(CLOCK_MONOTONIC);
	long result = call(
		SYS_io_pgetevents, (long)context, 1, 1, (long)&event, (long)&limit, 0);
	return judge_wait(result, 0, CLOCK_MONOTONIC, &when);
}

static long queue = -1;

static bool make_queue(void)
{
	char name[32];
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	snprintf(name, sizeof(name), "whole-calls-%d", (int)getpid());
	queue = syscall(
		SYS_mq_open, name, O_CREAT | O_RDWR | O_CLOEXEC, 0600, &attributes);
	syscall(SYS_mq_unlink, name);
	return queue >= 0;
}

static enum whole_outcome enter_queue(void)
{
	char text[8];
	struct timespec when = after(CLOCK_REALTIME);
	long result = call(
		SYS_mq_timedreceive, queue, (long)text, sizeof(text), 0, (long)&when, 0);
	return judge_wait(result, -ETIMEDOUT, CLOCK_REALTIME, &when);
}

/* --- of System V ------------------------------------------------------------------- */

struct message {
	long type;
	long number;
};

static int messages = -1, semaphores = -1;

static void answer(pid_t target)
{
	struct message one;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	sigset_t term;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	while (getppid() == target &&
		msgrcv(messages, &one, sizeof(one.number), 1, 0) > 0) {
		one.type = 2;
		msgsnd(messages, &one, sizeof(one.number), 0);
	}
	_exit(0);
}

/* Another process answers. */
static bool make_messages(void)
{
	pid_t target = getpid();
	messages = msgget(IPC_PRIVATE, 0600);
	if (messages < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0)
		answer(target);
	return pid > 0;
}

static enum whole_outcome enter_messages(void)
{
	static long number;
	struct message one = {1, ++number};
	if (msgsnd(messages, &one, sizeof(one.number), 0) != 0)
		return WHOLE_WRONG;
	long result = call(SYS_msgrcv, messages, (long)&one, sizeof(one.number), 2, 0, 0);
	while (result < 0 && msgrcv(messages, &one, sizeof(one.number), 2, 0) < 0)
		;
	return whole_judge(result, sizeof(one.number), one.number == number);
}

static bool make_semaphores(void)
{
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	return semaphores >= 0;
}

static enum whole_outcome enter_semaphores(void)
{
	struct sembuf take = {0, -1, 0};
	struct timespec limit = {0, (long)WAIT}, when = after(CLOCK_MONOTONIC);
	long result =
		call(SYS_semtimedop, semaphores, (long)&take, 1, (long)&limit, 0, 0);
	return judge_wait(result, -EAGAIN, CLOCK_MONOTONIC, &when);
}

/* They would outlive us. */
__attribute__((destructor)) static void remove_system_v(void)
{
	if (messages >= 0)
		msgctl(messages, IPC_RMID, NULL);
	if (semaphores >= 0)
		semctl(semaphores, 0, IPC_RMID);
}

const struct whole_case whole_waits[] = {
	{"futex_waitv", have_futexes, enter_futexes, NULL, true},
	{"epoll_pwait2", make_epoll, enter_epoll, NULL, true},
	{"io_pgetevents-timed", make_context, enter_pgetevents, NULL, true},
	{"mq_timedreceive", make_queue, enter_queue, NULL, true},
	{"msgrcv", make_messages, enter_messages, NULL, true},
	{"semtimedop", make_semaphores, enter_semaphores, NULL, true},
};
const size_t whole_waits_count = sizeof(whole_waits) / sizeof(*whole_waits);
