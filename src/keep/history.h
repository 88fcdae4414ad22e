/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history: what the analyst remembers: samples, stacks, threads, and the kernel's
 * accounts of them.
 *
 * These functions add to it, record by record; src/keep/retention.h limits what is
 * kept, and for how long. Analyst thread only.
 */
#ifndef CPROFTOP_HISTORY_H
#define CPROFTOP_HISTORY_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/callchain.h"
#include "src/facts/naming.h"
#include "src/facts/profile.h"
#include "src/facts/renewal.h"
#include "src/facts/snapshot.h"
#include "src/facts/text/time-mark.h"
#include "src/keep/accounts.h"
#include "src/keep/limits.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"
#include "src/keep/strain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct history_thread {
	pid_t tid;
	uint32_t process; /* in the profile, or PROFILE_NONE */
	char name
		[SNAPSHOT_NAME_BYTES]; /* the newest; raw, and NUL only if it is shorter */
	/* In the profile, under this name; PROFILE_NONE: nothing of it was counted yet, so that
	   the profile need not know it. See history_thread_id. */
	uint32_t thread;
	bool alive;
	/* From its last samples. */
	bool is_placed, has_slept;
	/* of the last sample: the stack, without the frame of what it waits for */
	uint32_t place;
	/* of the last blocked sample: the stack, with what it waited for */
	uint32_t slept;
	/* the same, when it last waited for a lock whose holder is known */
	bool has_contended;
	uint32_t contended;
};

struct history {
	struct profile *profile;
	struct naming *naming; /* the names that reports use */
	struct stacktab *stacktab;
	struct sample_log samples;
	/* whose records are added now; PROFILE_NONE: there is only one */
	uint32_t process;
	uint64_t charged_ns; /* the CPU time of the newest mark */
	VEC(struct history_thread) threads;
	struct idmap thread_places; /* tid -> index in threads */
	struct accounts accounts;
	VEC(struct cpu_mark) marks;
	struct strains strains;
	VEC(struct time_mark)
	time_marks; /* what a person or a trigger has named, by time */
	struct limits limits;
	uint64_t since_ns;  /* the time given to retention_forget; 0: not called */
	uint64_t renamings; /* how often locations of kept samples got other names */
};

/* KEEP_EVERYTHING is for a recording. Else samples are kept up to an age of MAX_AGE_NS,
   and at most MAX_BYTES each of samples, stacks and names. */
void history_init(struct history *history, bool keep_everything, uint64_t max_age_ns,
	size_t max_bytes);
void history_finish(struct history *history);

/* The records that follow are of PROCESS (an id of the profile): their stacks begin with
   its frame. Not called if there is only one process. */
void history_process(struct history *history, uint32_t process);

/* Process OLD is NOW from now on, after exec or under another title, with its threads. */
void history_rename_process(struct history *history, uint32_t old, uint32_t now);

/* Thread TID is called NAME from now on: raw, the first SNAPSHOT_NAME_BYTES at most. */
void history_name_thread(struct history *history, pid_t tid, const char *name);

/* THREAD's id in the profile, which knows it from now on: not of threads that nobody asked
   for and of which nothing is counted, since a target may start millions of them. */
uint32_t history_thread_id(struct history *history, struct history_thread *thread);

void history_thread_exit(struct history *history, pid_t tid);

/* Add a sample of TID with the callchain LOCATIONS, leaf first, which ended as END. This
   appends the synthetic root of a broken stack and the frame of the process, so LOCATIONS
   must have room for two more. If the sample is THREAD_BLOCKED, the leaf says what the
   thread waits for (src/process/waiting.h). */
void history_add(struct history *history, pid_t tid, uint32_t *locations, size_t length,
	enum unwind_end end, const struct sample *sample);

/* The last sample of SAMPLE's pool, which was one of TID, also stands for its CPU time. If that sample is
   forgotten already (a recording in parts), SAMPLE is added in its place, without a count. */
void history_add_pooled(struct history *history, pid_t tid, const struct sample *sample);

/* TID waited RUNQ_NS for a CPU until TIME_NS. The time is charged to the stack of its
   last sample. */
void history_charge_runq(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t runq_ns);

/* TID ran for WALL_NS until TIME_NS without a sample. Charged to the stack of its last
   sample; nothing is charged before the first one. Only if wall clock is sampled. */
void history_charge_running(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t wall_ns);

/* TID was blocked for BLOCKED_NS until TIME_NS, and COUNT looks found it blocked. Charged
   to the stack of its last blocked sample. */
void history_charge_blocked(struct history *history, pid_t tid, uint64_t time_ns,
	uint64_t blocked_ns, uint32_t count);

/* What TID was found to wait for at its last look is not what its last blocked sample says:
   from now on blocked time is charged to the same stack with LEAF below it. */
void history_change_wait(struct history *history, pid_t tid, uint32_t leaf);

/* The lock that TID waits for, by its last blocked sample or history_change_wait, is held. */
void history_contend(struct history *history, pid_t tid);

/* At TIME_NS the thread that TID was last said to wait for was seen to hold that lock. This
   weighs nothing; src/count/locks finds by it which samples of the holder are of the hold. */
void history_witness(struct history *history, pid_t tid, uint64_t time_ns);

/* At TIME_NS the kernel had charged CPU_NS to all processes together. */
void history_mark(struct history *history, uint64_t time_ns, uint64_t cpu_ns);

/* Keep MARK; of very many the oldest is forgotten. */
void history_add_time_mark(struct history *history, const struct time_mark *mark);

/* Start a new stack table with only the stacks that samples and threads use. Their
   locations get new ids by RENAMED, (old id, 0) -> new id, or move to the new profile of
   RENEWAL; both may be NULL. Reports keep the old table. */
void history_move_stacks(
	struct history *history, const struct idmap *renamed, struct renewal *renewal);

/* Memory of samples, stacks and names in bytes, roughly. */
size_t history_memory(const struct history *history);

#endif
