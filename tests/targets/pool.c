/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool FILE THREADS [SECONDS]: one thread hands jobs to THREADS others in turn, one at a time.
 *
 * A job takes 150 us in serve(), and between two the first thread works 50 us in hand_out();
 * the rest of the time of both goes to waking each other. With many threads each does so
 * little that most samples of one are its only one.
 *
 * Truth: a line of FILE every 50 ms: the monotonic time, the CPU time of the first thread, and
 * that of all, in ns.
 */
#include "work.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	JOB_US = 150,
	BETWEEN_US = 50,
	SAY_EVERY_MS = 50,
};

struct seat {
	_Atomic unsigned has_job; /* a futex */
};

static _Atomic unsigned done; /* a futex */

static void await(_Atomic unsigned *word)
{
	while (!atomic_load(word))
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_store(word, 0);
}

static void tell(_Atomic unsigned *word)
{
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static VISIBLE void serve(void)
{
	burn_until(thread_cpu_ns() + JOB_US * US);
}

static VISIBLE void *server(void *argument)
{
	struct seat *seat = argument;
	for (;;) {
		await(&seat->has_job);
		serve();
		tell(&done);
	}
	return NULL;
}

static VISIBLE void hand_out(void)
{
	burn_until(thread_cpu_ns() + BETWEEN_US * US);
}

static VISIBLE void say(FILE *file)
{
	fprintf(file, "%llu %llu %llu\n", (unsigned long long)monotonic_ns(),
		(unsigned long long)thread_cpu_ns(),
		(unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	fflush(file);
}

/* All that the first thread does. */
static VISIBLE void dispatch(struct seat *seats, size_t n, FILE *file, uint64_t end_ns)
{
	uint64_t say_ns = 0;
	for (size_t i = 0; work_goes_on(end_ns); i = (i + 1) % n) {
		hand_out();
		tell(&seats[i].has_job);
		await(&done);
		if (monotonic_ns() < say_ns)
			continue;
		say(file);
		say_ns = monotonic_ns() + SAY_EVERY_MS * MS;
	}
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	FILE *file = n ? fopen(argv[1], "we") : NULL;
	if (!file)
		return 2;
	struct seat *seats = calloc(n, sizeof(*seats));
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (size_t i = 0; i < n; i++) {
		pthread_t thread;
		if (pthread_create(&thread, &small, server, &seats[i]) != 0)
			return 2;
	}
	uint64_t end_ns = work_prepare(argc > 3 ? argv[3] : NULL);
	work_ready();
	dispatch(seats, n, file, end_ns);
	return 0; /* and the others with it */
}
