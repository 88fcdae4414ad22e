/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler: a thread that sits on one CPU and samples the thread that it preempts there.
 *
 * It is bound to its CPU and sleeps until its next random instant. The timer that wakes
 * it interrupts whatever runs on that CPU at that instant; if that is a thread of a
 * target, it now waits in the run queue exactly where the interrupt found it. When it is
 * attached to and asked to stop, it stops before its next instruction. So a sample shows
 * where the thread was. A stop that is asked for from another CPU takes effect when an
 * interrupt gets there, 3 to 20 us later, or at the next exit from the kernel if that
 * comes first: that way a cheap system call was shown with fifteen times its time.
 *
 * The scheduler's statistics say which thread was preempted: the CPU's clock when a
 * thread was last accounted for (se.exec_start in /proc/TID/sched) is the same for that
 * thread and for the sampler, to the nanosecond.
 *
 * With real-time priority a sampler preempts at its instant. Without, it has a short
 * slice, and sometimes gets the CPU only when the thread gives way, or at the scheduler's
 * tick. Such a late instant is given up, and another one is drawn in the same period.
 * Only if a thread has had no timely sample for ten periods of CPU time is a late one
 * taken, marked PLACE_LATE. The weight of a thread does not depend on this: its next
 * sample stands for all CPU time since the last one.
 *
 * Where no sampler can sit (a CPU outside our cpuset) or preempt (a target of higher
 * real-time priority), the outsider stops threads from another CPU and marks the samples
 * PLACE_ELSEWHERE.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_H
#define CPROFTOP_PTRACE_SAMPLER_H

#include "ptrace/tracer/tracing.h"

struct sampler;

/* A thread of a target was seen on CPU at NOW_NS: make sure that samplers sit there, and that
   there is an outsider if they cannot, or if the thread has a real-time priority, which is at
   least theirs. False if there was none. Does nothing with ENGINE_PERF. With the mutex. Lookout. */
bool samplers_want(struct tracing *tracing, int cpu, bool is_real_time, uint64_t now_ns);

/* Check the samplers that wait for a stop. If the kernel holds a thread (state D), so
   that it does not stop, its sampler is ended, because only that detaches the thread, and
   another sampler takes its place. Create another one where all of a CPU were busy at an
   instant. A sampler wakes the lookout when there is something to do here. Without the
   mutex. Lookout. */
void samplers_tend(struct tracing *tracing, uint64_t now_ns);

/* Set the period of all CPUs by the process with the highest rate. */
void samplers_set_period(struct tracing *tracing);

/* Detach all threads that have not stopped yet, by ending their samplers. Without the
   mutex. */
void samplers_release(struct tracing *tracing);

/* End the calls that are being completed: the programs get a short count. Call it after
   samplers_release. */
void samplers_abandon(struct tracing *tracing);

/* Is no thread of a target attached, or about to be? */
bool samplers_are_at_rest(const struct tracing *tracing);

#endif
