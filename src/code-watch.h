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

#include "src/proc-dir.h"
#include "src/region.h"
#include "src/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_range {
	uint64_t start, limit;
	unsigned calm; /* checks that it must still stay for to be trusted again */
};

/* Zeroed is none. */
struct code_watch {
	VEC(struct code_range) unsure;
	size_t n_old;			 /* of them: since the last check, or before */
	VEC(struct code_range) restless; /* where other code came lately */
	uint64_t faults; /* page faults of the process, at the last check */
	bool begun;	 /* by the first check: before it nothing is unsure */
	bool useless;	 /* this kernel does not tell */
	unsigned alarms; /* that maps did not confirm, one after the other */
};

void code_watch_finish(struct code_watch *watch);

/* The process has begun anew, by exec: nothing is unsure until the next check. */
void code_watch_forget(struct code_watch *watch);

/* A check begins: what was unsure at the last one is done with; what maps said since is
   news for these samples, too. */
void code_watch_begin(struct code_watch *watch, const struct proc_dir *dir);
void code_watch_end(struct code_watch *watch);

/* Is what is mapped now in one of REGIONS that were used lately not what TEXT, of maps,
   says? Regions grow idle by it. */
bool code_watch_differs(struct code_watch *watch, const struct proc_dir *dir,
	struct region *regions, size_t count, const char *text);

/* After code_watch_differs: did maps have news? Too many false alarms end the watch. */
void code_watch_learn(struct code_watch *watch, bool confirmed);

/* Region GONE was in the last maps and is not in this one. Only files count: a JIT
   compiler changes its memory all the time. */
void code_watch_lost(struct code_watch *watch, const struct region *gone);

/* May ADDRESS have been something else when the samples were taken that wait? */
bool code_watch_is_unsure(const struct code_watch *watch, uint64_t address);

#endif
