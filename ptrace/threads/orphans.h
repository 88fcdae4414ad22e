/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orphans: CPU time of threads that ended before they were sampled, lately.
 *
 * Of threads that live for less than a period, most end without a sample. Which of them
 * get one is chance: an instant meets a thread as often as it uses a CPU. So the first
 * sample of a new thread also stands for those that were missed since: it weighs their
 * CPU time, too. Without that, short-lived threads would have samples but hardly any
 * weight, since each sample weighs only what its own thread has used.
 *
 * CPU time that no sample has taken over within a second is left out: what runs later may
 * be something else. Pure.
 */
#ifndef CPROFTOP_PTRACE_ORPHANS_H
#define CPROFTOP_PTRACE_ORPHANS_H

#include <stdint.h>

/* A zeroed struct is empty and valid. */
struct orphans {
	uint64_t recent_ns, older_ns; /* CPU time */
	uint64_t since_ns;	      /* when recent_ns was begun */
};

/* A thread that used CPU_NS since its last sample has ended. */
void orphans_add(struct orphans *orphans, uint64_t cpu_ns, uint64_t now_ns);

/* Take all of it. */
uint64_t orphans_take(struct orphans *orphans, uint64_t now_ns);

#endif
