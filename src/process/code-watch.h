/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-watch: has the code at an address changed before its samples were named?
 *
 * maps is read once a second, and a sample is named a moment after it was taken. If a
 * program unloads one library and loads another at the same address in between, samples
 * of the first must not get names of the second. So before waiting samples are named,
 * each mapping in use is compared with what maps said (/proc/PID/map_files: 2 us each,
 * where reading all of maps takes a hundred). Only after a page fault of the process: other code
 * cannot run without one, and also the pages that a call fills in advance count
 * (mm_account_fault, mm/memory.c).
 *
 * If something else is mapped there, or nothing, maps is read again, and the range is
 * unsure for the samples that waited: they may belong to either library. Where that has
 * happened lately, a range is also unsure if the process had a page fault while samples
 * waited, because code that was unmapped and mapped again cannot run without a page
 * fault. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_CODE_WATCH_H
#define CPROFTOP_CODE_WATCH_H

#include "src/base/vec.h"
#include "src/process/proc-dir.h"
#include "src/process/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_WATCH_IDLE = 40, /* checks since a region was used last: a second */
};

struct code_range {
	uint64_t start, limit;
	uint64_t lost_ns;   /* when the check began that last saw it go */
	bool changes_hands; /* libraries went there twice within a moment */
};

/* A zeroed struct is empty and valid. */
struct code_watch {
	VEC(struct code_range) unsure;
	size_t n_old;			 /* of these, ranges from before the last check */
	VEC(struct code_range) restless; /* where other code was mapped lately */
	/* Page faults of the process before this check, before the last one, and before the last
	   that compared all. */
	uint64_t faults, faults_before, compared_faults;
	int stat_fd; /* of /proc/PID/stat */
	bool stat_is_open;
	bool is_crowded; /* so many threads that their faults are not counted without need */
	/* When this check and the last one began, monotonic. */
	uint64_t begun_ns, before_ns;
	uint64_t sample_ns; /* see code_watch_at */
	bool begun;	    /* the first check has begun; before that nothing is unsure */
	bool useless;	    /* the kernel does not let us look */
	unsigned alarms;    /* in a row that maps did not confirm */
};

void code_watch_finish(struct code_watch *watch);

/* The process has called exec: nothing is unsure until the next check. */
void code_watch_forget(struct code_watch *watch);

/* Begin a check, also when no sample waits. Ranges that were unsure for the last check are dropped; ranges that maps
   has shown to change since then are unsure for this one. The code is compared between
   begin and end, and the check is for samples taken before end. Page faults are counted
   from before one comparison until after the next one: other code that ran in between
   caused at least one. */
void code_watch_begin(struct code_watch *watch, const struct proc_dir *dir);
void code_watch_end(struct code_watch *watch, const struct proc_dir *dir);

/* Compare the REGIONS that were used lately with the maps TEXT. True if one differs. Each
   call increases the idle count of all regions. */
bool code_watch_differs(struct code_watch *watch, const struct proc_dir *dir,
	struct region *regions, size_t count, const char *text);

/* The same for one REGION that was idle for so long that the check left it out. True if
   it is unchanged; if not, it is unsure from now on. */
bool code_watch_holds(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *text);

/* After code_watch_differs: did maps CONFIRM that something changed? Too many false
   alarms end the watch. */
void code_watch_learn(struct code_watch *watch, bool confirmed);

/* Region GONE was in the previous reading of maps and is not in this one. Only files
   count: a JIT compiler changes its memory all the time. */
void code_watch_lost(struct code_watch *watch, const struct region *gone);

/* Region COME is in this reading of maps and was not in the previous one. If other code
   came and went there lately, it may have come after the waiting samples were taken. */
void code_watch_come(struct code_watch *watch, const struct region *come);

/* Has other code come to some place lately? Then one looks more often: the shorter the time
   between two checks, the more samples are certain. */
bool code_watch_is_restless(const struct code_watch *watch);

/* Is there such a place in this range? The first of all these, at most MOST, into OUT; how many. */
bool code_watch_was_restless(
	const struct code_watch *watch, uint64_t start, uint64_t limit);
uint32_t code_watch_places(const struct code_watch *watch, uint64_t *out, uint32_t most);

/* From now on, and until the next check, an address is that of a sample of SAMPLE_NS. If that
   was before the last check but one began, nothing is known of restless places. */
void code_watch_at(struct code_watch *watch, uint64_t sample_ns);

/* Do libraries come and go quickly in this range? */
bool code_watch_changes_hands(
	const struct code_watch *watch, uint64_t start, uint64_t limit);

/* May other code have been at ADDRESS when the waiting samples were taken? */
bool code_watch_is_unsure(const struct code_watch *watch, uint64_t address);

#endif
