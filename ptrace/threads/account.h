/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what a thread's time went to since it was last told, from its schedstat.
 *
 * The kernel says how long a thread ran (brought up to date when it leaves its CPU, and
 * at the scheduler's tick while it runs) and how long it waited for a CPU (when it gets
 * one). The rest of the time it was blocked. So what is told adds up to the time that
 * passed, and nothing is guessed from what single looks happened to see.
 *
 * Pure. Under the mutex of struct tracing.
 */
#ifndef CPROFTOP_PTRACE_ACCOUNT_H
#define CPROFTOP_PTRACE_ACCOUNT_H

#include "ptrace/threads/threads.h"

struct account_share {
	uint64_t passed_ns, cpu_ns, runq_ns;
	uint64_t blocked_ns; /* 0 for a thread in state R: its account may be a few
				milliseconds old, so that is told when it sleeps */
};

/* What passed from TOLD up to NOW_NS, when THREAD's account and state were as in
   thread->seen; and TOLD is brought up to there. A thread that has stood in state R for
   two ticks of the scheduler without running waits for a CPU, though the kernel will say
   so only later: it is not told again then. */
struct account_share account_settle(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns);

/* From here on: what was before is nobody's. */
void account_rebase(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns);

#endif
