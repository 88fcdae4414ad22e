/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-attr: what is asked of the kernel, as perf_event_open(2) is told it.
 *
 * Calls of a function are met by a hardware breakpoint, which any user may have, four a thread;
 * or by a uprobe, where breakpoints stop at nothing, as in some virtual machines. For a uprobe
 * the kernel writes into the target's copy of the code, so it is the second choice. Nor is it
 * inherited: the kernel would read the path again, in the thread that begins another one, find none
 * in its memory, and refuse it that thread (Linux 6.18).
 *
 * All periods are fixed. Of those that the kernel adapts to a frequency, samples of software events
 * say a wrong one after each switch of threads (Linux 6.18: perf_swevent_add). Any thread.
 */
#ifndef CPROFTOP_PTRACE_PERF_ATTR_H
#define CPROFTOP_PTRACE_PERF_ATTR_H

#include "src/facts/event.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PERF_PATH_MAX = 64
};

/* What may be had, by perf_events_are_granted. */
struct perf_grant {
	bool with_kernel; /* also instants in the kernel */
	int uprobe_type; /* calls of functions need uprobes, which are of this type; 0: no */
};

/* What is asked for. */
struct perf_wish {
	struct event event;
	struct event_places places; /* of a function or variable */
	pid_t pid;		    /* the process whose mappings these are of */
	uint64_t
		period_ns; /* on average; of an event, whose own counts: not 0. 0: nothing */
	uint32_t stack_bytes;
	struct perf_grant grant;
};

/* How many events a thread needs on each CPU. */
static inline size_t perf_wish_parts(const struct perf_wish *wish)
{
	return event_has_places(wish->event.kind) ? wish->places.count : 1;
}

/* Part number PART. PATH must live as long as what is returned. */
struct perf_event_attr perf_attr(
	const struct perf_wish *wish, size_t part, char path[PERF_PATH_MAX]);

/* The type of uprobes; 0: this kernel has none, or this user may not have them. */
int perf_uprobe_type(void);

#endif
