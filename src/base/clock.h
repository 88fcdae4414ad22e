/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock: nanoseconds of the clocks that cproftop uses.
 *
 * Times are uint64_t nanoseconds. "Monotonic" is CLOCK_MONOTONIC, which orders samples
 * and paces sampling. "Wall" is CLOCK_REALTIME, the time since 1970; it is used only for
 * times that a person or a file reader sees. Code with unit tests takes times as
 * arguments instead of calling these.
 */
#ifndef CPROFTOP_CLOCK_H
#define CPROFTOP_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_SEC UINT64_C(1000000000)
#define NS_PER_MS  UINT64_C(1000000)
#define NS_PER_US  UINT64_C(1000)

static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec now;
	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_wall_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

static inline struct timespec clock_to_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC),
	};
}

/* The monotonic time NS nanoseconds from now, for pthread_cond_timedwait on a condition
   initialised by clock_condition_init. */
static inline struct timespec clock_deadline(uint64_t ns)
{
	return clock_to_timespec(clock_monotonic_ns() + ns);
}

static inline void clock_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

#endif
