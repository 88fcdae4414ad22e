/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-engine: with ENGINE_PERF samples come from the kernel (ptrace/perf/perf-events.h) and
 * not from samplers. All else is as ever: the lookout knows the threads and keeps the accounts,
 * and a sample weighs what the kernel charged its thread.
 *
 * The lookout takes what has come before each of its rounds and when a ring fills. Of the samples
 * of a thread that come together each weighs the same part of what the thread was charged
 * since the last ones. Where instants in the kernel are not shown to us, a sample weighs no more than
 * a period: the rest of the CPU time is that in the kernel, and no sample has it.
 *
 * With an event (struct event) a sample weighs how many there were since the one before. How many
 * there were in all is read of the kernel, and told; where a processor's counters take turns, weights
 * are scaled to it.
 *
 * Of the stack as much is copied as proves to be needed, for all threads of a process: when its
 * stacks turn out to be deeper (src/facts/advice.h), the events are opened again. The same if the
 * rate has changed.
 *
 * Lookout, without the mutex.
 */
#ifndef CPROFTOP_PTRACE_PERF_ENGINE_H
#define CPROFTOP_PTRACE_PERF_ENGINE_H

#include "ptrace/tracer/tracing.h"

/* If the options want it. */
void perf_engine_prepare(struct tracing *tracing);

/* Begin with the process of SAMPLING. False and errno. */
bool perf_engine_add(struct sampling *sampling);

/* Hand over all samples that have come. */
void perf_engine_take(struct tracing *tracing);

/* The process of SAMPLING is left: no more samples. */
void perf_engine_leave(struct sampling *sampling);

/* Open the events of SAMPLING again, if it wants others; close them, if none. */
void perf_engine_follow(struct sampling *sampling);

/* When to take what has come, at the latest, if IDLE_NS is when there is nothing to do. The sooner,
   the more often the mappings are still those of the sample. */
uint64_t perf_engine_due_ns(const struct tracing *tracing, uint64_t idle_ns);

/* Becomes readable when there is much to take; -1: never. */
int perf_engine_fd(const struct tracing *tracing);

#endif
