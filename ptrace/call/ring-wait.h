/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring-wait: has a wait for completions of an io_uring ended before its time?
 *
 * io_uring_enter says how much was submitted, and not whether what it was to wait for has
 * come. The ring's own counts say that: the kernel prints them in the fdinfo of the ring,
 * if no other thread uses the ring just then. A wait that a timer of the ring has ended
 * (IORING_OP_TIMEOUT, whose result is -ETIME) is over, however little has come: the same
 * wait made again would not be ended by that timer. One with a time limit of its own is not
 * made again either, unless that is a point in time: how much of it is left is not known.
 *
 * May be called while the thread is stopped; allocates nothing. The kernel prints a line
 * for each completion that is there, which takes some 0.3 us.
 */
#ifndef CPROFTOP_PTRACE_CALL_RING_WAIT_H
#define CPROFTOP_PTRACE_CALL_RING_WAIT_H

#include "src/arch/arch-call.h"

#include <stdbool.h>
#include <sys/types.h>

/* TID is leaving CALL, an io_uring_enter that waits and has not failed. True only if it is
   certain that it should have waited longer. MEMORY as for call_vector_begin. */
bool ring_wait_is_cut(pid_t tid, int memory, const struct arch_call *call);

/* --- the pure part ----------------------------------------------------------------- */

struct ring_text {
	bool has_counts;
	unsigned completions;
	bool has_timeout; /* some completion may be a timer's */
};

/* Read one more LINE of a fdinfo. */
void ring_text_add(struct ring_text *text, const char *line);

#endif
