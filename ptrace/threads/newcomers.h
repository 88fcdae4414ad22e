/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * newcomers: does the process have threads that are not known yet?
 *
 * The lookout lists the threads now and then. A thread that lives for a few milliseconds
 * can have ended before that. So a sampler that finds none of the known threads at its
 * instant asks here. The CPU clock of the process says how much CPU time was used; the
 * samplers have just read how much of it the known threads have used that are awake. If
 * some is left, it was used by a new thread (or by one that has ended, or that rested),
 * and the list is worth reading.
 *
 * Reading it takes the CPU from the thread that was preempted. So it may take a twentieth
 * of the time, and a fiftieth if it finds nobody.
 *
 * Pure: clocks are passed in. With the mutex. Samplers.
 */
#ifndef CPROFTOP_PTRACE_NEWCOMERS_H
#define CPROFTOP_PTRACE_NEWCOMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With more threads than this, the clock and the list take too long for a sampler. */
enum {
	NEWCOMERS_AMONG = 64
};

/* A zeroed struct is empty and valid. */
struct newcomers {
	uint64_t cpu_ns, used_ns;   /* the two clocks at the last question */
	uint64_t asked_ns, took_ns; /* the last listing, and how long that took */
	bool found_any;
};

/* May the list be read at NOW_NS? */
bool newcomers_may_list(const struct newcomers *newcomers, uint64_t now_ns);

/* Has the process used more CPU time since the last question than its known threads?
   CPU_NS is its clock, USED_NS the sum of what they were seen to use. */
bool newcomers_are_likely(struct newcomers *newcomers, uint64_t cpu_ns, uint64_t used_ns);

/* The list was read, from BEGAN_NS to NOW_NS. */
void newcomers_listed(
	struct newcomers *newcomers, uint64_t began_ns, uint64_t now_ns, bool found_any);

#endif
