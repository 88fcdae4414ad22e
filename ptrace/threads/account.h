/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: where a thread's time went since the last record, by its schedstat.
 *
 * The kernel says how long a thread ran (updated when it leaves its CPU, and at the
 * scheduler's tick while it runs) and how long it waited for a CPU (updated when it gets
 * one). The rest of the time it was blocked. So the parts in the records add up to the
 * time that passed, and do not depend on what single looks happened to see.
 *
 * Pure. The caller holds the mutex of struct tracing.
 */
#ifndef CPROFTOP_PTRACE_ACCOUNT_H
#define CPROFTOP_PTRACE_ACCOUNT_H

#include "ptrace/threads/threads.h"

struct account_share {
	uint64_t passed_ns, cpu_ns, runq_ns;
	/* 0 for a thread in state R: its account may be some milliseconds old, so the
	   rest is reported when it sleeps */
	uint64_t blocked_ns;
};

/* How the time from TOLD to NOW_NS was used, when THREAD's account and state are as in
   thread->seen. TOLD is moved to NOW_NS. A thread that has been in state R for 8 ms
   without running is reported as waiting for a CPU, although the kernel accounts for that
   only later; then it is not reported twice. */
struct account_share account_settle(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns);

/* The same where nothing is told later: what is left of a thread in state R was a wait for a CPU since
   it was found to be in that state, and before it was blocked. */
struct account_share account_settle_last(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns);

/* The thread has slept until UNTIL_NS, which has passed, and its account says more by now: how
   long it was blocked. TOLD is moved to UNTIL_NS. */
uint64_t account_settle_slept(struct thread_told *told, uint64_t until_ns);

/* Start at NOW_NS: time before that is not reported. */
void account_rebase(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns);

#endif
