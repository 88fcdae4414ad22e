/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleepers200 [SECONDS [FILE|idle]]: 200 threads, 2 of them busy, as in a mostly idle server.
 *
 * Truth: threads busy-0 and busy-1 take all the CPU time, in burn_busy. The other 198
 * sit, by turns, in futex (a condition that never comes), epoll_wait and nanosleep, and
 * use next to none. "truth futex_sleepers_cpu_ns" is what those in futex, a third of
 * them, used: a sampler that stops sleeping threads makes it grow, and "truth eintr" too.
 * With FILE (made here, 8 bytes, mapped shared) the busy ones count units of work in it,
 * each some 20 microseconds. With "idle" they sleep, too, for tests of those that do.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	THREADS = 200,
	BUSY = 2
};

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_over, is_idle;
	uint64_t end_ns;
	atomic_uint eintr;
	_Atomic uint64_t *units; /* NULL: not counted */
};

struct member {
	pthread_t thread;
	clockid_t clock;
	int index;
	struct shared *shared;
};

static VISIBLE uint64_t burn_busy(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE void count_busy(_Atomic uint64_t *units)
{
	for (int i = 0; i < 50; i++) {
		spin(10000);
		atomic_fetch_add_explicit(units, 1, memory_order_relaxed);
	}
}

static VISIBLE void wait_in_futex(struct shared *shared)
{
	pthread_mutex_lock(&shared->lock);
	while (!shared->is_over)
		pthread_cond_wait(&shared->over, &shared->lock);
	pthread_mutex_unlock(&shared->lock);
}

static VISIBLE void wait_in_epoll(struct shared *shared)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);
	while (work_goes_on(shared->end_ns))
		if (epoll_wait(fd, &event, 1, 300) < 0 && errno == EINTR)
			shared->eintr++;
	close(fd);
}

static VISIBLE void wait_in_nanosleep(struct shared *shared)
{
	while (work_goes_on(shared->end_ns))
		work_sleep_ns(300 * MS);
}

static VISIBLE void sit_idle(struct shared *shared)
{
	while (work_goes_on(shared->end_ns))
		work_sleep_ns(300 * MS);
}

static void *member_run(void *argument)
{
	const struct member *me = argument;
	if (me->index < BUSY && me->shared->is_idle)
		sit_idle(me->shared);
	else if (me->index < BUSY && me->shared->units)
		while (work_goes_on(me->shared->end_ns))
			count_busy(me->shared->units);
	else if (me->index < BUSY)
		while (work_goes_on(me->shared->end_ns))
			burn_busy(thread_cpu_ns() + MS);
	else if (me->index % 3 == 0)
		wait_in_futex(me->shared);
	else if (me->index % 3 == 1)
		wait_in_epoll(me->shared);
	else
		wait_in_nanosleep(me->shared);
	return NULL;
}

static _Atomic uint64_t *map_units(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0)
		exit(1);
	void *units =
		mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (units == MAP_FAILED)
		exit(1);
	return units;
}

int main(int argc, char **argv)
{
	struct member members[THREADS];
	bool is_idle = argc > 2 && strcmp(argv[2], "idle") == 0;
	struct shared shared = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.over = PTHREAD_COND_INITIALIZER,
		.end_ns = work_prepare(argc > 1 ? argv[1] : NULL),
		.is_idle = is_idle,
		.units = argc > 2 && !is_idle ? map_units(argv[2]) : NULL,
	};
	for (int i = 0; i < THREADS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%s-%d", i < BUSY ? "busy" : "asleep", i);
		members[i].index = i;
		members[i].shared = &shared;
		if (pthread_create(&members[i].thread, NULL, member_run, &members[i]))
			return 1;
		pthread_setname_np(members[i].thread, name);
		pthread_getcpuclockid(members[i].thread, &members[i].clock);
	}
	work_ready();
	while (work_goes_on(shared.end_ns))
		work_sleep_ns(20 * MS);
	/* The others may be gone already, and their clocks with them. */
	uint64_t futex_cpu = 0;
	for (int i = BUSY; i < THREADS; i++)
		if (i % 3 == 0)
			futex_cpu += clock_ns(members[i].clock);
	pthread_mutex_lock(&shared.lock);
	shared.is_over = true;
	pthread_cond_broadcast(&shared.over);
	pthread_mutex_unlock(&shared.lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(members[i].thread, NULL);
	printf("truth futex_sleepers_cpu_ns %.0f\n", (double)futex_cpu);
	printf("truth eintr %u\n", shared.eintr);
	printf("truth cpu_ns %.0f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
