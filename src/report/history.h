/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history: what the analyst remembers: samples, stacks, threads, and the kernel's
 * accounts.
 *
 * Bounded: samples by age and bytes, their stacks by as many bytes again: when the table
 * has grown past its limit, a new one starts with only the stacks that samples have
 * (reports keep the old one as long as they need it), and if those alone are too many,
 * the oldest samples go. Threads that ended are forgotten. Names are bounded in the same
 * way, by a new profile (history_renew). Analyst thread only.
 */
#ifndef CPROFTOP_HISTORY_H
#define CPROFTOP_HISTORY_H

#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/model/callchain.h"
#include "src/model/profile.h"
#include "src/model/renewal.h"
#include "src/model/snapshot.h"
#include "src/report/accounts.h"
#include "src/report/report-build.h"
#include "src/report/stacktab.h"
#include "src/report/window.h"

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
	uint32_t stacktab_limit; /* nodes; then it is time to look which are live */
	uint32_t stacktab_most;	 /* nodes that max_bytes allow */
	struct window samples;
	uint32_t
		process; /* whose records are being taken; PROFILE_NONE: the only one's */
	uint64_t charged_ns; /* as the newest mark says */
	VEC(struct history_thread) threads;
	struct map thread_places; /* tid -> index in threads */
	struct accounts accounts;
	VEC(struct cpu_mark) marks;
	bool keep_everything;
	uint64_t max_age_ns;
	size_t names_most; /* bytes of names that max_bytes allow */
	size_t worn_bytes; /* of names; then it is time to look which are needed */
	/* If everything is kept. */
	size_t compact_at; /* samples: then those that are alike are merged */
	size_t full_bytes; /* of memory: then it is condensed, to so many... */
	size_t nodes_kept, threads_kept;
	bool is_condensed; /* and a renewal is to follow */
	uint64_t since_ns; /* see history_forget; 0: never */
};

/* MAX_BYTES of samples, of stacks and of names. With KEEP_EVERYTHING no bound holds:
   samples that are alike are merged instead, and what is left is condensed
   (src/report/condense.h) when it is 48 MB. */
void history_init(struct history *history, bool keep_everything, uint64_t max_age_ns,
	size_t max_bytes);
void history_finish(struct history *history);

/* What follows is of PROCESS (an id of the profile): its stacks begin with its frame. Not
   called if there is only one. */
void history_process(struct history *history, uint32_t process);

/* TID goes by NAME (cleaned) from now on. */
void history_name_thread(struct history *history, pid_t tid, const char *name);
void history_thread_exit(struct history *history, pid_t tid);

/* A sample of TID whose callchain, leaf first, is LOCATIONS and ended as END. A broken
   stack gets its synthetic root here. LOCATIONS has room for two more. If the sample is
   THREAD_BLOCKED its leaf is what it waits for (src/target/waiting.h). */
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

/* The kernel had charged CPU_NS at TIME_NS, to all processes together. */
void history_mark(struct history *history, uint64_t time_ns, uint64_t cpu_ns);

/* Replace locations in all stacks: (old id, 0) -> new id. Reports keep what they have. */
void history_rename(struct history *history, const struct map *renamed);

/* Keep within the bounds; call it often. */
void history_trim(struct history *history, uint64_t now_ns);

/* Forget what was before TIME_NS. What comes late and belongs there counts as of then, so
   that a report of all until TIME_NS and one of all since have each sample once. */
void history_forget(struct history *history, uint64_t time_ns);

/* Is there so much in the profile that what is needed of it should move to a new one? */
bool history_is_worn(const struct history *history);

/* Go on with the profile that RENEWAL leads to, whatever is still needed copied into it;
   the old one's ids mean nothing any more. If that alone is more than half of what is
   allowed, the older half of the samples goes and it is worn again at once. Reports made
   so far keep what they need. */
void history_renew(struct history *history, struct renewal *renewal);

/* Is it time to condense a recording? A renewal has to follow. */
bool history_is_full(const struct history *history);
void history_condense(struct history *history);

/* Forget all samples. Names and threads stay. */
void history_clear(struct history *history);

/* Memory in bytes, roughly: samples, stacks, names. */
size_t history_memory(const struct history *history);

#endif
