/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookout: the main thread of the tracer, which knows what there is to be sampled.
 *
 * It finds the threads of each process and looks at those whose turn it is (rota.h):
 * their accounts, their state, the CPU they are on, where a sampler is then made to sit.
 * It copies the stacks of those that sleep if wall clock is sampled, tells accounts and
 * marks, follows exec and the end, and keeps the budget. It attaches to nobody.
 *
 * These are one process's; ptrace/tracer/tracer-main.c calls them for all in turn. Main
 * thread, without the mutex.
 */
#ifndef CPROFTOP_PTRACE_LOOKOUT_H
#define CPROFTOP_PTRACE_LOOKOUT_H

#include "ptrace/tracer/tracing.h"

/* Begin to sample PID, whose FDS (/proc/PID, task, mem) are taken over. IS_AGAIN: another
   tracer did until now, and its meter goes on. NULL, and errno, if it cannot be. */
struct sampling *lookout_add(struct tracing *tracing, pid_t pid, struct ring *ring,
	const int fds[TRACER_FDS], bool is_again);

/* Do what is due at NOW_NS. Returns when something will be due again. */
uint64_t lookout_round(struct sampling *sampling, uint64_t now_ns);

/* What the process does from here on is nobody's, until lookout_go_on. */
void lookout_hold(struct sampling *sampling);
void lookout_go_on(struct sampling *sampling);

/* The process has ended, or we are to leave it: no more samples. */
void lookout_leave(struct sampling *sampling, bool has_ended);

/* Hand over what is not told yet, then SNAPSHOT_END. False if the ring has no room; call
   again. */
bool lookout_say_goodbye(struct sampling *sampling);

void lookout_forget(struct sampling *sampling);

#endif
