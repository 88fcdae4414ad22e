/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holders SECONDS WHAT: a thread that holds a lock, and does other things without it, while
 * two others wait for it.
 *
 *	computes  40 ms of CPU time in the lock, the first quarter in begin_work and the rest
 *	          in go_on, then 10 ms outside
 *	sleeps    20 ms of sleep in the lock, then 50 ms of sleep after it was given back
 *	brief     200 us in the lock, 100 us outside
 *	writes    the same as computes, with a read-write lock: it writes, the others read
 *	pool      four threads wait for work in a condition, which comes every 100 ms
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "work.h"

enum {
	WAITERS = 2,
	POOL = 4,
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t work_comes = PTHREAD_COND_INITIALIZER;
static unsigned work_left;
static uint64_t end_ns;

/* So many rounds take a microsecond. Computing calls nothing, so a function that computes has
   few stacks. */
static unsigned rounds_each_us;

static void measure(void)
{
	enum {
		ROUNDS = 20000000
	};
	uint64_t begin_ns = thread_cpu_ns();
	spin(ROUNDS);
	rounds_each_us = (unsigned)(ROUNDS * US / (thread_cpu_ns() - begin_ns));
}

static inline __attribute__((always_inline)) void compute(uint64_t ns)
{
	spin((unsigned)(rounds_each_us * (ns / US)));
}

static VISIBLE void begin_work(uint64_t ns)
{
	compute(ns);
	__asm__ volatile("");
}

static VISIBLE void go_on(uint64_t ns)
{
	compute(ns);
	__asm__ volatile("");
}

static VISIBLE void in_lock(uint64_t ns)
{
	begin_work(ns / 4);
	go_on(ns - ns / 4);
	__asm__ volatile("");
}

static VISIBLE void outside(uint64_t ns)
{
	compute(ns);
	__asm__ volatile("");
}

static VISIBLE void sleeps_in_lock(uint64_t ns)
{
	work_sleep_ns(ns);
	__asm__ volatile("");
}

static VISIBLE void sleeps_without_lock(uint64_t ns)
{
	work_sleep_ns(ns);
	__asm__ volatile("");
}

static void *computes(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	while (work_goes_on(end_ns)) {
		pthread_mutex_lock(&mutex);
		in_lock(40 * MS);
		pthread_mutex_unlock(&mutex);
		outside(10 * MS);
	}
	return NULL;
}

static void *sleeps(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	while (work_goes_on(end_ns)) {
		pthread_mutex_lock(&mutex);
		sleeps_in_lock(20 * MS);
		pthread_mutex_unlock(&mutex);
		sleeps_without_lock(50 * MS);
	}
	return NULL;
}

static void *brief(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	while (work_goes_on(end_ns)) {
		pthread_mutex_lock(&mutex);
		in_lock(200 * US);
		pthread_mutex_unlock(&mutex);
		outside(100 * US);
	}
	return NULL;
}

static void *writes(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	while (work_goes_on(end_ns)) {
		pthread_rwlock_wrlock(&rwlock);
		in_lock(40 * MS);
		pthread_rwlock_unlock(&rwlock);
		outside(10 * MS);
	}
	return NULL;
}

static VISIBLE void *waits(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "waiter");
	while (work_goes_on(end_ns)) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		work_sleep_ns(MS / 10);
	}
	return NULL;
}

static VISIBLE void *reads(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "reader");
	while (work_goes_on(end_ns)) {
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		work_sleep_ns(MS / 10);
	}
	return NULL;
}

static VISIBLE void *idles(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "idle");
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (work_left == 0)
			pthread_cond_wait(&work_comes, &mutex);
		work_left--;
	}
	return NULL;
}

static void *gives_work(void *unused)
{
	(void)unused;
	while (work_goes_on(end_ns)) {
		pthread_mutex_lock(&mutex);
		work_left++;
		pthread_cond_signal(&work_comes);
		pthread_mutex_unlock(&mutex);
		work_sleep_ns(100 * MS);
	}
	return NULL;
}

static const struct {
	const char *name;
	void *(*holder)(void *);
	void *(*waiter)(void *);
	int waiters;
} kinds[] = {
	{"computes", computes, waits, WAITERS},
	{"sleeps", sleeps, waits, WAITERS},
	{"brief", brief, waits, WAITERS},
	{"writes", writes, reads, WAITERS},
	{"pool", gives_work, idles, POOL},
};

int main(int argc, char **argv)
{
	pthread_t thread;
	measure();
	end_ns = work_prepare(argc > 1 ? argv[1] : NULL);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		if (argc < 3 || strcmp(argv[2], kinds[k].name) != 0)
			continue;
		if (pthread_create(&thread, NULL, kinds[k].holder, NULL))
			return 1;
		for (int i = 0; i < kinds[k].waiters; i++)
			if (pthread_create(&thread, NULL, kinds[k].waiter, NULL))
				return 1;
	}
	work_ready();
	while (work_goes_on(end_ns))
		work_sleep_ns(20 * MS);
	fflush(stdout);
	_exit(0); /* some wait for ever */
}
