/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * still [SECONDS]: threads whose registers do not change, so that they can be compared
 * before and after.
 *
 * Truth: "spinning" runs one instruction that jumps to itself; its CPU time is all of the
 * program's. "waiting" threads sit in calls that a stop would end (epoll_wait), restart
 * (futex, read) or cut short (nanosleep with an absolute end is restarted exactly). Main
 * waits for SIGTERM. Registers, signal masks and files stay what they are until then.
 */
#include "work.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static VISIBLE void *spin_in_place(void *unused)
{
	(void)unused;
	__asm__ volatile("1: jmp 1b");
	return NULL;
}

static void *wait_for_event(void *unused)
{
	(void)unused;
	struct epoll_event event;
	return (void *)(intptr_t)epoll_wait(epoll_create1(EPOLL_CLOEXEC), &event, 1, -1);
}

static void *wait_for_byte(void *unused)
{
	(void)unused;
	int ends[2];
	char byte;
	return pipe(ends) == 0 ? (void *)(intptr_t)read(ends[0], &byte, 1) : NULL;
}

static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_lock(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&locked);
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const run[])(void *) = {
		spin_in_place, wait_for_event, wait_for_byte, wait_for_lock};
	sigset_t set;
	pthread_t thread;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1); /* a mask that is not empty, to be compared */
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&locked);
	for (size_t i = 0; i < sizeof(run) / sizeof(run[0]); i++)
		if (pthread_create(&thread, NULL, run[i], NULL))
			return 1;
	work_sleep_ns(50 * MS);
	work_ready();
	struct timespec length = {(time_t)(argc > 1 ? strtod(argv[1], NULL) : 60), 0};
	sigtimedwait(&set, NULL, &length);
	fflush(stdout);
	_exit(0);
}
