/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subjects: the target processes, which are passed from one tracer to the next.
 *
 * Keeps what a new tracer needs to know about each process, and makes sure that each ring
 * gets its last record (SNAPSHOT_END), even if there is no tracer to put it. Private to
 * ptrace/link/tracer.c, which guards it with its mutex.
 */
#ifndef CPROFTOP_PTRACE_SUBJECTS_H
#define CPROFTOP_PTRACE_SUBJECTS_H

#include "ptrace/target.h"
#include "ptrace/tracer/control.h"
#include "src/base/vec.h"
#include "src/facts/ring.h"

#include <stdbool.h>
#include <sys/types.h>

struct subject {
	pid_t pid;
	struct ring *ring; /* identifies it */
	int fds[TRACER_FDS];
	pid_t memory_tid; /* as in struct target */
	bool is_forked;	  /* the same */
	bool was_added;	  /* a tracer has sampled it */
	bool is_answered;
	bool is_spare; /* a ring for a child that the tracer will find */
	bool must_end; /* no tracer will sample it any more, so we put its last record */
	int errnum;    /* of the answer */
};

/* A zeroed struct is empty and valid. */
struct subjects {
	VEC(struct subject) list;
};

void subjects_finish(struct subjects *subjects);

/* TARGET's descriptors and RING are borrowed until it is removed. */
void subjects_add(
	struct subjects *subjects, const struct target *target, struct ring *ring);
/* A spare RING is sent to the tracer at SOCKET (-1: there is none), and to the next ones, until the
   tracer says that a process is sampled into it: then it is that one's. False if RING was no spare. */
void subjects_add_spare(struct subjects *subjects, struct ring *ring, int socket);
bool subjects_take_birth(struct subjects *subjects, const struct tracer_message *message);
struct subject *subjects_find(struct subjects *subjects, const struct ring *ring);
void subjects_remove(struct subjects *subjects, const struct ring *ring);

/* Send SUBJECT to the tracer at SOCKET; or all subjects that go on, to a new tracer. Sets
   must_end for those that have ended meanwhile. */
void subject_send(const struct subject *subject, int socket);
void subjects_send(struct subjects *subjects, int socket);

/* Take a tracer's answer to that. */
void subjects_take_answer(
	struct subjects *subjects, const struct tracer_message *message);

/* Called when a tracer has died. */
void subjects_count_death(struct subjects *subjects);

/* The samples of all subjects, by whichever tracer: there are more if the last one worked. */
uint64_t subjects_samples(const struct subjects *subjects);

/* No other tracer will be forked: note that sampling was given up (meter.gave_up). */
void subjects_give_up(struct subjects *subjects);

/* Put the last records of subjects that must end, if their rings have room. True if there
   were any to put. */
bool subjects_put_ends(struct subjects *subjects);

/* The same for all subjects, as their rings get room; after each try WAKE, which may make room, is
   called. False if for PATIENCE_NS no ring got any: then nobody reads them any more. */
bool subjects_end(struct subjects *subjects, uint64_t patience_ns,
	void (*wake)(void *context), void *context);

#endif
