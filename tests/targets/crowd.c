/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd FILE BUSY ASLEEP [SECONDS]: threads that count their work where others can read
 * it, and threads that sleep.
 *
 * Truth: FILE (made here, 8 bytes, mapped shared) holds the units of work that the BUSY
 * threads have finished together, as in counter. A unit takes about 20 microseconds. Of
 * the ASLEEP ones half wait for a condition that does not come before the end, half wake
 * every 300 ms and sleep again.
 */
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	THREADS_MAX = 20000,
	UNITS_AT_ONCE = 50,
};

struct crowd {
	_Atomic uint64_t *units;
	uint64_t end_ns;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_over;
};

static VISIBLE void unit_of_work(void)
{
	spin(10000);
}

static void *work(void *argument)
{
	const struct crowd *crowd = argument;
	while (work_goes_on(crowd->end_ns)) {
		for (int i = 0; i < UNITS_AT_ONCE; i++)
			unit_of_work();
		atomic_fetch_add_explicit(
			crowd->units, UNITS_AT_ONCE, memory_order_relaxed);
	}
	return NULL;
}

static void *wait_for_the_end(void *argument)
{
	struct crowd *crowd = argument;
	pthread_mutex_lock(&crowd->lock);
	while (!crowd->is_over)
		pthread_cond_wait(&crowd->over, &crowd->lock);
	pthread_mutex_unlock(&crowd->lock);
	return NULL;
}

static void *doze(void *argument)
{
	const struct crowd *crowd = argument;
	while (work_goes_on(crowd->end_ns))
		work_sleep_ns(300 * MS);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t threads[THREADS_MAX];
	struct crowd crowd = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.over = PTHREAD_COND_INITIALIZER,
	};
	int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	int busy = argc > 3 ? atoi(argv[2]) : 0, asleep = argc > 3 ? atoi(argv[3]) : 0;
	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0 ||
		busy + asleep > THREADS_MAX) {
		fputs("usage: crowd FILE BUSY ASLEEP [SECONDS]\n", stderr);
		return 2;
	}
	crowd.units = mmap(
		NULL, sizeof(*crowd.units), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (crowd.units == MAP_FAILED)
		return 1;
	crowd.end_ns = work_prepare(argc > 4 ? argv[4] : NULL);
	for (int i = 0; i < busy + asleep; i++) {
		void *(*run)(void *) = i < busy ? work : i % 2 ? doze : wait_for_the_end;
		if (pthread_create(&threads[i], NULL, run, &crowd) != 0)
			return 1;
	}
	work_ready();
	while (work_goes_on(crowd.end_ns))
		work_sleep_ns(20 * MS);
	pthread_mutex_lock(&crowd.lock);
	crowd.is_over = true;
	pthread_cond_broadcast(&crowd.over);
	pthread_mutex_unlock(&crowd.lock);
	for (int i = 0; i < busy + asleep; i++)
		pthread_join(threads[i], NULL);
	printf("truth units %.0f\n", (double)*crowd.units);
	return 0;
}
