/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt-thread: let the calling thread wake up at once, and not be preempted in the
 * midst.
 *
 * A tracer that loses its CPU while a thread of the target is stopped keeps that thread
 * stopped for as long as others run: measured on a busy machine, 1 stop of 100 took 2-9
 * ms instead of 0.03. And a tick that comes late is no random instant (sampler.h).
 */
#ifndef CPROFTOP_PTRACE_PROMPT_THREAD_H
#define CPROFTOP_PTRACE_PROMPT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Where we may (root, CAP_SYS_NICE, RLIMIT_RTPRIO): the lowest real-time priority, for
   this thread only; true. Elsewhere: a short slice, which makes the fair scheduler run us
   soon after a wake-up (tick lateness p99 0.1 ms against 0.8-1.4 ms on a quiet machine;
   nice does not do that), but not always, and does not keep others from preempting us;
   false. */
bool prompt_thread(void);

/* Let a thread that is created by ATTRIBUTES be prompt from its first instruction on, and
   not only when it has got a CPU to say so itself. Such a creation fails with EPERM where
   we may not. */
void prompt_attributes(pthread_attr_t *attributes);

/* For the thread that must get on while others are busy, but not at any price: a short
   slice, and NICE where we may. */
void prompt_lookout(int nice);

#endif
