/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/demo/demo-workload.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "src/base/clock.h"

/* For a function that must be visible in the profile under its own name. */
#ifdef __clang__
#define VISIBLE __attribute__((noinline))
#else
#define VISIBLE __attribute__((noipa))
#endif

enum {
	WORKERS = 2,
	BLOCK_WORDS = 256,
	BATCH = 4, /* pieces of work between two readings of the clock (a system call) */
};

/* The CPU time of each share in a cycle. */
static const uint64_t slow_ns = 4 * NS_PER_MS, quick_ns = 2 * NS_PER_MS;
static const uint64_t checksum_ns = 2 * NS_PER_MS / WORKERS;
static const uint64_t sort_ns = 2 * NS_PER_MS / WORKERS;

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work_came, work_done;
	unsigned cycle; /* counts up when there is work */
	unsigned busy;	/* workers that still work on this cycle */
};

struct worker {
	struct pool *pool;
	uint32_t random;
	uint32_t block[BLOCK_WORDS];
};

static uint64_t thread_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

VISIBLE static bool is_prime_by_every_divisor(unsigned n)
{
	bool prime = n > 1;
	for (unsigned divisor = 2; divisor < n; divisor++)
		if (n % divisor == 0)
			prime = false;
	return prime;
}

VISIBLE static bool is_prime_by_odd_divisors(unsigned n)
{
	if (n % 2 == 0)
		return n == 2;
	for (unsigned divisor = 3; divisor <= n / divisor; divisor += 2)
		if (n % divisor == 0)
			return false;
	return n > 1;
}

VISIBLE static unsigned count_primes_slowly(uint64_t until_ns)
{
	unsigned primes = 0;
	unsigned n = 10000;
	while (thread_cpu_ns() < until_ns)
		for (unsigned i = 0; i < BATCH; i++)
			primes += is_prime_by_every_divisor(n++);
	return primes;
}

/* Tests one number again and again: the largest prime of 32 bits, which takes longest. */
VISIBLE static unsigned count_primes_quickly(uint64_t until_ns)
{
	unsigned primes = 0;
	while (thread_cpu_ns() < until_ns)
		primes += is_prime_by_odd_divisors(4294967291);
	return primes;
}

/* Adler-32 without its usual optimisations. */
VISIBLE static uint32_t checksum_block(const uint32_t *block, size_t length)
{
	uint32_t low = 1, high = 0;
	for (unsigned round = 0; round < 16; round++)
		for (size_t i = 0; i < length; i++) {
			low = (low + block[i] % 256) % 65521;
			high = (high + low) % 65521;
		}
	return high << 16 | low;
}

/* Quicksort by the middle element (Hoare). */
VISIBLE static void sort_block(uint32_t *block, ptrdiff_t first, ptrdiff_t last)
{
	if (first >= last)
		return;
	uint32_t pivot = block[first + (last - first) / 2];
	ptrdiff_t i = first - 1, j = last + 1;
	for (;;) {
		do
			i++;
		while (block[i] < pivot);
		do
			j--;
		while (block[j] > pivot);
		if (i >= j)
			break;
		uint32_t swap = block[i];
		block[i] = block[j];
		block[j] = swap;
	}
	sort_block(block, first, j);
	sort_block(block, j + 1, last);
}

static void fill_block(struct worker *worker)
{
	for (size_t i = 0; i < BLOCK_WORDS; i++) {
		worker->random = worker->random * 1664525 + 1013904223;
		worker->block[i] = worker->random;
	}
}

VISIBLE static void work_on_checksums(struct worker *worker, uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		for (unsigned i = 0; i < BATCH; i++)
			worker->random ^= checksum_block(worker->block, BLOCK_WORDS);
}

VISIBLE static void work_on_sorting(struct worker *worker, uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		for (unsigned i = 0; i < BATCH; i++) {
			fill_block(worker);
			sort_block(worker->block, 0, BLOCK_WORDS - 1);
		}
}

static void wait_for_work(struct pool *pool, unsigned done)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->cycle == done)
		pthread_cond_wait(&pool->work_came, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

static void finish_work(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	if (--pool->busy == 0)
		pthread_cond_signal(&pool->work_done);
	pthread_mutex_unlock(&pool->lock);
}

/* Never returns: the process ends without it. */
static void *worker_run(void *argument)
{
	struct worker *worker = argument;
	/* A turn ends at a planned time, so that a turn that was too long makes the next
	   one shorter. */
	uint64_t plan_ns = thread_cpu_ns();
	for (unsigned done = 0;; done++) {
		wait_for_work(worker->pool, done);
		work_on_checksums(worker, plan_ns + checksum_ns);
		work_on_sorting(worker, plan_ns + checksum_ns + sort_ns);
		plan_ns += checksum_ns + sort_ns;
		finish_work(worker->pool);
	}
	return NULL;
}

static void *sleeper_run(void *unused)
{
	for (;;)
		sleep(3600);
	return unused;
}

static bool start_thread(void *(*run)(void *), void *argument, const char *name)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, argument) != 0)
		return false;
	pthread_setname_np(thread, name);
	pthread_detach(thread);
	return true;
}

static void run_cycle(struct pool *pool, uint64_t plan_ns)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy = WORKERS;
	pool->cycle++;
	pthread_cond_broadcast(&pool->work_came);
	pthread_mutex_unlock(&pool->lock);

	count_primes_slowly(plan_ns + slow_ns);
	count_primes_quickly(plan_ns + slow_ns + quick_ns);

	pthread_mutex_lock(&pool->lock);
	while (pool->busy > 0)
		pthread_cond_wait(&pool->work_done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

int demo_workload_run(void)
{
	struct pool pool = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.work_came = PTHREAD_COND_INITIALIZER,
		.work_done = PTHREAD_COND_INITIALIZER,
	};
	struct worker workers[WORKERS];
	for (unsigned i = 0; i < WORKERS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "worker-%u", i);
		workers[i] = (struct worker){.pool = &pool, .random = i + 1};
		fill_block(&workers[i]);
		if (!start_thread(worker_run, &workers[i], name))
			return 1;
	}
	if (!start_thread(sleeper_run, NULL, "sleeper"))
		return 1;

	pid_t parent = getppid();
	uint64_t plan_ns = thread_cpu_ns();
	while (getppid() == parent) {
		run_cycle(&pool, plan_ns);
		plan_ns += slow_ns + quick_ns;
	}
	/* The threads still use this stack frame, so exit without returning. */
	_exit(0);
}
