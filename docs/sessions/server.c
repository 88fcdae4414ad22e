/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server for several questions of docs/SESSIONS.md. The thread "poller" never sleeps; "saver"
   writes to a disk; "reader" waits for a client. At SIGUSR1 every answer is checked for spelling
   from then on; at SIGUSR2 "janitor" compacts its index for two seconds of its CPU time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile int checks_spelling;
static sem_t compaction;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

__attribute__((noinline)) static unsigned mix(unsigned sum, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sum = sum * 1103515245 + 12345; /* the line that takes the time */
	return sum;
}

__attribute__((noinline)) static unsigned compact_index(unsigned sum)
{
	clock_t end;
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	for (end = now.tv_sec + 2; now.tv_sec < end;) {
		for (unsigned i = 0; i < 1000000; i++)
			sum ^= sum * 7 + i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	}
	return sum;
}

__attribute__((noinline)) static unsigned check_spelling(unsigned sum)
{
	for (unsigned i = 0; i < 20000000; i++)
		sum ^= sum << 3 ^ i;
	return sum;
}

static void *reader(void *unused)
{
	char request[512];
	(void)unused;
	for (unsigned sum = 1; read(ends[0], request, sizeof(request)) > 0;)
		if (checks_spelling)
			request[0] = (char)(sum = check_spelling(sum));
	return NULL;
}

static void *client(void *unused)
{
	for (;; pause_ms(50))
		if (write(ends[1], "GET", 3) != 3)
			return unused;
}

static void *poller(void *unused)
{
	for (volatile unsigned sum = 1;; sum = mix(sum, 1000000))
		;
	return unused;
}

static void *saver(void *unused)
{
	static char block[1 << 16];
	int fd = open("saved", O_RDWR | O_CREAT, 0600);
	for (;;)
		if (pwrite(fd, block, sizeof(block), 0) < 0 || fsync(fd))
			return unused;
}

static void *janitor(void *unused)
{
	for (volatile unsigned sum = 1; sem_wait(&compaction) == 0;
		sum = compact_index(sum))
		;
	return unused;
}

int main(void)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} threads[] = {{"reader", reader}, {"client", client}, {"poller", poller},
		{"saver", saver}, {"janitor", janitor}};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&compaction, 0, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, threads[i].run, NULL);
		pthread_setname_np(thread, threads[i].name);
	}
	puts("ready");
	fflush(stdout);
	for (int number; sigwait(&set, &number) == 0;)
		number == SIGUSR1 ? (void)(checks_spelling = 1)
				  : (void)sem_post(&compaction);
}
