/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: what the lookout does in a tick: find the threads of a process, and see what
 * those do whose turn it is.
 *
 * With the mutex, which is let go for a moment between two threads. Lookout.
 */
#ifndef CPROFTOP_PTRACE_LOOK_H
#define CPROFTOP_PTRACE_LOOK_H

#include "ptrace/tracer/tracing.h"

/* Has the number of threads changed, or has it been long? */
bool look_for_threads_is_due(const struct sampling *sampling, uint64_t now_ns);

/* Read the task directory: take up who is new, let go of who has ended. At the START what
   a thread has done so far is its past. False if there is no thread any more. */
bool look_for_threads(struct sampling *sampling, bool start);

/* Tell that THREAD has ended, and forget it. */
void look_thread_ended(struct sampling *sampling, struct thread *thread);

/* See what the threads do whose turn it is. */
void look_around(struct sampling *sampling, uint64_t now_ns);

/* Follow what the analyst has found out since. */
void look_at_advice(struct sampling *sampling);

/* Who else traces the process, if samples were refused because of that. */
void look_for_tracer(struct sampling *sampling, uint64_t now_ns);

#endif
