/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work: what the target programs share: clocks, a measured way to burn CPU, a way to end.
 *
 * A target is a program whose behaviour is known: it prints what it really did, by the
 * kernel's CPU clocks, so that a profile can be compared with that. Its protocol: "ready"
 * on standard output once everything runs; SIGTERM, or the seconds given as an argument,
 * end it; then lines "truth NAME VALUE", and exit status 0.
 *
 * Every function that a profile should show is marked VISIBLE: never inlined or cloned.
 */
#ifndef CPROFTOP_TESTS_WORK_H
#define CPROFTOP_TESTS_WORK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__
#define VISIBLE __attribute__((noinline))
#else
#define VISIBLE __attribute__((noipa))
#endif

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static inline uint64_t thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Some arithmetic that takes a few microseconds and that no compiler removes. Inlined, so
   that the time is the caller's own. */
static inline __attribute__((always_inline)) void spin(unsigned rounds)
{
	uint64_t x = 88172645463325252u;
	for (unsigned i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
}

/* Burn until this thread's CPU clock reads UNTIL_NS. Being preempted or stopped by a
   tracer does not count, which is what makes the truth exact. Returns the clock's value,
   a few microseconds past UNTIL_NS. */
static inline __attribute__((always_inline)) uint64_t burn_until(uint64_t until_ns)
{
	uint64_t now;
	while ((now = thread_cpu_ns()) < until_ns)
		spin(2000);
	return now;
}

/* The signal flag: set by SIGTERM. */
static volatile sig_atomic_t work_ended;

static inline void work_end(int signal_number)
{
	(void)signal_number;
	work_ended = 1;
}

/* The monotonic time at which to end: SECONDS is text as "2.5", NULL for five minutes, so
   that a target that a test forgot does not stay for ever. From here on SIGTERM ends it
   too. */
static inline uint64_t work_prepare(const char *seconds)
{
	struct sigaction action = {.sa_handler = work_end, .sa_flags = SA_RESTART};
	sigaction(SIGTERM, &action, NULL);
	double length = seconds ? strtod(seconds, NULL) : 300;
	return monotonic_ns() + (uint64_t)(length * 1e9);
}

static inline void work_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* Both, for a target of one thread. */
static inline uint64_t work_begin(const char *seconds)
{
	uint64_t end_ns = work_prepare(seconds);
	work_ready();
	return end_ns;
}

static inline bool work_goes_on(uint64_t end_ns)
{
	return !work_ended && monotonic_ns() < end_ns;
}

static inline void work_sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};
	nanosleep(&t, NULL);
}

#endif
