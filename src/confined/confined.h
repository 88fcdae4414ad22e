/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confined: a command that reads the target's files, or profiles, without rights (--confine).
 * Main thread.
 */
#ifndef CPROFTOP_CONFINED_H
#define CPROFTOP_CONFINED_H

#include "src/base/error.h"
#include "src/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	CONFINED_WHY_MAX = 192,
};

/* What is still needed of root. All is borrowed until the process ends. */
struct confined {
	const struct options *options;
	const pid_t *pids; /* to be sampled */
	size_t n_pids;
	bool children;	    /* theirs are, too */
	char *const *files; /* profiles to be read */
	size_t n_files;
	const char *outputs[2]; /* paths of files to be written; NULL: none */
	const char *intervals;	/* a folder for a recording's files; NULL: none */
	bool exports;		/* a screen may write files, in the current folder */
	pid_t front;		/* with which this process ends (front.h); 0: none */
	const char *socket;	/* to be removed at the end; NULL: none */
};

/* Is --confine not given, or can it be kept? False and ERR: what it does not go with. */
bool confined_check(const struct options *options, struct error *err);

/* Is this command to give up rights? It is if it is asked to, or if all that OPTIONS ask for works
   without; a screen (IS_SCREEN) of one who is not root keeps them, for what it would lose. KEPT: if it
   keeps them, and was not told to, why in a few words ("--perf-map needs them"); else "". Before
   there are other threads. */
bool confined_is_wanted(
	const struct options *options, bool is_screen, char kept[CONFINED_WHY_MAX]);

/* Say KEPT on standard error, if root runs this and there is something to say. */
void confined_tell(const struct options *options, const char *kept);

/* In one word or a few, for a program to read: "none", "root: --perf-map needs them". */
void confined_describe(bool is_confined, const char *kept, char out[CONFINED_WHY_MAX]);

/* CONTEXT is a struct confined: `give_up` in src/session/session.h. */
bool confined_give_up(void *context, pid_t launched, struct error *err);

/* The same before profiles are read, if that is wanted; *IS_CONFINED, if not NULL: it was done.
   Where it is not, a line says so. False and ERR: it was asked for and cannot be done. */
bool confined_for_files(struct confined *confined, bool *is_confined, struct error *err);

#endif
