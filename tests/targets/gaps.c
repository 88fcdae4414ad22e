/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gaps FILE THREADS [SECONDS]: measures how long its threads were kept from running by a
 * tracer.
 *
 * Truth: FILE (made here, 16 bytes, mapped shared) holds two 64-bit numbers of this
 * machine: the ticks of all threads, and the longest time in nanoseconds that one of them
 * neither ran nor waited for a CPU, from one tick to the next; whoever reads it may set
 * it to 0. A tick is some 50 microseconds of work, then a look at the clocks: the time
 * that passed, less what the thread ran and less what it waited for a CPU (the second
 * number of /proc/TID/schedstat), is how long it was kept stopped, because it never
 * sleeps. So the load of the machine does not matter.
 */
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	THREADS_MAX = 64
};

struct shared {
	_Atomic uint64_t ticks, stood_ns;
};

struct clocks {
	uint64_t now_ns, cpu_ns, runq_ns;
};

static struct shared *shared;
static uint64_t end_ns;

static uint64_t waited_ns(int schedstat_fd)
{
	unsigned long long cpu_ns, runq_ns = 0;
	char text[80];
	ssize_t length = pread(schedstat_fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	sscanf(text, "%llu %llu", &cpu_ns, &runq_ns);
	return runq_ns;
}

/* If somebody holds us between the two clocks, it is in one of the two gaps, whole. But a
   wait for the CPU must not fall between what counts it and the clocks: then again. */
static struct clocks look(int schedstat_fd)
{
	struct clocks clocks = {0};
	do {
		clocks.runq_ns = waited_ns(schedstat_fd);
		clocks.now_ns = monotonic_ns();
		clocks.cpu_ns = thread_cpu_ns();
	} while (waited_ns(schedstat_fd) != clocks.runq_ns);
	return clocks;
}

static uint64_t stood_between(const struct clocks *before, const struct clocks *now)
{
	uint64_t passed_ns = now->now_ns - before->now_ns;
	uint64_t known_ns = now->cpu_ns - before->cpu_ns + now->runq_ns - before->runq_ns;
	return passed_ns > known_ns ? passed_ns - known_ns : 0;
}

static VISIBLE void tick(void)
{
	spin(25000);
}

static void *tick_on(void *unused)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	struct clocks before = look(fd);
	while (work_goes_on(end_ns)) {
		tick();
		struct clocks now = look(fd);
		uint64_t stood_ns = stood_between(&before, &now);
		uint64_t longest_ns = shared->stood_ns;
		while (stood_ns > longest_ns &&
			!atomic_compare_exchange_weak(
				&shared->stood_ns, &longest_ns, stood_ns))
			;
		shared->ticks++;
		before = now;
	}
	close(fd);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	int count = argc > 2 ? atoi(argv[2]) : 0;
	if (fd < 0 || count < 1 || count > THREADS_MAX ||
		ftruncate(fd, sizeof(*shared)) != 0) {
		fputs("usage: gaps FILE THREADS [SECONDS]\n", stderr);
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return 1;
	end_ns = work_prepare(argc > 3 ? argv[3] : NULL);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, tick_on, NULL) != 0)
			return 1;
	work_ready();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("truth ticks %.0f\n", (double)shared->ticks);
	return 0;
}
