/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookout: the main thread of the tracer, which keeps track of what can be sampled.
 *
 * It finds the threads of each process and looks at those whose turn it is (rota.h):
 * their accounts, their state, the CPU they are on, where a sampler is then made to sit.
 * If wall clock is sampled, it copies the stacks of sleeping threads. It reports accounts
 * and marks, notices exec and the end of a process, and keeps the budget. It attaches
 * only to threads that a signal has stopped, for wall clock.
 *
 * Each function is for one target process; ptrace/tracer/tracer-main.c calls them for all
 * in turn. Lookout, without the mutex.
 */
#ifndef CPROFTOP_PTRACE_LOOKOUT_H
#define CPROFTOP_PTRACE_LOOKOUT_H

#include "ptrace/tracer/tracing.h"

/* Begin to sample the process of a TRACER_ADD. Takes over FDS, that came with it. If an
   earlier tracer sampled it until now, the meter is continued. NULL, and errno, on
   failure. */
struct sampling *lookout_add(struct tracing *tracing,
	const struct tracer_message *addition, const int fds[TRACER_FDS]);

/* Go on with a process that a sampler has met (newborn.c): it has begun, and may have a sample. */
void lookout_adopt(struct sampling *sampling);

/* Has the process ended? */
bool lookout_has_ended(const struct sampling *sampling);

/* Do what is due at NOW_NS. Returns the time when something will be due again. */
uint64_t lookout_round(struct sampling *sampling, uint64_t now_ns);

/* Keep the budget of those that samplers meet. */
void lookout_keep_brief(struct tracing *tracing, uint64_t now_ns);

/* Take no samples until lookout_go_on; time that passes meanwhile is not charged. */
void lookout_hold(struct sampling *sampling);
void lookout_go_on(struct sampling *sampling);

/* Take no more samples: the process has ended, or we were told to stop. */
void lookout_leave(struct sampling *sampling, bool has_ended);

/* Put all that is not reported yet, then SNAPSHOT_END, into the ring. False if the ring
   has no room; call again. */
bool lookout_say_goodbye(struct sampling *sampling);

void lookout_forget(struct sampling *sampling);

#endif
