/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session: one target or several, with a tracer and an analyst: started and stopped in
 * the right order.
 *
 * Main thread. Call session_block_signals first, while there is only one thread.
 */
#ifndef CPROFTOP_SESSION_H
#define CPROFTOP_SESSION_H

#include "ptrace/launch.h"
#include "ptrace/link/tracer.h"
#include "ptrace/target.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/count/source.h"
#include "src/count/summary.h"
#include "src/facts/engine.h"
#include "src/facts/meter.h"
#include "src/facts/ring.h"
#include "src/process/list/offspring.h"
#include "src/read/debuginfod/debug-fetch.h"
#include "src/run/analyst/analyst.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/utsname.h>

struct session_options {
	const pid_t *pids; /* attach to these; borrowed until session_finish */
	size_t n_pids;
	char *const *command; /* or launch this; NULL: attach */
	bool children;	      /* attach to new descendants of the targets, too */
	int output_fd;	      /* of a launched command; -1: our own */
	int output_read_fd;   /* the reading end, if output_fd is a pipe; else -1 */
	bool silent;	      /* a launched command gets no standard input */
	unsigned frequency_hz;
	size_t stack_bytes;
	uint64_t file_bytes;	     /* see struct analyst_options */
	struct budget_limits limits; /* what sampling may cost */
	enum engine engine;	     /* ENGINE_AUTO is decided by session_start */
	struct event event;	     /* what is counted, by ENGINE_PERF */
	bool restart_syscalls;
	bool accounts_soon;   /* see ptrace/tracer/control.h */
	bool kernel_stacks;   /* the same */
	bool wall;	      /* sample wall clock */
	bool start_paused;    /* sample nothing until session_pause(false) */
	bool keep_everything; /* see analyst.h */
	bool lines_at_once;   /* the same */
	const char *debug_dirs;
	enum native_frames native; /* see analyst.h */
	bool source_maps;	   /* the same */
	enum unwind_by unwind_by;
	struct debug_fetch *fetch; /* borrowed; NULL: none are fetched */
	bool lines;		   /* see analyst.h */
	bool code;		   /* the same */
	/* Called with a line of text for each of several processes that cannot be
	   attached to; may be NULL. For children it is called on the family's thread. */
	void (*complain)(void *context, const char *text);
	void *complain_context;
};

/* One process; others borrow its parts, so it does not move. */
struct session_process {
	struct target target;
	struct ring *ring; /* from the session's pool; has the meter of this process */
	/* With children: */
	bool is_child;
	pid_t parent; /* of a child */
	/* CPU time of the children it has waited for, since it was attached to */
	uint64_t reaped_ns;
	uint64_t reaped_base_ns; /* the same before that */
	uint64_t read_ns;	 /* when that was last read, monotonic */
};

struct session_birth {
	struct ring *ring;
	pid_t pid;
	uint64_t start_ticks;
};

struct family;

struct session {
	struct session_options options;
	struct perf_grant grant; /* ENGINE_PERF */
	bool several;		 /* there may be more than one process */
	struct analyst *_Atomic analyst;
	struct tracer *tracer;
	struct ring_pool *rings;
	struct family *family;
	bool children_told; /* no child can be traced, and why was said; family's thread */
	uint64_t
		command_read_ns; /* when the command of the first process was; 0: at the start */
	char *command; /* a name for several processes together; NULL if there is one */
	struct utsname machine; /* that it runs on */

	/* Children that the tracer has met, and that are not in the list yet. Guarded by a mutex of
	   its own, because the other one is held while the tracer's answer is waited for. */
	pthread_mutex_t births_mutex;
	VEC(struct session_birth) births;
	struct family *woken; /* family, from its start to its end */
	size_t spares; /* rings that the tracer has for such; guarded by the other mutex */

	pthread_mutex_t mutex; /* guards what follows, if there are several */
	VEC(struct session_process *) processes;
	struct meter gone; /* the sum of the processes that were removed */
	uint64_t gone_reaped_ns, gone_children_ns;
	struct offspring offspring; /* of the first process; main thread */
	uint64_t offspring_base_ns; /* its CPU time when sampling began */
	bool is_reaped;		    /* the launched command was waited for */
	int launched_status;	    /* its status then; see waitpid(2) */
	bool is_ended;		    /* it was asked to end: session_end_command */
	int launch_errnum; /* why it could not be run; 0: it was, or was not tried */
	struct meter total;
};

