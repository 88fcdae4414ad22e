/*
 * tracees: the threads of the target, and what is remembered of each.
 *
 * Every thread is seized once (PTRACE_SEIZE, options 0) and from then on only looked at;
 * those that storm.h speaks of are seized for each sample.
 * A new thread is found by reading the task directory, not by PTRACE_O_TRACECLONE, which
 * would stop it twice (measured: -17 % thread rate). Sampler thread only.
 */
#ifndef CPROFTOP_PTRACE_TRACEES_H
#define CPROFTOP_PTRACE_TRACEES_H

#include "ptrace/capture.h"
#include "ptrace/seizer.h"
#include "ptrace/storm.h"
#include "ptrace/target.h"
#include "src/base/vec.h"
#include "src/model/snapshot.h"
#include "src/target/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread counts as awake that long after it used its CPU, or was found (ptrace/rota.h).
 */
enum {
	AWAKE_MS = 500
};

/* What the last search for running threads saw of it (ptrace/running.h). */
enum tracee_look {
	LOOK_NONE,     /* nothing certain: a stop is owed to us, or it is gone */
	LOOK_ASLEEP,   /* or stopped */
	LOOK_RUNNABLE, /* another one has its CPU */
	LOOK_RUNNING,
};

/* Wall clock of a thread, while it is sampled (ptrace/waiting.c). */
struct tracee_wait {
	uint64_t told_ns;	 /* the analyst knows of it up to here, */
	uint64_t steady_ns;	 /* and up to here the thread was as last told, */
	uint32_t looks;		 /* for so many ticks, */
	uint32_t tick;		 /* of which this was the last */
	enum thread_state state; /* as last told */
	uint64_t slices;	 /* it had got a CPU that often then */
};

struct tracee {
	pid_t tid;
	int task_dir_fd;       /* of the target, borrowed */
	struct seizer *seizer; /* of the tracees, borrowed */
	bool seized;
	bool is_reaped;	  /* it has ended, and there is no more to hear of it */
	bool is_stranger; /* its number has gone to one who must not be interrupted */
	bool listed;	  /* at the last look at the task directory */
	bool introduced;  /* the analyst knows of it */
	/* -1: not open (yet, or for want of descriptors) */
	int schedstat_fd, stat_fd, sched_fd, syscall_fd;
	char name[SNAPSHOT_NAME_BYTES];
	uint64_t cpu_sampled_ns; /* its CPU time at its last sample, or when it was found
				  */
	struct task_account account; /* when last looked at */
	char task_state;	     /* as in its stat, when that was last read */
	bool was_running;	     /* it was R */
	bool waits; /* for a CPU, and until it gets one (its slices tell) */
	enum tracee_look look;
	uint64_t looked_ns;	/* when the search looked at it last, */
	uint64_t looked_cpu_ns; /* its CPU time then, */
	uint64_t looked_slices; /* and how often it had got a CPU */
	struct task_account
		resumed;     /* when it was resumed last: exact, for it did not run, */
	uint64_t resumed_ns; /* at that time; 0: never */
	uint64_t awake_until_ns;  /* and until when it looks at every tick */
	size_t awake_place;	  /* in tracees.awake, counted from 1; 0: not in it */
	struct task_account told; /* what the analyst knows of its account, */
	uint64_t told_ns;	  /* up to here (ptrace/survey.c) */
	struct tracee_wait wait;
	uint64_t interrupted_ns; /* when it was interrupted; 0: no stop is owed to us */
	bool interrupted_here;	 /* it was on our CPU, preempted by us */
	bool group_stopped;	 /* in PTRACE_LISTEN */
	struct capture_habit habit;
	struct storm storm; /* of signals */
};

struct tracees {
	struct tracee **data; /* sorted by tid */
	size_t len, cap;
	struct seizer seizer;	    /* whoever seizes must have begun it, and finish it */
	VEC(struct tracee *) awake; /* those looked at in every tick; no order */
	struct task_list list;	    /* of the last look, kept for its memory */
	unsigned task_count;	    /* as task_count() gave it then */
};

void tracees_init(struct tracees *tracees);
void tracees_finish(struct tracees *tracees); /* forgets them; touches no thread */

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid);

/* Read the task directory and seize the threads that are new. FOUND is called for each of
   them. Threads that vanished between two looks are left for their exit status to tell,
   or for tracees_vanished.
   At the START every thread's CPU time so far is its past; later a new thread's is all
   its own. The errno of the last failed seize is kept in *ERRNUM (0 if none). False: no
   threads. */
bool tracees_reconcile(struct tracees *tracees, const struct target *target, bool start,
	void (*found)(void *context, struct tracee *tracee), void *context, int *errnum);

/* One that is not listed any more and will never tell by an exit status; NULL if there is
   none. Either it was not seized, or reaped, or it made an exec and goes on as the
   leader. */
struct tracee *tracees_vanished(
	const struct tracees *tracees, const struct target *target);

/* Trace it, if it is not. False, with errno, if it is gone or cannot be traced. Never
   true for a thread of another process that has got its number. */
bool tracee_seize(struct tracee *tracee);

/* Has the number of threads changed since the last look? */
bool tracees_changed(const struct tracees *tracees, const struct target *target);

void tracees_remove(struct tracees *tracees, struct tracee *tracee);

/* Take the exit status of those who have ended, and mark them. CONTEXT is the tracees, at
   rest; allocates nothing (seizer.h). */
void tracees_reap(void *context);

/* Put it among those that are awake, or take it away; new ones are. */
void tracees_wake(struct tracees *tracees, struct tracee *tracee);
void tracees_rest(struct tracees *tracees, struct tracee *tracee);

/* Read through the tracee's descriptors, or by path when there are none. */
bool tracee_read_account(const struct tracee *tracee, const struct target *target,
	struct task_account *account);
bool tracee_read_stat(
	const struct tracee *tracee, const struct target *target, struct task_stat *stat);

/* What it was charged since its last sample, if ACCOUNT is its account now. Less than it
   had then means that another thread made an exec and took its number: all is new. */
static inline uint64_t tracee_unsampled_ns(
	const struct tracee *tracee, const struct task_account *account)
{
	bool same = account->cpu_ns >= tracee->cpu_sampled_ns;
	return same ? account->cpu_ns - tracee->cpu_sampled_ns : account->cpu_ns;
}

/* See task_parse_exec_start; 0 if it cannot be read. */
uint64_t tracee_read_exec_start(struct tracee *tracee, const struct target *target);

/* Its /proc/TID/syscall, opened when first asked for; -1 if it cannot be. */
int tracee_syscall_fd(struct tracee *tracee, const struct target *target);

#endif
