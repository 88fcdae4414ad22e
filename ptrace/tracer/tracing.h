/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing: what the threads of the tracer share. Private to ptrace/tracer.
 *
 * The tracer is a process of its own (ptrace/link/tracer-process.h). In it there are
 *
 *	the lookout   main thread: knows the threads of every target and where they run,
 *	              tells what sleeps, keeps the accounts and the budget (lookout.c)
 *	samplers      one for each CPU that targets run on: sits there, wakes at random
 *	              instants and looks at the thread that it preempted (sampler.c)
 *	copiers       read memory that may keep its reader waiting (copier.c)
 *
 * One mutex guards everything that they share: the targets, their threads, and the
 * writing side of the rings. It is held for microseconds, never while a thread of a
 * target is stopped, and never during anything that a target could delay: only
 * /proc/TID/schedstat, stat and sched are read under it. It has priority inheritance,
 * because a sampler may have preempted the lookout while that holds it.
 */
#ifndef CPROFTOP_PTRACE_TRACING_H
#define CPROFTOP_PTRACE_TRACING_H

#include "ptrace/perf/perf-events.h"
#include "ptrace/target.h"
#include "ptrace/threads/births.h"
#include "ptrace/threads/newcomers.h"
#include "ptrace/threads/pool.h"
#include "ptrace/threads/pot.h"
#include "ptrace/threads/rota.h"
#include "ptrace/threads/threads.h"
#include "ptrace/threads/watched-locks.h"
#include "ptrace/tracer/budget.h"
#include "ptrace/tracer/control.h"
#include "src/facts/meter.h"
#include "src/facts/ring.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct tracing;

/* One target process. */
struct sampling {
	struct tracing *tracing;
	struct target target; /* only its descriptors; command and path are not set */
	int pidfd;	      /* readable when the process has ended; -1: none */
	struct ring *ring;
	struct meter *meter;

	struct threads threads;
	struct rota rota;
	struct newcomers newcomers;
	struct newcomers unexplained; /* the same of threads that rest */
	struct pool pool;
	uint64_t rest_ns; /* of it, when sampling ended: added to the last samples */
	struct budget budget;
	uint64_t look_ns;	/* monotonic: the lookout's next look */
	uint64_t look_random;	/* of schedule_draw, for these */
	struct stack_link link; /* as the analyst has found it; no loads: none */
	/* What else to copy; NULL: nothing. Its number is that of no other recipe of this tracer,
	   0: none; and that in the box from which it was taken. */
	struct recipe *recipe;
	uint32_t recipe_number, recipe_taken;
	unsigned hz; /* asked for; 0: a pause */
	bool is_wall;
	uint64_t periods_ns;   /* until when periods were counted in meter.periods */
	double period_part;    /* the part of a period that was left over */
	uint64_t clock_due_ns; /* when to read the process clock again */
	uint64_t cpu_base_ns;  /* the process clock when sampling began */
	uint64_t cpu_last_ns;  /* the process clock when last read */
	uint64_t changed_ns;   /* when threads were last seen to come or go, */
	uint64_t moved_ns;     /* to run where no sampler sat, or to wake from rest, */
	uint64_t ran_ns;       /* or to use a CPU at all */
	uint64_t scanned_ns;   /* when the task directory was last read */
	uint64_t scan_ns;      /* how long that took */
	bool must_scan;	       /* read it again: a thread was found to have ended */
	bool is_listing;       /* the lookout uses threads.list */
	size_t n_running, n_stopped;	    /* at the last looks */
	uint64_t refused_known, refused_ns; /* see look_for_tracer */
	bool is_born;	    /* since sampling began: a sampler has met it */
	bool is_newborn;    /* and the lookout has not adopted it yet */
	bool is_again;	    /* an earlier tracer has counted its threads */
	bool is_held;	    /* by Ctrl-Z */
	uint64_t marked_ns; /* when the last mark was put */
	uint64_t survey_ns; /* when the survey began */
	/* the thread to be surveyed next; 0: no survey is under way */
	size_t survey_cursor;
	size_t wait_cursor; /* where the next round begins with the awake threads */
	_Atomic uint64_t anywhere; /* target_mapped_address */
	_Atomic uint64_t
		contended_ns; /* monotonic: until when its memory is (capture_memory) */
	_Atomic unsigned rehearsed; /* stops before which that was tried with care */
	struct watched_locks watched;
	uint32_t wait_copies; /* stacks that may still be copied in this round */
	bool exec_seen;	      /* its memory is gone: call sampling_exec */
	/* When to look whether it has called exec for the first time; UINT64_MAX: it has. Until the
	   other instant in every round. */
	uint64_t exec_look_ns, exec_often_ns;
	unsigned maps_untold; /* how often to report the mappings */
	bool is_gone;	      /* the process has ended */
	bool is_leaving;      /* no more samples: put the last records */
	uint64_t ended_ns;    /* when is_gone or is_leaving was set */
	bool is_over;	      /* SNAPSHOT_END is in the ring */
	uint64_t asked_stops, asked_stopped_ns;
	uint64_t put_ns; /* the time of the last record */
	/* With ENGINE_PERF: */
	struct perf_events events;
	struct perf_wish wish; /* what they were opened for */
	uint64_t retry_ns;     /* not to open them before, as that has failed */
	uint64_t opened_ns;    /* when they were, last */
	uint32_t deepest;      /* so many bytes of a stack were needed */
	uint64_t instant_ns;   /* of the sample that is handed over; 0: none is */
	/* With an event: */
	struct event_places places; /* as the analyst has found them, */
	uint32_t places_taken;	    /* and which of its finds */
	struct perf_count counted;  /* by events that were closed, */
	struct perf_count told;	    /* and by all, when that was last read, */
	uint64_t told_ns;	    /* which was then */
	uint64_t period;	    /* if the options do not say it; */
	/* that of samples before SINCE_NS, when events were opened with the present one */
	uint64_t period_before, since_ns;
	uint64_t event_weight; /* of the sample that is handed over */
	double scale;	       /* of weights, lately */
};

