/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer: the process that looks at the targets, as a session knows it.
 *
 * All that is done to a target is done by a process of its own, which knows no names,
 * reads no file of the target, and may die at any moment (ptrace/tracer/tracing.h). What
 * it finds it puts into rings in shared memory. If it dies, a thread of ours sees it by
 * the socket and has another one made within milliseconds, which goes on with all
 * processes: what was running then has lost a sample, and the meter counts the death.
 *
 * tracer_create forks, so it comes first of all that a session begins. The functions are
 * for one thread at a time, unless said otherwise.
 */
#ifndef CPROFTOP_PTRACE_TRACER_H
#define CPROFTOP_PTRACE_TRACER_H

#include "ptrace/link/keeper.h"
#include "ptrace/target.h"
#include "ptrace/tracer/control.h"
#include "src/base/error.h"
#include "src/model/ring.h"

struct tracer;

/* WAKE is called, on a thread of the tracer's, when the analyst should look at the rings
   soon: one is half full, or has got its last record. Must not block. NULL and ERR if
   there can be no process. */
struct tracer *tracer_create(const struct tracer_options *options, unsigned frequency_hz,
	bool wall, void (*wake)(void *context), void *context, struct error *err);

/* Begin to sample TARGET into RING, which is of shared memory older than the tracer; both
   are borrowed until the ring has SNAPSHOT_END, or tracer_destroy. False and ERR if it
   cannot be attached to. */
bool tracer_add(struct tracer *tracer, const struct target *target, struct ring *ring,
	struct error *err);

/* RING has its SNAPSHOT_END and goes. */
void tracer_forget(struct tracer *tracer, const struct ring *ring);

/* Change the rate; 0 pauses. What the target does in a pause counts as unsampled. Any
   thread. */
void tracer_set_frequency(struct tracer *tracer, unsigned hz);

/* Sample wall clock, or only what runs. Any thread. */
void tracer_set_wall(struct tracer *tracer, bool wall);

/* Take no samples until it is released again: to be held before this process is stopped
   (Ctrl-Z). What the targets do meanwhile is not charged to anything. Returns when it is
   done. */
void tracer_hold(struct tracer *tracer, bool held);

/* If we end without giving the terminal back, the keeper does; and if a command writes to
   the pipe whose reading end is FD, the keeper goes on reading. See keeper.h. */
void tracer_guard_terminal(struct tracer *tracer, const struct keeper_terminal *terminal);
void tracer_release_terminal(struct tracer *tracer);
void tracer_guard_pipe(struct tracer *tracer, int fd);

/* Stop sampling; the targets run on. Every ring gets its SNAPSHOT_END, for which somebody
   must be reading; then the process is gone. NULL is fine. */
void tracer_destroy(struct tracer *tracer);

#endif
