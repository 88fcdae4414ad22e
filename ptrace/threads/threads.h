/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads: the threads of a target, and what is remembered of each.
 *
 * A thread is found by reading the task directory. It is attached to only for the moment
 * of a sample. Threads that are awake (ptrace/threads/rota.h) keep their files in /proc
 * open; so do others, as long as there are no more than eight thousand open files.
 *
 * The lookout adds and removes threads; samplers read and change them. The mutex of
 * struct tracing (ptrace/tracer/tracing.h) guards all of this.
 */
#ifndef CPROFTOP_PTRACE_THREADS_H
#define CPROFTOP_PTRACE_THREADS_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/base/vec.h"
#include "src/facts/snapshot.h"
#include "src/process/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a thread is awake after it used its CPU or was found. */
enum {
	AWAKE_MS = 500
};

/* Open files of /proc/PID/task/TID; -1: not open. Written by threads.c. */
struct thread_files {
	int schedstat, stat, sched, syscall;
};

/* The last look of the lookout. Written by look.c. */
struct thread_seen {
	uint64_t time_ns;
	struct task_account account;
	uint64_t changed_ns;  /* the last look at which its CPU time had grown */
	uint64_t runnable_ns; /* since when all looks found it in state R */
	char state;	      /* as in its stat; 0: never read */
	int cpu;
};

/* When to look at it. Written by rota.c. */
struct thread_rest {
	uint64_t looked_ns, cpu_ns, slices; /* time and account of the last look */
	uint64_t awake_until_ns;
	size_t awake_place; /* in threads.awake, counted from 1; 0: not in it */
	/* It is awake for the wall clock only: it got a CPU lately, but hardly used it. A
	   sampler that looks for the thread that it has preempted passes it by. */
	bool is_light;
	uint64_t weighed_ns, weighed_cpu_ns; /* when that was judged, and its CPU time */
	uint64_t heavy_ns;		     /* when it was found to work */
	unsigned pause,
		pause_left; /* rounds without a look at a light one that sleeps on */
};

/* How much of its account has been reported, and up to when. Written by account.c. */
struct thread_told {
	uint64_t time_ns, cpu_ns, delay_ns;
	int64_t blocked_ns; /* blocked and not reported yet; negative: too much was */
};

/* For wall clock. Written by waiting.c. */
struct thread_wait {
	struct thread_told told;
	uint64_t told_ns;   /* when the last record was made */
	bool is_placed;	    /* its stack was copied while it slept or was stopped; */
	char state;	    /* at that time: its state, */
	uint64_t slices;    /* its count of time slices, */
	uint64_t cpu_ns;    /* and its CPU time */
	uint32_t looks;	    /* looks that found it so, not reported yet */
	uint64_t looked_ns; /* the last look that found it so */
	/* What it waits for as reported; a lock, if its lock_length is not 0. */
	struct snapshot_call call;
};

/* For samples that the kernel took and that were found together. Written by perf-engine.c. */
struct thread_batch {
	unsigned samples; /* not handed over yet */
	bool is_read;
	struct task_account account;
};

/* For its samples. Written by the samplers. */
struct thread_sampled {
	bool is_claimed; /* a sampler or the lookout copies it: must not be removed */
	uint64_t cpu_ns; /* its CPU time at its last sample, or when it was found */
	/* its account when it was claimed last. Unlike cpu_ns it is from before the stop,
	   and of claims that gave no sample, too */
	struct task_account claimed;
	int claimed_on;		    /* the CPU, plus 1; 0: never */
	struct task_account looked; /* when a sampler last looked, */
	uint64_t ran_ns; /* the instant at which it was last found to have run, */
	uint64_t met_ns; /* and at which it was last looked at */
	/* Its account when its last stop had ended, and at what time that was. */
	struct task_account stopped;
	uint64_t stopped_ns;
	struct capture_habit habit;
	struct stack_bounds bounds; /* of the anonymous memory that its stack lies in */
	struct stack_bounds far;    /* a part of its stack that is far from the leaf */
	size_t own_place;	    /* in threads.own, counted from 1; 0: not in it */
	struct advice advice;	    /* new advice, followed from the next claim on */
	bool is_advised;	    /* there is new advice */
};

struct thread {
	pid_t tid;
	bool listed;	 /* it was in the task directory at the last listing */
	bool is_met;	 /* its stat was read, so name and state are known */
	bool introduced; /* the analyst knows of it */
	bool is_unread;	 /* its account was never read; its first value is the past */
	char name[SNAPSHOT_NAME_BYTES];
	struct thread_files files;
	uint64_t judged_cpu_ns; /* its CPU time at the last threads_judge */
	struct thread_seen seen;
	struct thread_rest rest;
	struct thread_told told; /* by the survey */
	struct thread_wait wait;
	struct thread_sampled sampled;
	struct thread_batch batch;
};

