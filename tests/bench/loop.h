/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop: what the sampling loops of the bench share: when to look, how long a stop was,
 * what it cost, and the one line in which it all comes out.
 *
 * They sample one thread, the leader of PID, HZ times a second for SEC seconds, at one
 * random instant inside each period on an absolute clock, as cproftop does, so that they
 * differ only in what a sample is. "Stop" is from before PTRACE_INTERRUPT to after
 * PTRACE_CONT, as seen from here.
 */
#ifndef CPROFTOP_BENCH_LOOP_H
#define CPROFTOP_BENCH_LOOP_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SEC UINT64_C(1000000000)

struct loop {
	pid_t pid;
	uint64_t period_ns, end_ns, next_ns;
	uint64_t random;
	uint64_t *stops_ns; /* one per sample */
	size_t samples, capacity;
	uint64_t frames; /* all stacks together */
};

static inline uint64_t loop_clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Take arguments PID HZ SEC. Ends the program if there is no memory. */
static inline void loop_init(struct loop *loop, char **arguments)
{
	unsigned hz = (unsigned)atoi(arguments[1]);
	double seconds = atof(arguments[2]);
	*loop = (struct loop){
		.pid = (pid_t)atoi(arguments[0]),
		.period_ns = NS_PER_SEC / (hz ? hz : 1),
		.next_ns = loop_clock_ns(CLOCK_MONOTONIC),
		.random = 0x9e3779b97f4a7c15u,
		.capacity = (size_t)((double)hz * seconds) + 16,
	};
	loop->end_ns = loop->next_ns + (uint64_t)(seconds * 1e9);
	loop->stops_ns = calloc(loop->capacity, sizeof(loop->stops_ns[0]));
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (!loop->stops_ns) {
		perror("calloc");
		exit(1);
	}
}

/* Attach for the whole time. Ends the program if that fails. */
static inline void loop_seize(const struct loop *loop)
{
	if (ptrace(PTRACE_SEIZE, loop->pid, NULL, NULL) != 0) {
		perror("PTRACE_SEIZE");
		exit(1);
	}
}

/* Sleep until the next instant to look. False when the time is over. A loop that cannot
   keep up leaves out the periods that it missed. */
static inline bool loop_wait(struct loop *loop)
{
	uint64_t now = loop_clock_ns(CLOCK_MONOTONIC);
	if (now > loop->next_ns + loop->period_ns)
		loop->next_ns = now;
	loop->random ^= loop->random << 13;
	loop->random ^= loop->random >> 7;
	loop->random ^= loop->random << 17;
	uint64_t instant = loop->next_ns + loop->random % loop->period_ns;
	loop->next_ns += loop->period_ns;
	if (instant >= loop->end_ns || loop->samples == loop->capacity)
		return false;
	struct timespec t = {
		(time_t)(instant / NS_PER_SEC), (long)(instant % NS_PER_SEC)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	return true;
}

/* The CPU that a thread was on last, and its state: fields 39 and 3 of its stat (proc(5)),
   counted from after the name, which may contain anything but ends with the last
   parenthesis. -1 if it has gone. */
static inline int loop_last_cpu(int stat_fd, char *state)
{
	char text[1024];
	ssize_t n = pread(stat_fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	const char *at = strrchr(text, ')');
	if (!at || at[1] == '\0')
		return -1;
	*state = at[2];
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at + 1) : -1;
}

static inline void loop_sampled(struct loop *loop, uint64_t stop_ns)
{
	loop->stops_ns[loop->samples++] = stop_ns;
}

static inline int loop_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* One JSON line with the names that cproftop --stats uses. Then the end: the kernel lets
   the thread go without a stop when its tracer is gone. */
static inline int loop_finish(struct loop *loop)
{
	uint64_t *stops = loop->stops_ns;
	size_t n = loop->samples;
	qsort(stops, n, sizeof(stops[0]), loop_compare);
	printf("{\"samples\": %zu, \"stop_ns_p50\": %.0f, \"stop_ns_p99\": %.0f, "
	       "\"stop_ns_max\": %.0f, \"own_cpu_ns\": %.0f, \"frames\": %.0f}\n",
		n, n ? (double)stops[n / 2] : 0, n ? (double)stops[n * 99 / 100] : 0,
		n ? (double)stops[n - 1] : 0,
		(double)loop_clock_ns(CLOCK_PROCESS_CPUTIME_ID), (double)loop->frames);
	free(stops);
	return n > 0 ? 0 : 1;
}

#endif
