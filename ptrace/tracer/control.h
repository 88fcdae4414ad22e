/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control: what a session and its tracer share besides the rings: settings, and the
 * messages on the socket between them; and what one tracer leaves to the next.
 *
 * struct tracer_control lies in memory that main and its tracers share. The session
 * changes settings by overwriting them; the tracer reads them in every round, or at once
 * after a TRACER_LOOK. The socket is SOCK_SEQPACKET, one message a packet. The address of
 * a ring is a name for it that both sides know, because the tracer is a fork.
 */
#ifndef CPROFTOP_PTRACE_CONTROL_H
#define CPROFTOP_PTRACE_CONTROL_H

#include "ptrace/call/whole-call.h"
#include "ptrace/perf/perf-attr.h"
#include "ptrace/tracer/budget.h"
#include "ptrace/tracer/guard.h"
#include "src/base/error.h"
#include "src/facts/engine.h"
#include "src/facts/ring.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	TRACER_MAX_HZ = 10000
};

/* Settings that do not change. */
struct tracer_options {
	uint64_t seed; /* for the random instants */
	/* complete or restart calls that a stop cut short (whole-call.h, capture.h) */
	bool restart_syscalls;
	/* report the accounts and the waits of threads ten times a second: somebody wants
	   to know them soon (src/count/trigger) */
	bool accounts_soon;
	enum engine engine;	  /* not ENGINE_AUTO */
	struct perf_grant grant;  /* ENGINE_PERF */
	struct event event;	  /* the same: what is counted */
	enum unwind_by unwind_by; /* for the meter only */
	bool kernel_stacks; /* wall clock: also what sleepers have called in the kernel */
	struct budget_limits limits; /* on what it may cost */
	size_t stack_bytes;	     /* of all rings */
	struct tracer_calls *calls;  /* NULL: none are completed */
};

enum {
	TRACER_CALLS = 64, /* calls that can be completed at once: one for each sampler */
};

/* What a tracer leaves to the next one: if it dies, that one completes them (rescue.h). In
   memory that main and its tracers share. */
struct tracer_calls {
	struct whole_call calls[TRACER_CALLS];
	_Atomic bool is_taken[TRACER_CALLS];
};

/* Read by the functions below. */
struct tracer_control {
	_Atomic unsigned frequency_hz; /* 1 .. TRACER_MAX_HZ; 0 is a pause */
	_Atomic unsigned wall;	       /* not 0: sample wall clock */
	/* CPU time of children that were not sampled, as far as the session knows */
	_Atomic uint64_t unseen_ns;
	struct guarded_terminal terminal; /* of the last TRACER_TERMINAL */
};

unsigned tracer_control_hz(const struct tracer_control *control);
bool tracer_control_wall(const struct tracer_control *control);

enum tracer_message_kind {
	/* To the tracer. */
	TRACER_ADD,   /* with the descriptors of a struct target: /proc/PID, its task
			directory, its memory */
	TRACER_SPARE, /* a ring for a child of a target that the tracer will meet */
	TRACER_LOOK,  /* settings have changed */
	TRACER_HOLD,  /* take no sample until TRACER_GO; answered by TRACER_HELD */
	TRACER_GO,
	TRACER_TERMINAL, /* with its two descriptors: guard it (guard.h); without: do not */
	TRACER_PIPE,	 /* the same for a command's output, one descriptor */
	TRACER_STOP,	 /* stop sampling all processes, and end */
	/* From it. */
	TRACER_ADDED, /* errnum: 0, or why it failed */
	TRACER_BORN,  /* such a child is sampled into RING, which was a spare */
	TRACER_HELD,
	TRACER_WAKE, /* wake the analyst: a ring is half full, or has its last record */
};

enum {
	TRACER_FDS = 3
};

struct tracer_message {
	enum tracer_message_kind kind;
	pid_t pid;
	pid_t memory_tid;  /* TRACER_ADD: of struct target */
	struct ring *ring; /* TRACER_ADD, TRACER_ADDED */
	int errnum;
	bool is_again;	      /* TRACER_ADD: an earlier tracer has sampled it */
	bool is_forked;	      /* TRACER_ADD: of struct target */
	uint64_t start_ticks; /* TRACER_BORN: when it began */
};

/* Send MESSAGE with N_FDS descriptors. False, with errno, if the other side has ended. Never
   raises SIGPIPE. */
bool tracer_send(
	int socket, const struct tracer_message *message, const int *fds, size_t n_fds);

/* Take a message that has come. FDS without a descriptor are -1; the caller closes the
   others. False if there is no message; then *END says whether the other side has
   ended. */
bool tracer_receive(
	int socket, struct tracer_message *message, int fds[TRACER_FDS], bool *end);

#endif