struct threads {
	struct thread **data; /* sorted by tid */
	size_t len, cap;
	VEC(struct thread *) awake; /* in no order */
	/* Those that use much of the CPU time: their samples weigh their own, those of the others
	   share what is left (ptrace/threads/pool.h). */
	VEC(struct thread *) own;
	uint64_t judged_ns,
		judged_cpu_ns; /* the time and the process clock at threads_judge */
	bool is_judged;	       /* it has judged once, and not begun only */
	size_t unmet;	       /* how many of all threads are not met yet */
	struct task_list list; /* of the last listing, kept for its memory */
	unsigned task_count;   /* task_count() at the last listing */
	unsigned files_open, files_most;
	uint64_t used_ns; /* CPU time that samplers have seen threads use */
};

void threads_init(struct threads *threads);
void threads_finish(struct threads *threads);

struct thread *threads_find(const struct threads *threads, pid_t tid);

/* Has the number of threads changed since the last listing? */
bool threads_changed(const struct threads *threads, const struct target *target);

/* Read the task directory into threads->list. False if no thread is left. Takes
   milliseconds with thousands of threads. Only the lookout uses the list, so this does
   not need the mutex. */
bool threads_list(struct threads *threads, const struct target *target);

/* Set `listed` of each thread by threads->list. */
void threads_mark_listed(struct threads *threads);

/* Add TID, which was listed and is not known, at NOW_NS. At the START of sampling its CPU
   time so far is not counted; later, all of its CPU time is counted. Nothing is read of
   it yet. */
struct thread *threads_add(
	struct threads *threads, pid_t tid, bool start, uint64_t now_ns);

/* Read for the first time what THREAD does. It rests if it was there at the start and
   sleeps; else it is awake. False if it has ended, or is a zombie. */
bool threads_meet(struct threads *threads, struct thread *thread,
	const struct target *target, uint64_t now_ns);

/* The same of one that has ended before: nothing is read. */
void threads_meet_late(struct threads *threads, struct thread *thread, const char *name);

/* Do not count what ACCOUNT, the account of THREAD, says so far. */
void thread_begin(struct thread *thread, const struct task_account *account);

/* A listing may be incomplete if a thread ends meanwhile: the entry of the thread itself is not. */
bool thread_has_ended(const struct thread *thread, const struct target *target);

/* A thread that has ended (is not listed) and is not claimed. NULL if there is none. */
struct thread *threads_ended(const struct threads *threads, const struct target *target);

void threads_remove(struct threads *threads, struct thread *thread);

/* Add THREAD to the awake threads, or remove it. */
void threads_wake(struct threads *threads, struct thread *thread);
void threads_rest(struct threads *threads, struct thread *thread);

/* Which threads count by themselves? CPU_NS is the process clock, and all accounts that may have
   changed were just read. True if there are more; the newest are the last ones. Twice a second. */
bool threads_judge(struct threads *threads, uint64_t cpu_ns, uint64_t now_ns);

/* Read through a file that is open already, or else is opened for this. Of a thread whose last
   account counts, by successor_read_account, which knows of exec. */
bool thread_read_account(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_account *account);
bool thread_read_stat(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_stat *stat);

/* See task_parse_exec_start; 0 if it cannot be read. */
uint64_t thread_read_exec_start(
	struct threads *threads, struct thread *thread, const struct target *target);

/* A descriptor of its /proc/TID/syscall; -1 if it cannot be opened. The caller closes it
   if *CLOSE. */
int thread_open_syscall(struct threads *threads, struct thread *thread,
	const struct target *target, bool *close);

/* Claim THREAD, until is_claimed is reset: meanwhile it is not removed, its habit and
   bounds do not change, and its files stay open. */
static inline void thread_claim(struct thread *thread)
{
	struct thread_sampled *sampled = &thread->sampled;
	sampled->is_claimed = true;
	if (!sampled->is_advised)
		return;
	sampled->is_advised = false;
	sampled->habit.root = sampled->advice.root;
	sampled->habit.reach = sampled->advice.reach;
	sampled->bounds = sampled->advice.bounds;
	sampled->far = sampled->advice.far;
}

/* A sampler has read ACCOUNT of THREAD. Has it used any CPU time since the last time? */
static inline bool thread_looked(struct threads *threads, struct thread *thread,
	const struct task_account *account)
{
	uint64_t then_ns = thread->sampled.looked.cpu_ns;
	threads->used_ns += account->cpu_ns > then_ns ? account->cpu_ns - then_ns : 0;
	thread->sampled.looked = *account;
	return account->cpu_ns != then_ns;
}

/* What THREAD was charged since its last sample, if ACCOUNT is its account now. If that
   is less than before, another thread has taken its number by exec, so all of it
   counts. */
static inline uint64_t thread_unsampled_ns(
	const struct thread *thread, const struct task_account *account)
{
	bool same = account->cpu_ns >= thread->sampled.cpu_ns;
	return same ? account->cpu_ns - thread->sampled.cpu_ns : account->cpu_ns;
}

#endif
