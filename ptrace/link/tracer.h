/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer: a session's side of the tracer, the process that samples the targets.
 *
 * Everything that is done to a target is done by a separate process, which may die at any
 * moment (ptrace/tracer/tracing.h). It puts its records into rings in shared memory. If
 * it dies, the link, a thread of main, notices it by the socket and forks another one
 * within milliseconds, which goes on with all target processes. Samples that were
 * being taken are lost, and the meter counts the death. One that somebody has stopped is
 * killed at once, if SIGCHLD is blocked in all threads (session_block_signals).
 *
 * One thread at a time may call these functions, unless a comment says otherwise.
 */
#ifndef CPROFTOP_PTRACE_TRACER_H
#define CPROFTOP_PTRACE_TRACER_H

#include "ptrace/target.h"
#include "ptrace/tracer/control.h"
#include "src/base/error.h"
#include "src/facts/ring.h"

struct tracer;

/* WAKE is called on the link's thread when the analyst should look at the rings soon,
   because one is half full or has its last record. It must not block. NULL and ERR if no
   process can be made. */
struct tracer *tracer_create(const struct tracer_options *options, unsigned frequency_hz,
	bool wall, void (*wake)(void *context), void *context, struct error *err);

/* Begin to sample TARGET into RING, which lies in shared memory that was mapped before
   tracer_create. Both are borrowed until the ring has its SNAPSHOT_END, or until
   tracer_destroy. False and ERR if TARGET cannot be attached to. */
bool tracer_add(struct tracer *tracer, const struct target *target, struct ring *ring,
	struct error *err);

/* A child of a target, process PID that began at START_TICKS (proc(5)), was found by the tracer, which
   samples it into RING. Called on the link's thread; must not block. */
typedef void tracer_born(
	void *context, struct ring *ring, pid_t pid, uint64_t start_ticks);

/* With a RING, as for tracer_add, the tracer samples one child of a target that it meets on a CPU, and
   BORN is called with the context of tracer_create. */
void tracer_give_spare(struct tracer *tracer, struct ring *ring, tracer_born *born);

/* So much CPU time have children used in all that were not sampled (ptrace/threads/pot.h). */
void tracer_tell_unseen(struct tracer *tracer, uint64_t unseen_ns);

/* Called when RING has its SNAPSHOT_END, before RING is given back. */
void tracer_forget(struct tracer *tracer, const struct ring *ring);

/* Change the rate; 0 pauses. CPU time during a pause is not counted. Any thread. */
void tracer_set_frequency(struct tracer *tracer, unsigned hz);

/* Sample wall clock, or only running threads. Any thread. */
void tracer_set_wall(struct tracer *tracer, bool wall);

/* HELD: let go of all threads and take no samples until called with false. For Ctrl-Z,
   before this process is stopped. Time that passes meanwhile is charged to no sample.
   Returns when it is done. */
void tracer_hold(struct tracer *tracer, bool held);

/* What the tracer restores or goes on reading if this process ends without doing so: the
   terminal, and the pipe with the reading end FD (-1: none). See ptrace/tracer/guard.h. */
void tracer_guard_terminal(
	struct tracer *tracer, const struct guarded_terminal *terminal);
void tracer_release_terminal(struct tracer *tracer);
void tracer_guard_pipe(struct tracer *tracer, int fd);

/* Stop sampling; the targets run on. Waits until every ring has its SNAPSHOT_END, so the
   analyst must still be reading, and the process has ended. NULL is fine. */
void tracer_destroy(struct tracer *tracer);

#endif
