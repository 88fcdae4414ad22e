/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler-private: what sampler.c, samplers.c, preempted.c, stop.c and handover.c share.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_PRIVATE_H
#define CPROFTOP_PTRACE_SAMPLER_PRIVATE_H

#include "ptrace/deadman.h"
#include "ptrace/threads/schedule.h"
#include "ptrace/tracer/copier.h"
#include "ptrace/tracer/tracing.h"

#include <semaphore.h>

enum {
	OUTSIDE = -1, /* the CPU of the outsider */
	SEAT_SAMPLERS = 8,
};

/* A CPU that is sampled. Several samplers take turns on it: while one waits until its
   thread gets a CPU and can stop, the next one is ready for the next instant. */
struct seat {
	int cpu;
	_Atomic bool cannot_sit;
	_Atomic uint64_t wanted_ns; /* when a thread of a target was last seen there, */
	_Atomic uint64_t outranked_ns; /* and one that samplers cannot preempt */
	/* Guarded by the mutex. */
	pid_t last_tid; /* the thread that was claimed here last */
	uint64_t
		cpu_ns; /* the process clock at the last search here, if there is one process */
	/* of the instants, which are given to the samplers in order */
	struct schedule schedule;
	uint64_t period_ns; /* 0: not started */
	uint64_t
		shared_ns; /* when a thread was last found that had waited for this CPU, or
			      came from another */
	bool is_short;	   /* an instant had no free sampler */
	uint64_t tried_ns; /* when samplers that could not be made were made last */
	struct sampler *samplers[SEAT_SAMPLERS];
	size_t n_samplers;
};

struct sampler {
	struct tracing *tracing;
	struct seat *seat;
	pthread_t thread;
	bool is_prompt;		  /* it has real-time priority */
	bool sits;		  /* it was bound to the CPU of its seat */
	_Atomic bool is_replaced; /* it must end as soon as it can */
	sem_t wake;
	uint64_t instant_ns, period_end_ns; /* the instant given to this sampler */
	uint64_t woke_ns;		    /* when it woke for it */
	uint64_t random;
	struct snapshot *slot; /* with room for a whole stack */
	struct copier *copier;
	struct stack_link link; /* of the process of the thread that it has claimed */
	struct recipe *recipe;	/* the same; RECIPE_NUMBER 0: none */
	uint32_t recipe_number;
	struct deadman deadman;
	int sched_fd;		  /* /proc/thread-self/sched of its thread */
	uint64_t exec_start_ns;	  /* its se.exec_start at this instant, 0: not known, */
	bool exec_start_is_read;  /* once it has been read */
	_Atomic bool has_claimed; /* from the claim until its sample is handed over */
	/* The current stop. */
	_Atomic uint64_t
		asked_ns; /* when the stop was asked for; 0: nothing is attached */
	_Atomic pid_t asked_tid;
	pid_t asked_pid; /* its leader, whose number it has after an exec */
	/* The target's thread runs to complete a call; it must abandon that. CALL is in
	   shared memory, for rescue.h; NULL if all were taken. */
	_Atomic bool is_in_call, must_abandon;
	struct whole_call *call;
	_Atomic bool has_left; /* the thread of this sampler has ended */
};

/* sampler.c: was a thread of a target seen on that CPU lately? */
bool seat_is_wanted(const struct seat *seat, uint64_t now_ns);

/* sampler.c: has the outsider to sample threads of that CPU: because nobody can sit there, or
   because one that was seen there lately has a real-time priority, which is at least that of
   samplers? */
bool seat_is_out_of_reach(const struct seat *seat, uint64_t now_ns);

/* sampler.c: the main function of the thread; ARGUMENT is the sampler. */
void *sampler_main(void *argument);

/* The thread that a sampler has preempted. */
struct preempted {
	struct sampling *sampling;
	struct thread *thread; /* claimed; NULL: no thread of a target */
	struct task_stat stat;
	struct task_account account; /* when it was found */
	bool fell_asleep; /* it went to sleep at that instant: do not stop it */
	bool is_alone;	  /* the process has no other thread */
	unsigned odds;	  /* one in so many of such threads was looked at; 0: as 1 */
	enum snapshot_place place;
};

/* preempted.c: called as soon as the sampler has the CPU. With the mutex. */
struct preempted preempted_find(struct sampler *sampler, bool late);

/* preempted.c: se.exec_start of the sampler itself, since preempted_find. */
uint64_t preempted_own_exec_start(struct sampler *sampler);

/* newborn.c: it has found nobody. Is the preempted thread a child of a target, that nobody knows yet?
   Then it is claimed, as by preempted_find. Without the mutex. */
void newborn_find(struct sampler *sampler, struct preempted *found);

/* preempted.c: the thread that runs on CPU, where no sampler can sit. With the mutex. */
struct preempted preempted_outside(struct sampler *sampler, int cpu);

/* stop.c */
enum stop_result {
	STOP_COPIED,
	STOP_GONE,	/* the thread has ended, or did not stop */
	STOP_REFUSED,	/* another tracer has it */
	STOP_NO_MEMORY, /* its address space is gone (exec) */
};

struct stop {
	struct thread *thread;
	struct sampling *sampling;
	bool spins;    /* the thread is on another CPU */
	bool is_alone; /* the process has no other thread */
	/* Out: */
	uint64_t stopped_ns; /* stop time */
	/* waits for a CPU before the stop, and completing a call; not in stopped_ns */
	uint64_t waited_ns;
	bool was_signalled, was_restarted, was_completed;
	bool by_call; /* its memory was read by calls, and may be that of the next program */
};

/* Attach to the thread, stop it, copy its registers and stack into sampler->slot, and
   detach. Called without the mutex. */
enum stop_result stop_thread(struct sampler *sampler, struct stop *stop);

/* handover.c: weigh the sample in sampler->slot, put it into the ring, and unclaim its
   thread. With the mutex. */
void handover_sample(struct sampler *sampler, const struct preempted *preempted,
	const struct stop *stop, enum stop_result result);

/* handover.c: the same for a thread that fell asleep; COPIED: sampler->slot has its
   stack. With the mutex. */
void handover_asleep(
	struct sampler *sampler, const struct preempted *preempted, bool copied);

#endif
