/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front: begins a screen anew that has given up its rights.
 *
 * Without rights a screen cannot start another session: with the children of its target, or
 * of a process that is chosen from the list after one was refused. So the process that was
 * called keeps its rights and reads nothing of anybody; each session is a child of it, which
 * says how it wants the next one to be, and ends. A child that has given up its rights is
 * not believed: the front samples the processes that were known before, and no others, and
 * asks the person at the terminal whether to follow children, who may be other users' if it is
 * root.
 *
 * The front ends as its child does. A child is killed with its front; the keeper
 * (ptrace/link/keeper.h) gives back the terminal then. Main thread.
 */
#ifndef CPROFTOP_FRONT_H
#define CPROFTOP_FRONT_H

#include "src/base/error.h"
#include "src/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	FRONT_STATE_MAX = 4096,
};

/* Of a child: how its session begins. */
struct front {
	pid_t pid; /* of the front itself */
	int fd;	   /* to it */
	bool is_first;
	bool children;		      /* are followed */
	pid_t pids[OPTIONS_PIDS_MAX]; /* those of them that still run */
	size_t n_pids;		      /* 0: none is chosen yet */
	struct error refusal; /* why the last choice was refused; "": it was not */
	/* What the session before has left, which had no rights: not to be believed. */
	char state[FRONT_STATE_MAX];
	size_t state_size;
};

/* Is there to be a front for the screen that OPTIONS ask for? If its rights are given up, and it
   may begin anew: not with a command that it launches, or a script. */
bool front_is_wanted(const struct options *options);

/* Returns in a child, for each session again; the process that called it does not return, but
   ends with the status of the last child. Before there is any other process or thread. NULL and
   ERR, in that process: no child can be made. */
struct front *front_begin(const struct options *options, struct error *err);

/* In the child; NULL: there is no front, and they do nothing. */

/* PID is what the person has chosen. Before rights are given up: later it is not heard. */
void front_tell_chosen(const struct front *front, pid_t pid);

/* When this process has ended, begin another session: with the list of processes, and WHY the
   one that was chosen was refused; or with the same processes, and their children or not. */
void front_ask_for_list(const struct front *front, const char *why);
void front_ask_again(
	const struct front *front, bool children, const void *state, size_t size);

#endif
