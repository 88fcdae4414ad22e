/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session: one target or several, a sampler and an analyst, wired together and taken
 * apart in order.
 *
 * Main thread. Before anything else call session_block_signals, while there is only one
 * thread.
 */
#ifndef CPROFTOP_SESSION_H
#define CPROFTOP_SESSION_H

#include "ptrace/launch.h"
#include "ptrace/link/tracer.h"
#include "ptrace/target.h"
#include "src/analyst/analyst.h"
#include "src/analyst/source.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/model/meter.h"
#include "src/model/ring.h"
#include "src/names/debug-fetch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session_options {
	const pid_t *pids; /* attach to these, or... (borrowed until session_finish) */
	size_t n_pids;
	char *const *command; /* ...launch this one; NULL to attach */
	bool children;	      /* and attach to children as they come, and to theirs */
	int output_fd;	      /* of a launched command, -1: ours, */
	int output_read_fd;   /* and where that is read, if it is a pipe; -1 */
	bool silent;	      /* a launched command has no standard input */
	unsigned frequency_hz;
	size_t stack_bytes;
	struct budget_limits limits; /* of what it may cost */
	bool restart_syscalls;
	bool wall;	      /* sample wall clock */
	bool keep_everything; /* see analyst.h */
	bool lines_at_once;   /* the same */
	const char *debug_dirs;
	struct debug_fetch *fetch;   /* NULL: nothing is fetched; outlives the session */
	struct line_resolver *lines; /* NULL: no lines; outlives the session */
	/* Told of each of several processes that cannot be attached to, one line; NULL:
	   nobody. For children on a thread of its own. */
	void (*complain)(void *context, const char *text);
	void *complain_context;
};

/* One process; others borrow its parts, so it does not move. */
struct session_process {
	struct target target;
	struct ring *ring; /* of the session's pool; its meter is the process's */
	/* With children: */
	bool is_child;
	/* CPU time of the children it has waited for, since we look */
	uint64_t reaped_ns;
	uint64_t reaped_base_ns; /* the same, before that */
};

struct family;

struct session {
	struct session_options options;
	bool several; /* there may be more than one process */
	struct analyst *_Atomic analyst;
	struct tracer *tracer;
	struct ring_pool *rings;
	struct family *family;
	char *command; /* what several are called together; NULL */

	pthread_mutex_t mutex; /* of what follows, if there are several */
	VEC(struct session_process *) processes;
	struct meter gone; /* of those that have left */
	uint64_t gone_reaped_ns, gone_children_ns;
	bool is_reaped;	     /* the launched command */
	int launched_status; /* then; see waitpid(2) */
	struct meter total;
};

/* Block SIGCHLD in this thread and all it will create (see sampler.h), ignore SIGPIPE and
 * SIGXFSZ. */
void session_block_signals(void);

/* Attach (or launch) and sample. False and ERR if that is not possible; then nothing is
   left behind. SESSION must not move while it lives. */
bool session_start(struct session *session, const struct session_options *options,
	struct error *err);

/* The counters of all processes together, as they are now; valid until the next call.
   With children: of those that were waited for, the CPU time that is in no process's
   counters, because they ended before they were found, or used it before that; at least,
   for the kernel tells it a twentieth of a second late and in clock ticks. Of a command
   that was launched and has ended it is exact: what the kernel told us when we waited for
   it. Main thread. */
const struct meter *session_meter(struct session *session);

/* The first process, and what is looked at in words. */
const struct target *session_target(const struct session *session);
const char *session_command(const struct session *session);

/* Leave the target while this process is stopped (Ctrl-Z), and come back; see
   tracer_hold. */
void session_hold(struct session *session, bool held);

/* If we end without giving this terminal back, somebody who is left does. Released when it
   has been given back. */
void session_guard_terminal(
	struct session *session, const struct keeper_terminal *terminal);
void session_release_terminal(struct session *session);

/* Stop sampling; the target runs on. What was gathered stays. May be called twice. */
void session_stop_sampling(struct session *session);

/* Stop and free everything but the reports it gave. */
void session_finish(struct session *session);

/* The session as a screen sees it. Valid until session_finish. */
struct source session_source(struct session *session);

/* --- session-unseen.c: CPU time of children in no process's counters; for session.c,
   which holds the mutex --- */

/* What the processes of SESSION have waited for stays known when they are gone. */
void session_read_reaped(struct session *session);

/* Wait for a launched command that has ended: its status, and the CPU time of all below
   it, are known then. */
void session_reap(struct session *session);

uint64_t session_unseen_ns(struct session *session);

#endif
