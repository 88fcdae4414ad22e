/*
 * sampling: what the files of the sampler share; private to them.
 *
 *	sampler.c   the thread: wait for the next tick or stop of any process
 *	sampling.c  one process: attach, do what is due, leave
 *	tick.c      what is due at a tick: find who runs (running.h), interrupt
 *	stop.c      a thread has stopped: copy, resume, account
 *	exec.c      it runs another program: begin anew, tell its mappings
 *	survey.c    accounts of all threads: on a CPU, waiting for one, blocked
 *	waiting.c   wall clock: copy the stacks of threads that sleep, account
 */
#ifndef CPROFTOP_PTRACE_SAMPLING_H
#define CPROFTOP_PTRACE_SAMPLING_H

#include "ptrace/budget.h"
#include "ptrace/deadman.h"
#include "ptrace/guardian.h"
#include "ptrace/running.h"
#include "ptrace/sampler-options.h"
#include "ptrace/schedule.h"
#include "ptrace/target.h"
#include "ptrace/tracees.h"
#include "src/base/error.h"
#include "src/model/meter.h"
#include "src/model/ring.h"

#include <signal.h>

struct sampling {
	struct target *target;
	struct ring *ring;
	struct meter *meter;
	struct sampler_options options;

	struct tracees tracees;
	struct running running;
	struct schedule schedule;
	struct budget budget;
	/* Of the stops that we asked for. Those for signals cost also, but not less if
	   we ask for fewer. */
	uint64_t asked_stops, asked_stopped_ns;
	const struct guardian *guardian; /* of the thread, borrowed */
	struct deadman deadman;
	bool deadman_armed;
	unsigned owed;		/* tracees interrupted that have not stopped yet */
	unsigned group_stopped; /* tracees in a group-stop */
	uint64_t cpu_base_ns;	/* the process clock when sampling began */
	uint64_t cpu_last_ns;	/* the process clock when last read */
	uint64_t scanned_ns;	/* when the task directory was last read */
	uint64_t marked_ns;	/* when the last SNAPSHOT_TICK was sent */
	bool exec_untold;	/* for want of room in the ring */
	unsigned maps_untold;	/* see sampling_tell_maps */
	bool target_gone;
	bool broken;		     /* a thread could not be resumed: end, and all run */
	bool wall;		     /* wall clock is sampled */
	size_t survey_cursor;	     /* the tracee to be surveyed next */
	uint64_t survey_ns;	     /* when the survey began */
	uint32_t tick;		     /* the number of this one; it may begin anew */
	size_t wait_cursor;	     /* where the next copying begins */
	unsigned hz;		     /* now; 0 is a pause */
	uint64_t ended_ns;	     /* since when it is being left; 0: it is not */
	bool is_over;		     /* its last record is in the ring */
	const struct samplings *all; /* of the same thread, this one among them */
};

/* The kernel tells a thread of all its tracees together, whatever process they are of. */
struct samplings {
	struct sampling **data;
	size_t len, cap;
};

/* sampling.c */

/* Seize every thread. False and ERR if there is none to be had; sampling_finish then,
   too. Once more after sampling_let_go and an end of the thread. */
bool sampling_attach(struct sampling *sampling, struct error *err);

/* Do what is due at NOW_NS. Returns the instant when something will be due again. */
uint64_t sampling_round(
	struct sampling *sampling, uint64_t now_ns, unsigned hz, bool wall);

/* Keep the dead-man armed exactly while a stop is owed. To be called in every round. */
void sampling_feed_deadman(struct sampling *sampling);

/* Is a stop owed by a thread that only wants a CPU to come to it? */
bool sampling_is_owed_for_want_of_cpu(const struct sampling *sampling);

/* From here on what the process does is nobody's, until it is attached to again. */
void sampling_let_go(struct sampling *sampling);

/* Hand over all that is not told yet, then SNAPSHOT_END. False if the ring has no room;
   call again. */
bool sampling_say_goodbye(struct sampling *sampling);

/* End the dead-man. Nothing that waits may come after it. */
void sampling_finish(struct sampling *sampling);

/* Forget the threads; takes its time. */
void sampling_forget(struct sampling *sampling);

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

/* See to the threads that have something to say, whichever sampling of the thread they
   are of. False if there may be more. */
bool sampling_poll_all(struct sampling *sampling, uint64_t noticed_ns);

/* Threads that were not listed and will not be heard of: away with them. */
void sampling_forget_vanished(struct sampling *sampling);

/* exec.c */

/* The process executed another program: open its memory anew and tell the analyst. */
void sampling_renew(struct sampling *sampling);

/* Tell it what is mapped now; MAPS_UNTOLD counts how often that is to be done. */
void sampling_tell_maps(struct sampling *sampling);

/* Tell of TRACEE, which is new, if the ring has room; else the next survey does. */
void sampling_introduce(struct sampling *sampling, struct tracee *tracee);

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
