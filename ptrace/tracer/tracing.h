/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing: what the threads of the tracer share; private to ptrace/tracer.
 *
 * The tracer is a process of its own (ptrace/link/keeper.h). In it there are
 *
 *	the lookout   main thread: knows the threads of every target and where they run,
 *	              tells what sleeps, keeps the accounts and the budget (lookout.c)
 *	samplers      one for each CPU that targets run on: sits there, wakes at random
 *	              instants and looks at the thread that it preempted (sampler.c)
 *	copiers       read memory that may keep its reader waiting (copier.c)
 *
 * One mutex guards all that they share: the targets, their threads, and the writing side
 * of the rings. It is held for microseconds, never while a thread of a target is stopped,
 * and never across anything that the target could delay: only /proc/TID/schedstat, stat
 * and sched are read under it. It inherits priority, because the lookout may be the one
 * whom a sampler has preempted.
 */
#ifndef CPROFTOP_PTRACE_TRACING_H
#define CPROFTOP_PTRACE_TRACING_H

#include "ptrace/target.h"
#include "ptrace/threads/rota.h"
#include "ptrace/threads/threads.h"
#include "ptrace/tracer/budget.h"
#include "ptrace/tracer/control.h"
#include "ptrace/tracer/schedule.h"
#include "src/model/meter.h"
#include "src/model/ring.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct tracing;

/* One process that is sampled. */
struct sampling {
	struct tracing *tracing;
	struct target target; /* its descriptors; command and path are not known here */
	int pidfd;	      /* readable when the process has ended; -1: not known */
	struct ring *ring;
	struct meter *meter;

	struct threads threads;
	struct rota rota;
	struct budget budget;
	struct schedule looks; /* the lookout's */
	unsigned hz;	       /* asked; 0 is a pause */
	bool is_wall;
	uint64_t ticked_ns;	     /* up to here periods are counted in meter.ticks */
	double tick_part;	     /* of a period, left over by that */
	uint64_t clock_due_ns;	     /* when to read the process clock again (rota) */
	uint64_t cpu_base_ns;	     /* the process clock when sampling began, */
	uint64_t cpu_last_ns;	     /* and when last read */
	uint64_t scanned_ns;	     /* when the task directory was last read, */
	uint64_t scan_due_ns;	     /* and not again before this */
	size_t n_running, n_stopped; /* found by the last looks */
	uint64_t refused_known, refused_ns; /* see look_for_tracer */
	bool is_again;	      /* another tracer has counted its threads before */
	bool is_held;	      /* Ctrl-Z */
	uint64_t marked_ns;   /* when the last SNAPSHOT_TICK was put */
	uint64_t survey_ns;   /* when the survey began */
	size_t survey_cursor; /* the thread to be surveyed next; 0: none is under way */
	size_t wait_cursor;   /* where the next search for sleepers begins */
	uint32_t wait_copies; /* left in this tick */
	bool exec_seen;	      /* its memory is gone: see to it */
	unsigned maps_untold; /* tell the mappings so many times */
	bool is_gone;	      /* the process has ended */
	bool is_leaving;      /* no more samples: say goodbye */
	uint64_t ended_ns;    /* since when */
	bool is_over;	      /* SNAPSHOT_END is in the ring */
	uint64_t asked_stops, asked_stopped_ns;
};

struct tracing {
	struct tracer_control *control;
	const struct tracer_options *options;
	_Atomic unsigned spinning; /* samplers in tracing_lock_at_once */
	pthread_mutex_t mutex;	   /* of what follows */
	VEC(struct sampling *) samplings;
	struct seat **seats; /* by CPU; NULL: none yet */
	size_t n_cpus;
	struct seat *outside;		/* for the CPUs where nobody can sit; NULL */
	VEC(struct sampler *) replaced; /* that have not left yet */
	struct copier *copier;		/* the lookout's */
	struct snapshot *slot;		/* the same: with room for a whole stack */
	size_t stack_bytes;
	uint64_t told_cpu_ns; /* of what we cost, told by own_cpu_add */
	uint64_t period_ns;   /* of a CPU's instants; 0: nothing is sampled */
	bool must_wake;	      /* the analyst: a ring is half full */
	int poke_fd;	      /* an eventfd: the lookout is to look at once */
	bool is_ending;	      /* no sampler begins a stop any more */
};

void tracing_lock(struct tracing *tracing);
void tracing_unlock(struct tracing *tracing);

/* The same for a sampler that has just preempted somebody: it spins for a moment before it
   sleeps, because whoever it preempted would run on meanwhile, and could not be told from
   others any more (ptrace/tracer/preempted.c). Measured with nginx: 4 % of instants find
   the mutex taken, 10 % of samples were lost to that. */
void tracing_lock_at_once(struct tracing *tracing);

/* Let others have the mutex, if they wait for it. */
void tracing_breathe(struct tracing *tracing);

/* Let the lookout have a look at once. */
void tracing_poke(struct tracing *tracing);

/* Put RECORD into the ring of its process, with the time that it is. False if it is full.
   With the mutex. */
bool sampling_put(struct sampling *sampling, struct snapshot *record);

/* --- exec.c: the process runs another program ----------------------------------------
 */

/* Its memory was found gone: open it anew and tell the analyst, if the process has not
   ended. Without the mutex. Lookout. */
void sampling_renew(struct sampling *sampling);

/* Tell what is mapped now. Without the mutex. Lookout. */
void sampling_tell_maps(struct sampling *sampling);

/* --- survey.c: the accounts of all threads -------------------------------------------
 */

bool sampling_survey_is_due(const struct sampling *sampling, uint64_t now_ns);

/* Now and then, tell what every thread was charged since it was last told; in parts, if
   the ring has not room for all at once. With the mutex. */
void sampling_survey(struct sampling *sampling, uint64_t now_ns);

/* Tell it of one. False if the ring has no room. */
bool sampling_tell_account(
	struct sampling *sampling, struct thread *thread, uint64_t now_ns);

/* Read THREAD's account. False if it is gone. */
bool sampling_refresh(struct sampling *sampling, struct thread *thread);

/* Tell it of all, up to the end. False if the ring is full; call again. */
bool sampling_survey_last(struct sampling *sampling, uint64_t now_ns);

/* Tell of THREAD, which is new, if the ring has room; else the next survey does. */
void sampling_introduce(struct sampling *sampling, struct thread *thread);

/* Tell what the kernel has charged to the process so far. */
void sampling_mark(struct sampling *sampling, uint64_t now_ns);

/* The same where the clock of the process has just been read. */
void sampling_mark_at(struct sampling *sampling, uint64_t cpu_ns, uint64_t now_ns);

/* --- waiting.c: wall clock -----------------------------------------------------------
 */

/* THREAD was looked at in this tick and does not run: copy its stack if it is new there,
   add up its time. With the mutex, which is let go for the copy; SLOT is the lookout's
   own. */
void sampling_wait_look(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, uint64_t now_ns);

/* Put into RECORD, of THREAD, what is to be told of its wall clock up to NOW_NS. Call
   sampling_wait_untold if the record could not be put. */
void sampling_wait_charge(struct sampling *sampling, struct thread *thread,
	struct snapshot *record, uint64_t now_ns);

/* From here on: time before is nobody's. */
void sampling_wait_rebase(struct sampling *sampling, uint64_t now_ns);

/* Tell all that is not told yet. False if the ring is full; call again. */
bool sampling_wait_flush(struct sampling *sampling, uint64_t now_ns);

#endif
