/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads: the threads of a target, and what is remembered of each.
 *
 * A thread is found by reading the task directory; nothing is attached to it but for the
 * moment of a sample. Of the many that may be there only those that are awake
 * (ptrace/threads/rota.h) keep files in /proc open.
 *
 * The lookout adds and removes threads; samplers read and change them while they hold the
 * mutex of struct tracing (ptrace/tracer/tracing.h), under which all of this is.
 */
#ifndef CPROFTOP_PTRACE_THREADS_H
#define CPROFTOP_PTRACE_THREADS_H

#include "ptrace/capture.h"
#include "ptrace/target.h"
#include "src/base/vec.h"
#include "src/model/snapshot.h"
#include "src/target/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread counts as awake that long after it used its CPU, or was found. */
enum {
	AWAKE_MS = 500
};

/* In /proc/PID/task/TID; -1: not open. threads.c */
struct thread_files {
	int schedstat, stat, sched, syscall;
};

/* As the lookout saw it last. lookout.c */
struct thread_seen {
	uint64_t time_ns;
	struct task_account account;
	uint64_t changed_ns;  /* when its CPU time was found to have grown, last, */
	uint64_t runnable_ns; /* and since when it was in state R at all looks */
	char state;	      /* as in its stat; 0: never read */
	int cpu;
};

/* Whose turn it is to be looked at. rota.c */
struct thread_rest {
	uint64_t looked_ns, cpu_ns, slices; /* at the last look, and its account then */
	uint64_t awake_until_ns;
	size_t awake_place; /* in threads.awake, counted from 1; 0: not in it */
};

/* What has been told of its account, and up to when. account.c */
struct thread_told {
	uint64_t time_ns, cpu_ns, delay_ns;
	int64_t blocked_ns; /* of that time: blocked, and not told yet; may be owed */
};

/* Wall clock. waiting.c */
struct thread_wait {
	struct thread_told told;
	uint64_t told_ns; /* when a record was made last */
	bool is_placed;	  /* its stack was copied as it slept or was stopped; then */
	char state;	  /* it was in this state, */
	uint64_t slices;  /* had got a CPU that often, */
	uint64_t cpu_ns;  /* and had used so much of it */
	uint32_t looks;	  /* that found it so, and are not told yet */
};

/* Its samples. sampler.c */
struct thread_sampled {
	bool is_claimed; /* a sampler is about to stop it: it must not be removed */
	uint64_t cpu_ns; /* its CPU time at its last sample, or when it was found */
	uint64_t claimed_cpu_ns,
		claimed_delay_ns; /* its account when it was claimed last */
	uint64_t looked_cpu_ns;	  /* when a sampler looked at it last */
	struct capture_habit habit;
	struct stack_bounds bounds; /* of its stack, if known to be anonymous memory */
	struct advice advice;	    /* is followed from the next claim on, */
	bool is_advised;	    /* if there is any */
};

struct thread {
	pid_t tid;
	bool listed;	 /* at the last look at the task directory */
	bool introduced; /* the analyst knows of it */
	bool is_unread;	 /* its account so far, which is its past */
	char name[SNAPSHOT_NAME_BYTES];
	struct thread_files files;
	struct thread_seen seen;
	struct thread_rest rest;
	struct thread_told told; /* for the survey */
	struct thread_wait wait;
	struct thread_sampled sampled;
};

struct threads {
	struct thread **data; /* sorted by tid */
	size_t len, cap;
	VEC(struct thread *) awake; /* those looked at in every tick; no order */
	struct task_list list;	    /* of the last look, kept for its memory */
	unsigned task_count;	    /* as task_count() gave it then */
	unsigned files_open, files_most;
};

void threads_init(struct threads *threads);
void threads_finish(struct threads *threads);

struct thread *threads_find(const struct threads *threads, pid_t tid);

/* Has the number of threads changed since the last listing? */
bool threads_changed(const struct threads *threads, const struct target *target);

/* Read the task directory into threads->list and mark who is listed. False: there is no
   thread any more. */
bool threads_list(struct threads *threads, const struct target *target);

/* TID is listed and not known: take it up, at NOW_NS. At the START its CPU time so far is
   its past, and if it sleeps it rests; later all of it is its own. NULL if it is gone. */
struct thread *threads_add(struct threads *threads, const struct target *target,
	pid_t tid, bool start, uint64_t now_ns);

/* THREAD has ACCOUNT, and what that says so far is its past. */
void thread_begin(struct thread *thread, const struct task_account *account);

/* One that has ended: not listed, and nobody claims it. NULL if there is none. */
struct thread *threads_ended(const struct threads *threads, const struct target *target);

void threads_remove(struct threads *threads, struct thread *thread);

/* Put it among those that are awake, or take it away. */
void threads_wake(struct threads *threads, struct thread *thread);
void threads_rest(struct threads *threads, struct thread *thread);

/* Read through a file that stays open while the thread is awake, else by its path. */
bool thread_read_account(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_account *account);
bool thread_read_stat(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_stat *stat);

/* See task_parse_exec_start; 0 if it cannot be read. */
uint64_t thread_read_exec_start(
	struct threads *threads, struct thread *thread, const struct target *target);

/* Its /proc/TID/syscall, to be closed by the caller if *CLOSE; -1 if it cannot be opened.
 */
int thread_open_syscall(struct threads *threads, struct thread *thread,
	const struct target *target, bool *close);

/* It is ours alone until is_claimed is taken back: what it is to be copied by does not
   change meanwhile, and its files stay open. */
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
}

/* What it was charged since its last sample, if ACCOUNT is its account now. Less than it
   had then means that another thread made an exec and took its number: all is new. */
static inline uint64_t thread_unsampled_ns(
	const struct thread *thread, const struct task_account *account)
{
	bool same = account->cpu_ns >= thread->sampled.cpu_ns;
	return same ? account->cpu_ns - thread->sampled.cpu_ns : account->cpu_ns;
}

#endif
