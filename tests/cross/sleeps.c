/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that sleep in system calls, each in a function that is named after its call. Ends when it is
   killed. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static char byte;

/* No tail call: what comes back is used. */
#define SLEEP_IN(name, call)                                 \
	__attribute__((noinline)) static int in_##name(void) \
	{                                                    \
		return (int)(call) + 1;                      \
	}

static int wait_for_condition(void)
{
	pthread_mutex_lock(&mutex);
	return pthread_cond_wait(&condition, &mutex);
}

SLEEP_IN(read, read(ends[0], &byte, 1))
SLEEP_IN(recv, recv(ends[0], &byte, 1, 0))
SLEEP_IN(poll, poll(NULL, 0, -1))
SLEEP_IN(sleep, sleep(1000))
SLEEP_IN(cond, wait_for_condition())
SLEEP_IN(sem, sem_wait(&semaphore))
SLEEP_IN(pause, pause())
SLEEP_IN(epoll, epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, -1))

static void *run(void *function)
{
	int (**call)(void) = function;
	(*call)();
	return NULL;
}

int main(void)
{
	static int (*calls[])(void) = {
		in_read, in_recv, in_poll, in_sleep, in_cond, in_sem, in_pause, in_epoll};
	pthread_t thread;
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		pthread_create(&thread, NULL, run, &calls[i]);
	puts("ready");
	fflush(stdout);
	pthread_join(thread, NULL);
}
