/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler-private: a sampler, as sampler.c, preempted.c, stop.c and handover.c know it.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_PRIVATE_H
#define CPROFTOP_PTRACE_SAMPLER_PRIVATE_H

#include "ptrace/deadman.h"
#include "ptrace/tracer/copier.h"
#include "ptrace/tracer/schedule.h"
#include "ptrace/tracer/tracing.h"

#include <semaphore.h>

enum {
	OUTSIDE = -1, /* the CPU of the outsider */
	SEAT_SAMPLERS = 8,
};

/* A CPU. Several samplers take turns on it: while one waits for its thread to get the CPU
   again, so that it can stop, the next one is there for the next instant. */
struct seat {
	int cpu;
	_Atomic bool cannot_sit;
	_Atomic uint64_t wanted_ns; /* a thread of a target was seen there last */
	/* With the mutex. */
	struct schedule schedule; /* of the instants, which are given out in order */
	uint64_t period_ns;	  /* 0: it has not begun */
	uint64_t shared_ns; /* when a thread was found last that had to wait for it */
	bool is_short;	    /* of samplers: an instant had nobody */
	struct sampler *samplers[SEAT_SAMPLERS];
	size_t n_samplers;
};

struct sampler {
	struct tracing *tracing;
	struct seat *seat;
	pthread_t thread;
	bool is_prompt;		  /* it has real-time priority */
	_Atomic bool is_replaced; /* it leaves as soon as it can */
	sem_t wake;
	uint64_t instant_ns, period_end_ns; /* that were given to it */
	uint64_t random;
	struct snapshot *slot; /* with room for a whole stack; its own */
	struct copier *copier;
	struct deadman deadman;
	int sched_fd; /* its own /proc/thread-self/sched */
	/* The stop at hand. */
	_Atomic uint64_t
		asked_ns; /* since when a stop is owed, or a call is made whole */
	_Atomic pid_t asked_tid;
	/* The thread runs, to the end of its call, which lies where another tracer finds
	   it; or it is to stop before that. CALL is NULL if all were taken. */
	_Atomic bool is_in_call, must_abandon;
	struct whole_call *call;
	_Atomic bool has_left; /* the thread of this sampler has ended */
};

/* sampler.c: was a thread of a target seen there lately? */
bool seat_is_wanted(const struct seat *seat, uint64_t now_ns);

/* sampler.c: the thread; ARGUMENT is the sampler. */
void *sampler_main(void *argument);

/* Whom the instant at INSTANT_NS found on our CPU. */
struct preempted {
	struct sampling *sampling;
	struct thread *thread; /* claimed; NULL: nobody of ours */
	struct task_stat stat;
	struct task_account account; /* as it was found */
	bool fell_asleep; /* it gave way by itself, just then: nothing is to be stopped */
	enum snapshot_place place;
};

/* preempted.c: to be called as soon as we have the CPU. With the mutex. */
struct preempted preempted_find(struct sampler *sampler, bool late);

/* preempted.c: of those on CPUs where nobody sits, the next in turn. With the mutex. */
struct preempted preempted_outside(struct sampler *sampler, int cpu);

/* stop.c */
enum stop_result {
	STOP_COPIED,
	STOP_GONE,	/* the thread has ended, or left before it could stop */
	STOP_REFUSED,	/* somebody else traces it */
	STOP_NO_MEMORY, /* its address space is gone: exec */
};

struct stop {
	struct thread *thread;
	struct sampling *sampling;
	bool spins;	   /* the thread is on another CPU */
	uint64_t began_ns; /* when it was kept from running, for the books */
	/* Out: */
	uint64_t stopped_ns; /* how long it stood */
	uint64_t waited_ns;  /* how long it had to wait for a CPU before it could stop */
	bool was_signalled, was_restarted, was_completed;
};

/* Attach, stop, copy registers and stack into sampler->slot, detach. Without the mutex.
 */
enum stop_result stop_thread(struct sampler *sampler, struct stop *stop);

/* handover.c: the sample in sampler->slot is done; unclaim. With the mutex. */
void handover_sample(struct sampler *sampler, const struct preempted *preempted,
	const struct stop *stop, enum stop_result result);

/* handover.c: the same of a thread that fell asleep, whose stack was copied as it slept,
   if COPIED. With the mutex. */
void handover_asleep(
	struct sampler *sampler, const struct preempted *preempted, bool copied);

#endif
