/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eight threads, the i-th busy below i + 1 calls of down. */

#include "tests/targets/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
	THREADS = 8
};

static pthread_barrier_t all_there;

FRAME static void spin(void)
{
	pthread_barrier_wait(&all_there);
	for (volatile unsigned long n = 0; stack_goes_on; n++)
		;
}

FRAME static void down(int left)
{
	USE_STACK(33);
	if (left == 0)
		spin();
	else
		down(left - 1);
	NO_TAIL_CALL();
}

FRAME static void *work(void *argument)
{
	down((int)(intptr_t)argument);
	NO_TAIL_CALL();
	return NULL;
}

FRAME static void wait_for(pthread_t thread)
{
	pthread_barrier_wait(&all_there);
	stack_ready();
	pthread_join(thread, NULL);
	NO_TAIL_CALL();
}

int main(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	wait_for(threads[0]);
	return 0;
}
