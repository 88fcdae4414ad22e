/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rota: which threads to look at in a round. A look costs a system call for each thread,
 * and of hundreds of threads most sleep most of the time.
 *
 * A thread that uses its CPU, or did so in the last half second, is awake: it is looked
 * at in every round. The other threads rest: each round looks at the next few of them, a
 * sixteenth, but at most 16, and only 4 if there are more than 512. A resting thread that
 * begins to work is not missed: the CPU clock of the process is compared with the
 * accounts of its threads. CPU time that they do not explain was used by resting threads,
 * and if there is enough of it, all threads are searched, at most 256 in each round. The
 * clock grows when the kernel accounts for a thread: when the thread leaves its CPU, and
 * at the scheduler's tick.
 *
 * With thousands of threads, sampling begins with such a search among the threads of
 * which nothing but their number is known (threads.unmet). It ends as soon as the running
 * threads that it has found explain the clock.
 *
 * So the first few milliseconds of a thread, after half a second in which it used less
 * than a thousandth of a CPU, are sampled less often. Its weight is right all the same,
 * because a sample weighs everything that its thread was charged since the last one.
 *
 * For wall clock (by_slices) it also matters when a thread wakes only to sleep elsewhere:
 * then every thread that got a CPU at all is awake, and only threads that slept on rest.
 * Those that would rest for CPU time are light: passed by at an instant, and while one of them
 * sleeps on, it is looked at after 1, 2 and then each 4 rounds.
 *
 * Pure: accounts and clocks are passed in. Lookout.
 */
#ifndef CPROFTOP_PTRACE_ROTA_H
#define CPROFTOP_PTRACE_ROTA_H

#include "ptrace/threads/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rota {
	size_t cursor;		/* index of the next resting thread */
	uint64_t clock_ns;	/* the process clock when last read; 0: not known */
	bool is_new;		/* the clock was not known before this round */
	uint64_t passed_ns;	/* of it: since the first search was judged last */
	bool was_read;		/* it was read in this round, and known before */
	int64_t unexplained_ns; /* the part of it that no thread's account explains */
	size_t search;	   /* threads that the current search has not looked at yet */
	bool search_ends;  /* in this round */
	bool is_beginning; /* it is the search among unmet threads */
	bool by_slices;	   /* a thread that got a CPU, however briefly, is awake */
	size_t few;	   /* with no more threads than this, none rests */
};

/* Call at the beginning of a round. CPU_NS is the process clock; 0 if no thread rests,
   because it is not needed then. With thousands of threads that clock is slow to read, so
   the call may be left out in most rounds. */
void rota_begin(struct rota *rota, uint64_t cpu_ns);

/* Look at THREAD, which is awake, in this round? Call once a round. */
bool rota_is_due(struct thread *thread);

/* THREAD was looked at, at NOW_NS; thread->seen has its account. */
void rota_looked(struct rota *rota, struct threads *threads, struct thread *thread,
	uint64_t now_ns);

/* THREAD sleeps, but something about it may change meanwhile: look at it in every round, as
   if it were awake; unless very many threads are. */
void rota_watch(struct threads *threads, struct thread *thread, uint64_t now_ns);

/* Begin to search the threads that were never met. */
void rota_search_unmet(struct rota *rota, const struct threads *threads);

/* Call when all awake threads have been looked at: how many resting threads to look at
   now. rota_next gives each. */
size_t rota_due(struct rota *rota, const struct threads *threads);

/* Have resting threads used so little CPU time that searching them is not worthwhile? */
bool rota_is_explained(const struct rota *rota, const struct threads *threads);

/* The next resting thread that was not looked at in the round of NOW_NS; NULL if all
   were. */
struct thread *rota_next(
	struct rota *rota, const struct threads *threads, uint64_t now_ns);

/* Call when all threads have been looked at: unexplained time was used by threads that
   have ended. */
void rota_complete(struct rota *rota);

/* Call at the end of a round: threads that have not used their CPU for long begin to
   rest. */
void rota_end(struct rota *rota, struct threads *threads, uint64_t now_ns);

#endif
