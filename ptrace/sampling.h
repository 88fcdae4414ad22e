/*
 * sampling: what the files of the sampler share; private to them.
 *
 *	sampler.c   the thread: attach, wait for the next tick or stop, leave
 *	tick.c      what is due at a tick: find who runs (running.h), interrupt
 *	stop.c      a thread has stopped: copy, resume, account
 *	survey.c    accounts of all threads: on a CPU, waiting for one, blocked
 *	waiting.c   wall clock: copy the stacks of threads that sleep, account
 */
#ifndef CPROFTOP_PTRACE_SAMPLING_H
#define CPROFTOP_PTRACE_SAMPLING_H

#include "ptrace/deadman.h"
#include "ptrace/guardian.h"
#include "ptrace/running.h"
#include "ptrace/sampler-options.h"
#include "ptrace/schedule.h"
#include "ptrace/target.h"
#include "ptrace/tracees.h"
#include "src/error.h"
#include "src/meter.h"
#include "src/ring.h"

#include <signal.h>

struct sampling {
	struct target *target;
	struct ring *ring;
	struct meter *meter;
	struct sampler_options options;

	struct tracees tracees;
	struct running running;
	struct schedule schedule;
	struct deadman deadman;
	struct guardian guardian;
	bool deadman_armed;
	unsigned owed;		/* tracees interrupted that have not stopped yet */
	unsigned group_stopped; /* tracees in a group-stop */
	uint64_t woke_ns;	/* when we got a CPU last */
	bool heard;		/* there may be stops to see to */
	uint64_t polled_ns;	/* when we were through with them last */
	uint64_t cpu_base_ns;	/* the process clock when sampling began */
	uint64_t cpu_last_ns;	/* the process clock when last read */
	uint64_t scanned_ns;	/* when the task directory was last read */
	uint64_t marked_ns;	/* when the last SNAPSHOT_TICK was sent */
	bool target_gone;
	bool broken;	      /* a thread could not be resumed: end, and all run */
	bool wall;	      /* wall clock is sampled */
	size_t survey_cursor; /* the tracee to be surveyed next */
	uint64_t survey_ns;   /* when the survey began */
	size_t wait_cursor;   /* where the next copying begins */
};

/* tick.c */

/* Look for threads that are running and stop them, at most max_stops. LATE_NS is how late
   the tick comes. */
void sampling_tick(struct sampling *sampling, uint64_t now_ns, uint64_t late_ns);

/* Look for new threads. False when the target has none any more. */
bool sampling_scan(struct sampling *sampling, bool start, int *errnum);

/* Tell the analyst what the kernel has charged to the process so far. */
void sampling_mark(struct sampling *sampling, uint64_t now_ns);

/* From here on: what ran before is nobody's (the end of a pause). */
void sampling_rebase(struct sampling *sampling);

/* Hand over a record; the analyst is told when many wait. */
void sampling_commit(struct sampling *sampling);

/* stop.c */

/* If TRACEE has stopped or ended, see to it. Its stop is taken to have begun at
   NOTICED_NS: when it was interrupted, if we wait for it; when we woke up, if it comes by
   itself. */
bool sampling_poll(struct sampling *sampling, struct tracee *tracee, uint64_t noticed_ns);

/* See to the threads that have something to say. False if there may be more. */
bool sampling_poll_all(struct sampling *sampling, uint64_t noticed_ns);

/* Threads that were not listed and will not be heard of: away with them. */
void sampling_forget_vanished(struct sampling *sampling);

/* The process executed another program: open its memory anew and tell the analyst. */
void sampling_renew(struct sampling *sampling);

/* survey.c */

/* Is every thread to be looked at in this tick, because a survey begins? */
bool sampling_survey_is_due(const struct sampling *sampling, uint64_t now_ns);

/* Now and then, tell what every thread was charged since it was last told; in parts, if
   the ring has not room for all at once. */
void sampling_survey(struct sampling *sampling, uint64_t now_ns);

/* Tell it of TRACEE alone, up to NOW_NS. False if the ring has no room. */
bool sampling_tell_account(struct sampling *sampling, struct tracee *tracee,
	const struct task_account *account, uint64_t now_ns);

/* Tell it of all, up to the end. False if the ring is full; call again. */
bool sampling_survey_last(struct sampling *sampling, uint64_t now_ns);

/* waiting.c */

/* See to the threads that do not run, after the search for those that do. */
void sampling_wait_tick(struct sampling *sampling, uint64_t now_ns);

/* Put STATE into SLOT, and the wall clock that TRACEE is charged up to NOW_NS (none in
   cpu mode). SLOT must then be committed. */
void sampling_charge(struct sampling *sampling, struct tracee *tracee,
	struct snapshot *slot, enum thread_state state, uint64_t now_ns);

/* Tell that TRACEE is in STATE where it was last seen. False if the ring is full. */
bool sampling_tell_wait(struct sampling *sampling, struct tracee *tracee,
	enum thread_state state, uint64_t now_ns);

/* From here on: time before is nobody's (wall clock begins, or goes on after a pause). */
void sampling_wait_rebase(struct sampling *sampling, uint64_t now_ns);

/* Tell all that is not told yet. False if the ring is full; call again. */
bool sampling_wait_flush(struct sampling *sampling, uint64_t now_ns);

#endif
