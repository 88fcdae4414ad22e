/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events: things that can be counted. SIGUSR1 begins them, in a thread that waits for it.
 *
 * Truth: "first" calls of malloc by line allocate_first, twice as many of allocate_second, in turn:
 * a count of each second or tenth call must not miss either. Each adds to `asked` what it asks for, 100
 * and 200 bytes, once. "faults" are pages touched for the
 * first time by touch_pages. "done" is printed when all that has happened.
 */
#include "work.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	ROUNDS = 6000,
	PAGES = 10000,
	NAPS = 400,
	PAGE_BYTES = 4096,
};

static volatile uint64_t asked;

static VISIBLE void *allocate_first(void)
{
	asked += 100;
	void *volatile memory = malloc(100); /* no tail call */
	return memory;
}

static VISIBLE void *allocate_second(void)
{
	asked += 200;
	void *volatile memory = malloc(200);
	return memory;
}

static VISIBLE void touch_pages(void)
{
	char *memory = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		exit(2);
	madvise(memory, (size_t)PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE_BYTES] = 1;
}

static VISIBLE void nap(void)
{
	for (int i = 0; i < NAPS; i++)
		usleep(1000);
}

static void *work(void *begins)
{
	sem_wait(begins);
	for (int i = 0; i < ROUNDS; i++) {
		void *kept = allocate_first();
		for (int two = 0; two < 2; two++) {
			void *volatile passed = allocate_second();
			free(passed);
		}
		free(kept);
	}
	touch_pages();
	nap();
	return NULL;
}

int main(void)
{
	sigset_t set;
	int number;
	pthread_t thread;
	sem_t begins;
	sem_init(&begins, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, work, &begins) != 0)
		return 1;
	puts("ready");
	fflush(stdout);
	if (sigwait(&set, &number) != 0 || number != SIGUSR1)
		return 0;
	sem_post(&begins);
	pthread_join(thread, NULL);
	printf("truth first %d\ntruth second %d\ntruth faults %d\ndone\n", ROUNDS,
		2 * ROUNDS, PAGES);
	fflush(stdout);
	sigwait(&set, &number);
	return 0;
}
