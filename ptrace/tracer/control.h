/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control: what a session and its tracer share besides the rings: wishes one way, what it
 * costs the other, and the messages of the socket between them.
 *
 * The struct lies in memory that is shared with all processes forked later. Wishes are
 * words that the newest value of replaces the one before; they are looked at in every
 * tick, or at once after a TRACER_LOOK. The socket is SOCK_SEQPACKET, a message a packet.
 * Pointers into shared memory mean the same on both sides, for the tracer is a fork.
 */
#ifndef CPROFTOP_PTRACE_CONTROL_H
#define CPROFTOP_PTRACE_CONTROL_H

#include "ptrace/call/whole-call.h"
#include "ptrace/tracer/budget.h"
#include "src/base/error.h"
#include "src/model/ring.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	TRACER_MAX_HZ = 10000
};

/* How a tracer is to work; does not change. */
struct tracer_options {
	uint64_t seed;		     /* of the random instants */
	bool restart_syscalls;	     /* make calls whole that a stop cut short, see
					whole-call.h and capture.h */
	struct budget_limits limits; /* of what it may cost */
	size_t stack_bytes;	     /* of all rings */
};

enum {
	TRACER_CALLS = 64, /* that can be made whole at once: one a sampler */
};

struct tracer_control {
	/* Wishes. */
	_Atomic unsigned frequency_hz; /* 1 .. TRACER_MAX_HZ; 0 is a pause */
	_Atomic bool wall;	       /* threads that wait count, too */
	_Atomic pid_t tracer_pid;      /* by the keeper; 0: there is none yet */
	/* The tracer's, for the next one, should it die. */
	struct whole_call calls[TRACER_CALLS];
	_Atomic bool call_is_taken[TRACER_CALLS];
};

enum tracer_message_kind {
	/* To the tracer. */
	TRACER_ADD,  /* with the descriptors of a struct target: /proc/PID, its task
			directory, its memory */
	TRACER_LOOK, /* wishes have changed */
	TRACER_HOLD, /* take no sample until TRACER_GO; answered by TRACER_HELD */
	TRACER_GO,
	TRACER_STOP, /* say goodbye to all, and end */
	/* From it. */
	TRACER_ADDED, /* errnum is 0, or why not */
	TRACER_HELD,
	TRACER_WAKE, /* look at the rings soon: one is half full, or one has ended */
};

enum {
	TRACER_FDS = 3
};

struct tracer_message {
	enum tracer_message_kind kind;
	pid_t pid;
	struct ring *ring; /* TRACER_ADD, TRACER_ADDED */
	int errnum;
	bool is_again; /* TRACER_ADD: another tracer has looked at it before */
};

/* Send MESSAGE; with FDS[TRACER_FDS] if it is a TRACER_ADD. False, with errno, if nobody
   is there. Never raises SIGPIPE. */
bool tracer_send(int socket, const struct tracer_message *message, const int *fds);

/* Take one that has come; FDS are -1 where there are none, else the caller's to close.
   False if there is none; *END if there will be none. */
bool tracer_receive(
	int socket, struct tracer_message *message, int fds[TRACER_FDS], bool *end);

#endif
