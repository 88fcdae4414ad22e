/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler: the thread that sits on one CPU and looks at whom it preempts there.
 *
 * It is bound to its CPU and sleeps until its next random instant. The timer that wakes
 * it interrupts whatever runs on that CPU at that instant; if it is a thread of a target,
 * that thread now stands in the run queue exactly where the instant found it, and, once
 * attached to, stops before its next instruction. So a sample is where the thread was.
 * Had it been stopped from another CPU, it would have run on until an interrupt reached
 * it, 3 to 20 us, or to the next exit from the kernel, where pending stops are seen
 * first: a cheap system call was drawn fifteen times its size that way.
 *
 * Which of a process's threads was preempted, the scheduler's own books say: the CPU's
 * clock when the thread was last accounted for (se.exec_start in /proc/TID/sched) is, for
 * the one that gave way to us, the same as ours, to the nanosecond.
 *
 * With real-time priority the sampler preempts at the instant. Without, it has a short
 * slice, and sometimes gets the CPU only when the thread gives way or at the scheduler's
 * tick: such instants are given up and drawn again, and only when a thread has had no
 * other for long is one taken, marked PLACE_LATE. What a thread weighs does not depend on
 * that: its next sample stands for all CPU time since the one before.
 *
 * Where nobody can sit (a CPU outside our cpuset, a target of higher real-time priority),
 * the outsider stops threads from where it is and marks the samples PLACE_ELSEWHERE.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_H
#define CPROFTOP_PTRACE_SAMPLER_H

#include "ptrace/tracer/tracing.h"

struct sampler;

/* A thread of a target is on CPU, or was lately: see that somebody sits there. With the
   mutex. Lookout. */
void samplers_want(struct tracing *tracing, int cpu, uint64_t now_ns);

/* Look after those that wait for a stop: a thread that does not come to it, because the
   kernel holds it (state D), is let go, which only the end of its sampler does; another
   one takes its seat. Without the mutex. Lookout, in every tick. */
void samplers_tend(struct tracing *tracing, uint64_t now_ns);

/* Sample all CPUs as often as the process that is sampled most. */
void samplers_set_period(struct tracing *tracing);

/* Let go of all threads that have not come to their stop. Without the mutex. */
void samplers_release(struct tracing *tracing);

/* End the calls that are being made whole: the programs are told a short count. After
   samplers_release. */
void samplers_abandon(struct tracing *tracing);

/* Is no thread of a target attached to? */
bool samplers_are_at_rest(const struct tracing *tracing);

#endif
