/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * successor: a thread that calls exec, and is not the first one of its process, gets the number
 * of that one, which ends as all others do (de_thread, fs/exec.c).
 *
 * What is remembered under a number is then of another thread: what has been reported of the
 * account, and how far it has been sampled. It is told by the account: no thread uses more CPU
 * time than passes, and none gives any back. The two threads change places in the books, so
 * that CPU time which was counted is not counted again; what the first one has used ends
 * with the number of the other.
 *
 * A first thread that rests may not have been looked at for long, so its account fits, too. Then
 * the one whose account is nearer is taken for it, if the process has no other thread.
 *
 * Pure, but for the last one. With the mutex of struct tracing.
 */
#ifndef CPROFTOP_PTRACE_SUCCESSOR_H
#define CPROFTOP_PTRACE_SUCCESSOR_H

#include "ptrace/threads/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* May ACCOUNT, read at NOW_NS, be that of THREAD? */
bool successor_fits(
	const struct thread *thread, const struct task_account *account, uint64_t now_ns);

/* Which of THREADS, but for FIRST, the account fits best; NULL: none. */
struct thread *successor_find(const struct threads *threads, const struct thread *first,
	const struct task_account *account, uint64_t now_ns);

/* FIRST goes on as OTHER did, and OTHER ends as FIRST did. */
void successor_exchange(struct thread *first, struct thread *other);

/* thread_read_account; if it shows that another thread has taken the number of THREAD, their books
   have changed places when this returns. */
bool successor_read_account(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_account *account);

#endif
