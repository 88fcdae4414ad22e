/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt-thread: make the calling thread wake up without delay, and not be preempted at
 * work.
 *
 * If a tracer loses its CPU while a thread of the target is stopped, that thread stays
 * stopped while others run: on a busy machine 1 stop of 100 took 2-9 ms instead of 0.03.
 * And a late instant is not a random one (sampler.h).
 */
#ifndef CPROFTOP_PTRACE_PROMPT_THREAD_H
#define CPROFTOP_PTRACE_PROMPT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* If permitted (root, CAP_SYS_NICE, RLIMIT_RTPRIO), give this thread the lowest real-time
   priority, and return true. Else ask for a short slice and return false. With that the
   fair scheduler usually runs the thread soon after a wake-up (lateness p99 0.1 ms
   instead of 0.8-1.4 ms on a quiet machine; a nice value does not achieve that), but
   others may still preempt it. */
bool prompt_thread(void);

/* The same for a thread that is to stop others of any real-time priority, and is bound to no
   CPU: if permitted, above them all (SCHED_DEADLINE, sched(7)), for 3 of 10 ms. */
bool prompt_outsider(void);

/* Set ATTRIBUTES so that a new thread is prompt from its first instruction on, without
   having to get a CPU first. Without permission pthread_create then fails with EPERM. */
void prompt_attributes(pthread_attr_t *attributes);

/* For the lookout, which must run on a busy machine, but without real-time priority: a
   short slice, and the value NICE if permitted. */
void prompt_lookout(int nice);

#endif
