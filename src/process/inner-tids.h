/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inner-tids: the TIDs by which a process in a PID namespace of its own, as in a
 * container, knows its threads, and ours.
 *
 * What a program writes into its memory is the TID that it has for itself: the last number
 * of NSpid in /proc/TID/status (proc(5)). Without such a namespace both are the same.
 * Reads files in /proc; one thread at a time.
 */
#ifndef CPROFTOP_INNER_TIDS_H
#define CPROFTOP_INNER_TIDS_H

#include "src/base/idmap.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed it knows nothing yet. */
struct inner_tids {
	bool is_known, is_same; /* whether there is such a namespace */
	struct idmap outer;	/* (inner TID, 0) -> TID */
	uint64_t listed_ns;	/* when all threads were read last */
};

/* The thread of the process PROC_FD (an open /proc/PID) that calls itself INNER; 0 if it
   has none now. NOW_NS is monotonic. */
pid_t inner_tids_find(struct inner_tids *tids, int proc_fd, pid_t inner, uint64_t now_ns);

/* The reverse: what the thread TID of that process calls itself; 0: it has ended. */
pid_t inner_tids_of(struct inner_tids *tids, int proc_fd, pid_t tid);

void inner_tids_finish(struct inner_tids *tids);

#endif
