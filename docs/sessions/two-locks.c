/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * two-locks: a bank where all tellers wait, and the reason is somebody else.
 *
 *	two-locks SECONDS
 *
 * A teller moves money with the accounts locked and writes that into the journal, which has a
 * lock of its own. The auditor reads the journal with that lock held. So whoever waits for the
 * accounts waits for a teller, who waits for the auditor.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long balance[2] = {1000000, 0};
static volatile unsigned long checked;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

__attribute__((noinline)) static void write_journal(void)
{
	pthread_mutex_lock(&journal);
	pause_ms(1); /* the disk */
	pthread_mutex_unlock(&journal);
}

__attribute__((noinline)) static void transfer(void)
{
	pthread_mutex_lock(&accounts);
	balance[0]--;
	balance[1]++;
	write_journal();
	pthread_mutex_unlock(&accounts);
}

static void *teller(void *unused)
{
	for (;;) {
		transfer();
		pause_ms(2);
	}
	return unused;
}

__attribute__((noinline)) static void read_whole_journal(void)
{
	for (int line = 0; line < 10000000; line++)
		checked += (unsigned long)line;
}

static void *auditor(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&journal);
		read_whole_journal();
		pthread_mutex_unlock(&journal);
		pause_ms(5);
	}
	return unused;
}

static void start(void *(*work)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) != 0)
		abort();
	pthread_setname_np(thread, name);
}

int main(int argc, char **argv)
{
	start(teller, "teller-1");
	start(teller, "teller-2");
	start(teller, "teller-3");
	start(auditor, "auditor");
	nanosleep(&(struct timespec){.tv_sec = argc > 1 ? atoi(argv[1]) : 60}, NULL);
	return 0;
}
