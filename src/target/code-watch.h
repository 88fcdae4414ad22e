/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-watch: is the code that was mapped there still the same when it is named?
 *
 * maps is read once a second, a sample is named up to a moment after it was taken, and a
 * program that unloads one library and loads another gets it at the same address. Then a
 * sample of the one must not be named after the other. So before waiting samples are
 * named, what is behind the mappings in use is compared with what maps said
 * (/proc/PID/map_files: 2 us each, where all of maps takes a hundred). If something else
 * is there, or nothing, maps is read again; and for the samples that waited, the range is
 * unsure: they may be of the one or of the other. Where that has happened lately, a range
 * is also unsure if the process had a page fault while samples waited: code that was
 * mapped anew, and back again, cannot run without one. Analyst thread only.
 */
#ifndef CPROFTOP_CODE_WATCH_H
#define CPROFTOP_CODE_WATCH_H

#include "src/base/vec.h"
#include "src/target/proc-dir.h"
#include "src/target/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_WATCH_IDLE = 40, /* checks since a region was used last: a second */
};

struct code_range {
	uint64_t start, limit;
	unsigned calm;	    /* checks that it must still stay for to be trusted again */
	uint64_t lost;	    /* the number of the check that saw it go last */
	bool changes_hands; /* it did so twice within a moment */
};

/* Zeroed is none. */
struct code_watch {
	VEC(struct code_range) unsure;
	size_t n_old;			 /* of them: since the last check, or before */
	VEC(struct code_range) restless; /* where other code came lately */
	uint64_t faults;	/* page faults of the process, before the last check... */
	uint64_t faults_before; /* ...and before this one */
	uint64_t checks;	/* so far */
	bool begun;		/* by the first check: before it nothing is unsure */
	bool useless;		/* this kernel does not tell */
	unsigned alarms;	/* that maps did not confirm, one after the other */
};

void code_watch_finish(struct code_watch *watch);

/* The process has begun anew, by exec: nothing is unsure until the next check. */
void code_watch_forget(struct code_watch *watch);

/* A check begins: what was unsure at the last one is done with; what maps said since is
   news for these samples, too. Between begin and end the code is compared; samples from
   before end are those that it is for. Page faults are counted from before one
   comparison until after the next: other code that ran meanwhile had one. */
void code_watch_begin(struct code_watch *watch, const struct proc_dir *dir);
void code_watch_end(struct code_watch *watch, const struct proc_dir *dir);

/* Is what is mapped now in one of REGIONS that were used lately not what TEXT, of maps,
   says? Regions grow idle by it. */
bool code_watch_differs(struct code_watch *watch, const struct proc_dir *dir,
	struct region *regions, size_t count, const char *text);

/* The same for one REGION that was not used for so long that the check left it out: is it
   still what maps said? If not, it is unsure from now on. */
bool code_watch_holds(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *text);

/* After code_watch_differs: did maps have news? Too many false alarms end the watch. */
void code_watch_learn(struct code_watch *watch, bool confirmed);

/* Region GONE was in the last maps and is not in this one. Only files count: a JIT
   compiler changes its memory all the time. */
void code_watch_lost(struct code_watch *watch, const struct region *gone);

/* Region COME is in this maps and was not in the last. Where other code came and went
   lately, it may have come after the samples that wait. */
void code_watch_come(struct code_watch *watch, const struct region *come);

/* Do libraries come and go in these addresses in quick turn? */
bool code_watch_changes_hands(
	const struct code_watch *watch, uint64_t start, uint64_t limit);

/* May ADDRESS have been something else when the samples were taken that wait? */
bool code_watch_is_unsure(const struct code_watch *watch, uint64_t address);

#endif
