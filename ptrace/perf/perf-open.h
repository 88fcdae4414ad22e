/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-open: perf_event_open(2), and what it means when it fails. Any thread.
 */
#ifndef CPROFTOP_PTRACE_PERF_OPEN_H
#define CPROFTOP_PTRACE_PERF_OPEN_H

#include "src/base/error.h"
#include "src/facts/event.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* The event ATTR, whose size and clock (CLOCK_MONOTONIC) are set here, of thread TID while it is on
   CPU. A descriptor that exec closes; -1 and errno. */
int perf_open(struct perf_event_attr *attr, pid_t tid, int cpu);

/* Why EVENT could not be opened, and what to do. Always returns false. */
bool perf_open_explain(const struct event *event, int errnum, struct error *err);

#endif
