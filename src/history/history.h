/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history: what the analyst remembers: samples, stacks, threads, and the kernel's accounts
 * of them.
 *
 * Here it grows, record by record; src/history/retention.h says what is kept of it, and for
 * how long. Analyst thread only.
 */
#ifndef CPROFTOP_HISTORY_H
#define CPROFTOP_HISTORY_H

#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/history/accounts.h"
#include "src/history/limits.h"
#include "src/history/stacktab.h"
#include "src/history/window.h"
#include "src/model/callchain.h"
#include "src/model/naming.h"
#include "src/model/profile.h"
#include "src/model/renewal.h"
#include "src/model/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct history_thread {
	pid_t tid;
	uint32_t thread; /* in the profile: its newest name */
	bool alive;
	/* As its last record with a stack left it. */
	bool is_placed, has_slept;
	uint32_t place; /* the stack, in the table, without what it waits for */
	uint32_t slept; /* the last one that was blocked, with what it waited for */
};

struct history {
	struct profile *profile;
	struct naming *naming; /* of the profile, for reports */
	struct stacktab *stacktab;
	struct window samples;
	uint32_t process;    /* whose records come now; PROFILE_NONE: there is only one */
	uint64_t charged_ns; /* CPU time, by the newest mark */
	VEC(struct history_thread) threads;
	struct map thread_places; /* tid -> index in threads */
	struct accounts accounts;
	VEC(struct cpu_mark) marks;
	struct limits limits;
	uint64_t since_ns; /* see retention_forget; 0: never */
};

/* To keep samples up to MAX_AGE_NS, and MAX_BYTES each of samples, stacks and names; or
   KEEP_EVERYTHING, for a recording. */
void history_init(struct history *history, bool keep_everything, uint64_t max_age_ns,
	size_t max_bytes);
void history_finish(struct history *history);

/* The records that follow are of PROCESS (an id of the profile): their stacks begin with
   its frame. Not called if there is only one process. */
void history_process(struct history *history, uint32_t process);

/* Thread TID is called NAME (cleaned) from now on. */
void history_name_thread(struct history *history, pid_t tid, const char *name);
void history_thread_exit(struct history *history, pid_t tid);

/* Add a sample of TID. Its callchain, leaf first, is LOCATIONS and ended as END; a broken
   stack gets its synthetic root here. LOCATIONS must have room for two more. If the sample
   is THREAD_BLOCKED, its leaf is what the thread waits for (src/target/waiting.h). */
void history_add(struct history *history, pid_t tid, uint32_t *locations, size_t length,
	enum unwind_end end, const struct sample *sample);

/* TID waited RUNQ_NS for a CPU, up to TIME_NS: where it was last seen. */
void history_charge_runq(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t runq_ns);

/* TID ran for WALL_NS, up to TIME_NS, where it was last seen running: wall clock only. */
void history_charge_running(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t wall_ns);

/* TID was blocked for BLOCKED_NS, up to TIME_NS, where it was last seen blocked; COUNT
   looks found it so. */
void history_charge_blocked(struct history *history, pid_t tid, uint64_t time_ns,
	uint64_t blocked_ns, uint32_t count);

/* At TIME_NS the kernel had charged CPU_NS to all processes together. */
void history_mark(struct history *history, uint64_t time_ns, uint64_t cpu_ns);

/* Start a new stack table with only the stacks that samples and threads have. Their
   locations get other ids by RENAMED, (old id, 0) -> new id, or move to the new profile of
   RENEWAL; NULL: neither. Reports keep the old table. */
void history_move_stacks(
	struct history *history, const struct map *renamed, struct renewal *renewal);

/* Memory in bytes, roughly: samples, stacks, names. */
size_t history_memory(const struct history *history);

#endif