enum {
	TRACING_CPUS = 8192, /* CONFIG_NR_CPUS is no more */
};

struct tracing {
	struct tracer_control *control;
	const struct tracer_options *options;
	_Atomic unsigned spinning; /* samplers in tracing_lock_at_once */
	pthread_mutex_t mutex;	   /* guards what follows */
	VEC(struct sampling *) samplings;
	/* With --children: rings for processes that samplers meet, and the weights of such. */
	VEC(struct ring *) spares;
	struct pot pot;
	/* One budget for all that samplers meet, which begin with its plan: one process alone lives too
	   briefly to be judged. And its costs so far. */
	struct budget brief;
	struct budget_reading brief_costs;
	/* One looks for births at a time, and opens it; samplers do not wait for it for long. */
	pthread_mutex_t births_mutex;
	struct births births;
	struct perf_engine *perf; /* the lookout's; NULL: ENGINE_PTRACE */
	struct seat **seats;	  /* TRACING_CPUS, by CPU; NULL: not sampled yet */
	/* One more than the last of them. Not what sysconf(3) says: a container may be shown as many
	   as it may use, from 0 on (LXCFS), while its threads are on CPU 37. */
	_Atomic size_t n_cpus;
	struct seat *outside;		/* for CPUs where no sampler can sit; or NULL */
	VEC(struct sampler *) replaced; /* whose threads have not ended yet */
	struct copier *copier;		/* the lookout's */
	struct snapshot *slot;		/* the same: with room for a whole stack */
	size_t stack_bytes;
	uint64_t
		start; /* where searches of samplers among many threads begin, of 2^32, */
	unsigned searches;
	bool is_new_start;
	uint32_t recipes;	/* numbers given to recipes so far */
	struct recipe *recipe;	/* the lookout's copy of one, */
	uint32_t recipe_number; /* and which; 0: none */
	size_t looks;		/* threads to be looked at in one search, */
	uint64_t look_ns;	/* and how long one takes */
	double stop_ns;		/* how long stops took lately, on average */
	uint64_t told_cpu_ns;	/* CPU time reported with own_cpu_add, */
	uint64_t told_ns;	/* and when */
	uint64_t period_ns;	/* of each CPU; 0: nothing is sampled */
	bool must_wake;		/* the analyst, because a ring is half full */
	int poke_fd;		/* an eventfd that wakes the lookout */
	bool is_woken;		/* something has happened while the lookout slept */
	bool is_ending;		/* samplers begin no more stops */
	bool may_call;		/* process_vm_readv(2) is not forbidden */
	struct guard guard;	/* the lookout's */
};

void tracing_lock(struct tracing *tracing);
void tracing_unlock(struct tracing *tracing);

/* The same for a sampler that has just preempted a thread. It spins for up to 60 us before
   it sleeps: if it slept at once, that thread would run on, and preempted.c could not
   identify it any more. Measured with nginx: the mutex is taken at 4 % of the instants,
   and 10 % of the samples were lost because of that. */
void tracing_lock_at_once(struct tracing *tracing);

/* Release the mutex for a moment, if others wait for it. */
void tracing_breathe(struct tracing *tracing);

/* Wake the lookout. */
void tracing_poke(struct tracing *tracing);

/* The present time, or that of the end of sampling: a stop may still be under way then. */
uint64_t sampling_now_ns(const struct sampling *sampling);

/* Is process PID sampled? CONTEXT is struct tracing. Takes the mutex. */
bool tracing_samples(void *context, pid_t pid);

/* Put RECORD into the ring of its process, with that time, or that of the record before, which
   may be later: samples of the kernel come late. False if the ring is
   full. With the mutex. */
bool sampling_put(struct sampling *sampling, struct snapshot *record);

/* Take the analyst's new advice, for the samples from now on. By the lookout in each round,
   and by a sampler just before it copies, because each sample without the advice may be a
   broken stack. No more than can wait: the analyst, if somebody has taken it over, might
   never stop to give some. With the mutex. */
void sampling_take_advice(struct sampling *sampling);

/* Is a weight a number of events (-e), and no time? */
static inline bool sampling_counts_events(const struct sampling *sampling)
{
	return sampling->tracing->options->event.kind != EVENT_CPU_TIME;
}

