/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/own-cpu.h"

#include "src/base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FOLLOWED_MAX = 16,
};

struct shared {
	_Atomic uint64_t others_ns;
	clockid_t first; /* the clock of the first process, for the others */
	pid_t first_pid;
};

static struct shared *shared;

static struct followed {
	pid_t pid; /* 0: none */
	clockid_t clock;
	uint64_t seen_ns;
} followed[FOLLOWED_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of these */

void own_cpu_share(void)
{
	if (shared)
		return;
	void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return;
	shared = memory;
	shared->first_pid = getpid();
	clock_getcpuclockid(shared->first_pid, &shared->first);
}

uint64_t own_cpu_ns(void)
{
	if (shared && getpid() != shared->first_pid)
		return clock_read_ns(shared->first) + shared->others_ns;
	own_cpu_look();
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) + (shared ? shared->others_ns : 0);
}

void own_cpu_add(uint64_t ns)
{
	if (shared)
		atomic_fetch_add_explicit(&shared->others_ns, ns, memory_order_relaxed);
}

/* --- those that are followed ----------------------------------------------------------- */

static struct followed *find(pid_t pid)
{
	for (size_t i = 0; i < FOLLOWED_MAX; i++)
		if (followed[i].pid == pid)
			return &followed[i];
	return NULL;
}

static void count(struct followed *of, uint64_t used_ns)
{
	if (used_ns > of->seen_ns) {
		own_cpu_add(used_ns - of->seen_ns);
		of->seen_ns = used_ns;
	}
}

void own_cpu_follow(pid_t pid)
{
	pthread_mutex_lock(&mutex);
	struct followed *free_one = find(0);
	if (free_one) {
		*free_one = (struct followed){.pid = pid};
		clock_getcpuclockid(pid, &free_one->clock);
	}
	pthread_mutex_unlock(&mutex);
}

static uint64_t in_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_SEC + (uint64_t)time->tv_usec * 1000;
}

void own_cpu_leave(pid_t pid, const struct rusage *used)
{
	pthread_mutex_lock(&mutex);
	struct followed *left = find(pid);
	if (left) {
		count(left, in_ns(&used->ru_utime) + in_ns(&used->ru_stime));
		left->pid = 0;
	}
	pthread_mutex_unlock(&mutex);
}

void own_cpu_look(void)
{
	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < FOLLOWED_MAX; i++)
		if (followed[i].pid)
			count(&followed[i], clock_read_ns(followed[i].clock));
	pthread_mutex_unlock(&mutex);
}