/* Block SIGCHLD in this thread and all threads and processes that it will create. */
void session_block_signals(void);

/* Attach (or launch) and sample. False and ERR if that is not possible; then nothing is
   left behind. SESSION must not move while it lives. */
bool session_start(struct session *session, const struct session_options *options,
	struct error *err);

/* The sum of the counters of all processes, as they are now; valid until the next call.
   With children, children_unseen_ns is the CPU time of children which they used before
   they were found, or without being found. It is a lower limit while processes run,
   because it is read twenty times a second and in clock ticks. It is exact for a launched
   command that has ended: then it comes from wait4(2). Main thread. */
const struct meter *session_meter(struct session *session);

/* What the children of the first process do, whether they are sampled or not; read again at
   most once a second. Main thread. */
const struct offspring *session_offspring(struct session *session);

/* The CPU time that they used since sampling began; of a launched command that has ended, all
   that it waited for. Main thread. */
uint64_t session_offspring_ns(struct session *session);

/* Why a recording of SESSION, which METER and SUMMARY are of, has no samples, and what to do, in one
   line; false if it has some. WITHIN and THREADS: what its
   stacks and its threads had to match, or NULL. Sampling has
   ended. Main thread. */
bool session_explain_nothing(struct session *session, const struct meter *meter,
	const struct summary *summary, const char *focus, const char *threads, char *out,
	size_t size);

/* The first process; and the name of all targets together. */
const struct target *session_target(const struct session *session);
const char *session_command(const struct session *session);
const char *session_host(const struct session *session); /* of the machine */

/* HELD: let go of the target before this process is stopped (Ctrl-Z); else sample again.
   See tracer_hold. */
void session_hold(struct session *session, bool held);

/* PAUSED: sample nothing, and count no CPU time; else sample again. */
void session_pause(struct session *session, bool paused);

/* From now on the tracer restores TERMINAL if this process ends without doing so.
   session_release_terminal ends that. */
void session_guard_terminal(
	struct session *session, const struct guarded_terminal *terminal);
void session_release_terminal(struct session *session);

/* The output of a launched command is read by this process, also when sampling has ended; else
   the tracer goes on reading it. */
void session_keep_output(struct session *session);

/* Stop sampling; the target runs on. Samples taken so far stay. May be called twice. */
void session_stop_sampling(struct session *session);

/* Stop sampling and free everything except reports that were taken. */
void session_finish(struct session *session);

/* The launched command, if there is one and it runs on, is not to do so: it gets SIGTERM. After
   session_stop_sampling. */
void session_end_command(struct session *session);

/* How the launched command has ended, as a shell says it: its exit status, or 128 and the
   signal that killed it. 0 if it runs on, was ended by us, or there is none. After
   session_stop_sampling. */
int session_launched_exit(struct session *session);

/* The session as a screen sees it. Valid until session_finish. */
struct source session_source(struct session *session);

/* --- session-births.c: children that the tracer has met; for session.c --- */

/* Give the tracer spare rings; the caller holds the mutex. */
void session_give_spares(struct session *session);

/* Take those that it has met into the list; as a callback of the family. */
void session_welcome(void *session);

/* Has the tracer met PID? */
bool session_has_met(struct session *session, pid_t pid);

/* From now on FAMILY is woken when it has met one; NULL: nobody. */
void session_wakes(struct session *session, struct family *family);

/* --- session-unseen.c: CPU time of children in no process's counters; for session.c,
   which holds the mutex --- */

/* Read how much CPU time the waited-for children of each process had. Called often,
   because it is lost when the process ends. */
void session_read_reaped(struct session *session);

/* A PROCESS is attached to: from now on its children's time counts. */
void session_expect_reaped(struct session_process *process, bool is_child);

/* Should CHILD, which has ended, stay in the list until its parent was looked at? */
bool session_awaits_parent(
	const struct session *session, const struct session_process *child);

/* PROCESS is removed from the list. */
void session_keep_reaped(struct session *session, const struct session_process *process);

/* If the launched command has ended, wait for it, which tells its status and the CPU time
   of all processes below it. */
void session_reap(struct session *session);

/* What no meter knows; and without what samples have adopted of it. The caller holds the mutex. */
uint64_t session_unsampled_ns(struct session *session);
uint64_t session_unseen_ns(struct session *session);

#endif
