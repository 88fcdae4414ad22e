/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief HOW MS COUNT: processes that live for MS of CPU each, COUNT of them, one after another.
 *
 * HOW: fork, they are forked and do it; exec, they are forked by vfork and call exec, as those of a
 * shell or of make; thread, they are threads.
 *
 * Truth: each burns the first half of its time in burn_first, the second in burn_second, the same
 * in both; and the CPU time of all of them as the kernel tells their parent, with the kernel's own
 * work for fork, exec and exit.
 */
#include "work.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static VISIBLE uint64_t burn_first(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE uint64_t burn_second(uint64_t until)
{
	return burn_until(until);
}

static VISIBLE void live(uint64_t ns)
{
	uint64_t begin = thread_cpu_ns();
	burn_first(begin + ns / 2);
	burn_second(begin + ns);
}

static void *run(void *ms)
{
	live(strtoull(ms, NULL, 10) * MS);
	return NULL;
}

static void start_thread(char *ms)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, ms) == 0)
		pthread_join(thread, NULL);
}

static void start(const char *how, char *ms)
{
	char brief[] = "brief", life[] = "live";
	char *const arguments[] = {brief, life, ms, NULL};
	pid_t child = strcmp(how, "exec") == 0 ? vfork() : fork();
	if (child == 0 && strcmp(how, "exec") == 0) {
		execv("/proc/self/exe", arguments);
		_exit(127);
	}
	if (child == 0) {
		live(strtoull(ms, NULL, 10) * MS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "live") == 0) {
		live(strtoull(argv[2], NULL, 10) * MS);
		return 0;
	}
	if (argc != 4)
		return 2;
	uint64_t end = work_begin(NULL);
	long count = strtol(argv[3], NULL, 10);
	for (long i = 0; i < count && work_goes_on(end); i++)
		if (strcmp(argv[1], "thread") == 0)
			start_thread(argv[2]);
		else
			start(argv[1], argv[2]);
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("truth children_cpu_ns %.0f\n",
		1e9 * (seconds(usage.ru_utime) + seconds(usage.ru_stime)));
	return 0;
}
