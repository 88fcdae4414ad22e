/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-events: samples that the kernel takes itself: whenever a thread of a process has run for
 * a period, its registers and the top of its stack (perf_event_open(2), cpu-clock).
 *
 * As perf record -p does it, each thread has an event on each CPU, all of a CPU with one
 * ring, and threads that it begins inherit them: an event that is inherited and counts on
 * all CPUs may have no ring. No thread is stopped, and another tracer does not matter.
 *
 * Who may not see the kernel (kernel.perf_event_paranoid above 1, without CAP_PERFMON) gets no
 * sample at an instant at which the thread is in the kernel.
 *
 * Or whenever there were so many of another event. A thread that begins while those of its process
 * are opened may get its events twice, and is counted twice then.
 */
#ifndef CPROFTOP_PTRACE_PERF_EVENTS_H
#define CPROFTOP_PTRACE_PERF_EVENTS_H

#include "ptrace/perf/perf-attr.h"
#include "ptrace/perf/perf-rings.h"
#include "src/base/error.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PERF_STACK_FIRST_BYTES = 8 << 10,
	/* A record has less than 64 KiB; some of it is not stack. */
	PERF_STACK_MOST_BYTES = (64 << 10) - 1024,
};

/* Of one process. All 0: none are open. */
struct perf_events {
	VEC(int) fds;
	VEC(pid_t)
	tids; /* that had events opened; those that inherited them are not among them */
	uint64_t random;
};

/* Of all threads in TASK_DIR_FD, /proc/PID/task, that have none yet. False and errno: ESRCH if there is none; then none
   is open. */
bool perf_events_open(struct perf_events *events, const struct perf_rings *rings,
	int task_dir_fd, const struct perf_wish *wish);
void perf_events_close(struct perf_events *events);

/* Of CPU time. TID has had a sample into ring number RING: after one in eight, its event there goes on with another
   period. If all were the same, a program that does something every millisecond would be met at the
   same place again and again. */
void perf_events_vary(struct perf_events *events, const struct perf_rings *rings,
	const struct perf_wish *wish, pid_t tid, uint32_t ring);

/* How many events there were so far, which need not all have samples; and on all CPUs together: how
   long there were threads, and how long they were looked at. */
struct perf_count {
	uint64_t events, enabled_ns, running_ns;
};
struct perf_count perf_events_count(const struct perf_events *events);

/* Does the kernel give us EVENT? Opens rings and an event of our own, and closes them. False and
   ERR. */
bool perf_events_are_granted(
	const struct event *event, struct perf_grant *out, struct error *err);

#endif
