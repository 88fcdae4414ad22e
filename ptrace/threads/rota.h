/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rota: whom to look at in a tick. To look costs a system call for each thread, and in a
 * process of hundreds most sleep most of the time.
 *
 * A thread that uses its CPU, or did so in the last half second, is awake: it is looked
 * at in every tick. Of those that rest, every tick takes the next few in turn, a
 * sixteenth of them but at most 16. So that none can work unseen while it counts as
 * resting, the clock of the process is held against what is known of its threads: what
 * cannot be explained was used by threads that rest, and if it is worth the search, all
 * are looked at. The clock shows CPU time when the kernel accounts for it: as the thread
 * leaves its CPU, and at the kernel's own clock tick.
 *
 * So what is seen less often than the rest is a thread's first few milliseconds after
 * half a second in which it used less than a thousandth of a CPU. Its weight is not: a
 * sample weighs all that its thread was charged since the one before.
 *
 * For the wall clock (by_slices) it matters also where a thread sleeps that wakes only to
 * sleep elsewhere: there whoever got a CPU is awake, and only those rest that slept on.
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
	size_t cursor;		/* of the threads that rest, the next */
	uint64_t clock_ns;	/* of the process, when last read; 0: not known */
	bool is_new;		/* the clock was not known before this tick */
	int64_t unexplained_ns; /* of it: seen in no thread */
	bool by_slices;		/* who got a CPU at all is awake, however briefly */
	size_t few;		/* of so few threads, none rests */
};

/* A tick begins: the process has used CPU_NS; 0 if no thread rests, for then it does not
   matter. Where that clock is dear to read, as with thousands of threads, it may be left
   out in most ticks. */
void rota_begin(struct rota *rota, uint64_t cpu_ns);

/* At NOW_NS, TRACEE has the account that is in it. */
void rota_looked(struct rota *rota, struct threads *threads, struct thread *thread,
	uint64_t now_ns);

/* Those that are awake have been looked at: how many of those that rest are to be, now.
   Ask rota_next for each. */
size_t rota_due(const struct rota *rota, const struct threads *threads);

/* The next that rests and was not looked at in the tick of NOW_NS; NULL if all were. */
struct thread *rota_next(
	struct rota *rota, const struct threads *threads, uint64_t now_ns);

/* All have been looked at: what is still unexplained was used by threads that are gone.
 */
void rota_complete(struct rota *rota);

/* At the end of a tick: send those to rest that have not used their CPU for long. */
void rota_end(struct rota *rota, struct threads *threads, uint64_t now_ns);

#endif