/* A read of its memory has waited for its threads, or may have ended an earlier tracer. */
void sampling_note_contention(struct sampling *sampling);

/* Is the process sampled at all now? */
static inline bool sampling_is_on(const struct sampling *sampling)
{
	return sampling->hz && !sampling->is_leaving;
}

/* --- handover.c: what samples weigh ---------------------------------------------------- */

/* Weigh the sample in SLOT that the kernel has taken of THREAD, whose account is as in
   thread->seen, and put it into the ring. With the mutex. */
void handover_event(
	struct sampling *sampling, struct thread *thread, struct snapshot *slot);

/* Which threads' samples weigh their own CPU time (threads_judge)? Those of a new one weigh also what
   it has used since its last sample, but for what samples have taken of the pool instead. With the
   mutex. */
void sampling_judge(struct sampling *sampling, uint64_t now_ns);

/* Sampling ends: what the next sample would have taken of the pool, that did not come. 0 if the
   pool has had no samples. With the mutex. */
uint64_t sampling_pool_rest(struct sampling *sampling);

/* --- exec.c: the process has called exec ------------------------------------------- */

/* At NOW_NS: has a process that had been forked called exec? If so, exec_seen is set. Lookout. */
void sampling_await_exec(struct sampling *sampling, uint64_t now_ns);

/* The memory was found to be gone: unless the process has ended, open it again and tell
   the analyst. Without the mutex. Lookout. */
void sampling_exec(struct sampling *sampling);

/* Report the present mappings. Without the mutex. Lookout. */
void sampling_tell_maps(struct sampling *sampling);

/* OWN is a copy of a sampler's, with its number. Make it the copy of the present recipe, if it
   is not yet; the number becomes 0 if there is none. With the mutex. */
void sampling_copy_recipe(
	const struct sampling *sampling, struct recipe *own, uint32_t *number);

/* --- survey.c: the accounts of all threads ----------------------------------------- */

bool sampling_survey_is_due(const struct sampling *sampling, uint64_t now_ns);

/* Report what every thread was charged since its last report; in several calls, if the
   ring has no room for all at once. With the mutex. */
void sampling_survey(struct sampling *sampling, uint64_t now_ns);

/* Report it for one thread. False if the ring has no room. */
bool sampling_tell_account(
	struct sampling *sampling, struct thread *thread, uint64_t now_ns);

/* Read THREAD's account. False if it has ended, or if it has not been read before: CPU
   time up to its first look is not counted. */
bool sampling_refresh(struct sampling *sampling, struct thread *thread);

/* The accounts of all threads when sampling ends: read them; and report them, once no stop
   is under way any more, which may take a while. False if the ring is full; call again. */
void sampling_refresh_last(struct sampling *sampling);
bool sampling_survey_last(struct sampling *sampling, uint64_t now_ns);

/* What the process was charged up to now, and no sample weighs, no sample shall weigh. After the
   death of a tracer, or a pause. */
void sampling_write_off(struct sampling *sampling);

/* The last tracer has died: go on from what the meter says. */
void sampling_take_over(struct sampling *sampling);

/* Of a sampler: if unknown threads have probably used CPU time, list the threads and add the new
   ones. True if there are any. With the mutex. */
bool sampling_find_newcomers(struct sampling *sampling);

/* Count the time of a pause, according to hz, which has just been set. */
void sampling_count_pause(struct sampling *sampling, uint64_t now_ns);

/* CPU time up to now that no sample weighs counts as unsampled; that of a pause, if hz is still 0,
   not at all. */
void sampling_rebase(struct sampling *sampling, uint64_t now_ns);

/* Sets hz to 0. */
void sampling_begin_pause(struct sampling *sampling, uint64_t now_ns);

/* Report the new THREAD, if the ring has room; else the next survey does. */
void sampling_introduce(struct sampling *sampling, struct thread *thread);

/* Put a mark: what the kernel has charged to the process so far. */
void sampling_mark(struct sampling *sampling, uint64_t now_ns);

/* The same, with the process clock that was just read. */
void sampling_mark_at(struct sampling *sampling, uint64_t cpu_ns, uint64_t now_ns);

/* --- wall-clock.c: threads that do not run ------------------------------------------ */

/* THREAD was looked at in this round: if it sleeps or is stopped at a new place, copy its
   stack; report its time now and then. With the mutex, which is released for the copy.
   SLOT is the lookout's own. */
void sampling_wait_look(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, uint64_t now_ns);

/* Set the wall-clock fields of RECORD, of THREAD, up to NOW_NS. If the record cannot be
   put, the caller restores thread->wait. */
void sampling_wait_charge(struct sampling *sampling, struct thread *thread,
	struct snapshot *record, uint64_t now_ns);

/* Start at NOW_NS: time before that is not reported. */
void sampling_wait_rebase(struct sampling *sampling, uint64_t now_ns);

/* Report all that is not reported yet. False if the ring is full; call again. */
bool sampling_wait_flush(struct sampling *sampling, uint64_t now_ns);

#endif
