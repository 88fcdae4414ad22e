/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: the lookout's round for a process: find its threads, and look at those whose turn
 * it is.
 *
 * Called by the lookout with the mutex, which is released for a moment between two
 * threads.
 */
#ifndef CPROFTOP_PTRACE_LOOK_H
#define CPROFTOP_PTRACE_LOOK_H

#include "ptrace/tracer/tracing.h"

/* Has the number of threads changed, or was the last listing long ago? */
bool look_for_threads_is_due(struct sampling *sampling, uint64_t now_ns);

/* Read the task directory: add new threads, and remove those that have ended. START:
   sampling begins (see threads_add). False if no thread is left. */
bool look_for_threads(struct sampling *sampling, bool start);

/* Has the ring room for that? */
bool look_has_room(const struct sampling *sampling);

/* Report that THREAD has ended, and remove it. */
void look_thread_ended(struct sampling *sampling, struct thread *thread);

/* Look at the threads whose turn it is (rota.h). */
void look_around(struct sampling *sampling, uint64_t now_ns);

/* If samples were refused lately, find out who else traces the process. */
void look_for_tracer(struct sampling *sampling, uint64_t now_ns);

#endif
