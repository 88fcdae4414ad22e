/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait-name: from the innermost frame of a blocked stack to what was waited for.
 *
 * The frame says the call and the kind of object, and perhaps who held it: "[futex held by
 * worker-3]". Its detail, which is a label in a file, says which object and which thread:
 * "0x7f12a0 held by 1234", "fd 5 -> pipe:[77]". Pure; any thread.
 */
#ifndef CPROFTOP_WAIT_NAME_H
#define CPROFTOP_WAIT_NAME_H

#include "src/process/waiting.h"

#include <stdbool.h>
#include <sys/types.h>

enum wait_kind {
	WAIT_MUTEX,	/* a futex whose owner is known */
	WAIT_LOCK,	/* a lock, by the code that waits: nobody says who has it */
	WAIT_CONDITION, /* the same way: it waits for work, or for news, and for no lock */
	WAIT_FUTEX,
	WAIT_FILE_LOCK,
	WAIT_PIPE,
	WAIT_SOCKET,
	WAIT_EVENTS, /* epoll, io_uring */
	WAIT_OTHER,
};

extern const char *const wait_kind_names[]; /* "mutex", "futex"... by wait_kind */

struct wait_name {
	enum wait_kind kind;
	char call[WAITING_MAX];	  /* "futex", "read" */
	char object[WAITING_MAX]; /* "0x7f12a0", "pipe:[77]", "fd 7"; "": not known */
	pid_t holder;		  /* 0: not known */
	char holder_name[WAITING_MAX];
};

/* What code waits for in a futex, by NAME, a function on its stack: WAIT_LOCK, WAIT_CONDITION,
   or WAIT_FUTEX, which says nothing. Conditions are made use of by locks, too. */
enum wait_kind wait_kind_in(const char *name);

/* FUNCTION is the name of the frame, DETAIL may be "". False if that is no wait for an
   object: a thread that sleeps for a time, runs, or was stopped. */
bool wait_name_of(const char *function, const char *detail, struct wait_name *out);

#endif
