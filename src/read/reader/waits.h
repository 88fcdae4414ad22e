/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits: what blocked threads of one process wait for, and who holds it.
 *
 * The location of a wait is "[futex held by worker-3]", with the detail "0x7f12a0 held by
 * 1234" (src/process/waiting.h), or "0x7f12a0 -> orders held by 1234", if src/process/mutex.h finds an owner that is a thread of
 * this process; else "[futex]" and "0x7f12a0". Of a lock on a file it is the process that
 * holds it: "[flock file held by cron]". The detail of a pipe or connection also says who is
 * at its other end, if /proc tells: "fd 5 -> pipe:[77] from nginx (4711)". Of a monitor of
 * Java's, by the functions that wait, it is who the virtual machine says (src/read/runtimes/hotspot/
 * hotspot-monitor.h), and the object is the monitor; so it is with an interpreter's lock. Analyst thread.
 *
 * What a holder did while others waited is of the hold only if it had the lock at that very
 * instant. A thread that was sampled had it if its words said so then; one that sleeps on, if
 * they ever said so while it slept, because only its holder gives a lock back. Each such
 * instant is told (FACT_WITNESS).
 */
#ifndef CPROFTOP_WAITS_H
#define CPROFTOP_WAITS_H

#include "src/base/vec.h"
#include "src/facts/snapshot.h"
#include "src/process/file-locks.h"
#include "src/process/inner-tids.h"
#include "src/process/mutex.h"
#include "src/read/reader/lock-names.h"
#include "src/read/reader/scripts.h"
#include "src/read/reader/sleepers.h"
#include "src/read/tell/teller.h"
#include "src/read/unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

struct waits {
	struct teller *teller; /* borrowed, as: */
	struct sleepers *sleepers;
	pid_t pid;
	int proc_fd;		       /* an open /proc/PID; borrowed */
	const struct scripts *scripts; /* knows of an interpreter's lock; borrowed */
	struct unwinder
		*unwinder; /* knows of Java's monitors; borrowed; NULL: nobody does */
	/* Threads that wait for locks on files, or of runtimes. Nobody tells when such
	   a lock changes hands, so it is looked up again with each of their records. */
	VEC(struct file_wait {
		pid_t tid;
		struct snapshot_call call;
		uint64_t monitor; /* 0: a file */
	})
	files;
	/* Threads that waited for a lock when last seen to wait for one with a holder: of it. */
	VEC(struct lock_wait {
		pid_t tid;
		pid_t holder;
		enum mutex_kind kind;
		struct snapshot_call call;
		bool is_over;	  /* it was seen since that nobody holds it */
		uint64_t from_ns; /* when HOLDER was seen to hold it, */
		uint64_t to_ns;	  /* first and last */
	})
	locks;
	struct address_space *space; /* borrowed; NULL: locks have no names */
	struct lock_names names;
	struct inner_tids tids;
	struct file_locks file_locks;
};

void waits_finish(struct waits *waits);

/* The location for what the thread of RECORD, which is blocked, waits for. LOCATIONS are
   those of its stack, leaf first. */
uint32_t waits_locate(struct waits *waits, const struct snapshot *record,
	const uint32_t *locations, size_t length);

/* The sample of RECORD was told: say so if the thread held a lock then that others
   wait for. */
void waits_witness(struct waits *waits, const struct snapshot *record);

/* Thread TID has ended. */
void waits_forget(struct waits *waits, pid_t tid);

/* Charge the blocked time of RECORD, and note if a lock is in other hands since then. */
void waits_charge(struct waits *waits, const struct snapshot *record);

#endif
