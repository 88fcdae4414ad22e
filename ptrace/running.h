/*
 * running: which threads are on a CPU at this instant, at most one for each CPU.
 *
 * State R in /proc means "running or waiting for a CPU", and a thread that waits stands
 * where it was preempted: often at the exit of a system call, where the scheduler takes
 * its decisions. To sample those would show such places too often. So of the target's
 * threads in state R on one CPU only the one that got on it last is taken (se.exec_start
 * in /proc/TID/sched); on our own CPU, the one that we preempted when the tick woke us,
 * and nobody if that was a stranger. On another CPU a stranger may be running; then the
 * thread that was taken stops late, having waited, and its stop is not counted as a
 * sample (stop.c).
 *
 * A tick so sees what ran at a random instant, whatever the load - unless it came late:
 * then we got the CPU because the thread on it gave way, and where it did is not random
 * either (measured: 70-100 % at the exit of a system call). Such a tick leaves the thread
 * on our CPU to the next one, unless it has waited long.
 *
 * Threads that sleep cost one read of schedstat, when it is their turn (rota.h): its
 * count of time slices grows whenever a thread gets a CPU, also when its CPU time is not
 * accounted yet (the kernel does that at its clock tick, 4 ms apart, or when the thread
 * leaves the CPU). One that waits for a CPU costs no more while that count stands still.
 * Sampler thread.
 */
#ifndef CPROFTOP_PTRACE_RUNNING_H
#define CPROFTOP_PTRACE_RUNNING_H

#include "ptrace/rota.h"
#include "ptrace/target.h"
#include "ptrace/tracees.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RUNNING_MAX = 64 /* CPUs looked at in one tick */
};

struct candidate {
	struct tracee *tracee;
	int cpu;
	bool is_here;		/* on our CPU: it cannot stop before we let go of it */
	bool is_new;		/* it has got a CPU since it was last looked at */
	uint64_t exec_start_ns; /* when it got on its CPU; 0: not read yet */
};

struct running {
	struct candidate candidates[RUNNING_MAX];
	size_t len;
	size_t cursor; /* where the next search begins, so that all get their turn */
	size_t found;  /* runnable, in this search */
	int our_cpu;
	int own_sched_fd; /* /proc/thread-self/sched */
	struct rota rota;
};

void running_init(struct running *running);
void running_finish(struct running *running);

struct search {
	uint64_t now_ns;
	uint64_t late_ns; /* how late the tick is */
	/* The CPU time a thread may use before a late tick takes it all the same. */
	uint64_t patience_ns;
	bool wall; /* those that sleep count, too */
	bool all;  /* look at every thread, not only at those whose turn it is */
};

/* Find them: candidates[0..len), the one on our CPU last. What was seen of a thread is in
   its `look`; those that were not looked at and those beyond LOOKS_MAX runnable ones keep
   what the search before saw. */
void running_find(struct running *running, struct tracees *tracees,
	const struct target *target, const struct search *search);

#endif
