/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice: what the analyst tells the sampler about how long its stack copies must be.
 *
 * A copy of a stack must reach the stack's root, but nobody knows where the root is
 * before the stack has been unwound. Above the root lie the thread's own data, another
 * thread's stack or the strings of the environment. So:
 *
 * - The first copies of a thread are ADVICE_FIRST_BYTES long.
 * - When two samples of a thread in a row were unwound to the same root, the sampler is
 *   told where that was (struct stack_root). It copies no farther as long as the same
 *   word is found there.
 * - A thread whose stack is deeper than the copy gets longer copies, until the stack is
 *   complete or the copies have the greatest length allowed. When it has not needed them
 *   for a long time they become shorter again: a long copy for a stack that is not deep
 *   (Go's stacks lie in the middle of the heap) is wasted time.
 * - If even the longest copies are truncated, long copies are given up for a while.
 * - A stack may go on where no copy reaches, on another stack that the program has left for
 *   this one (sbcl), or above a large frame, which takes longer to copy than all else. Then that
 *   part, from the word on that the unwinder lacked, is copied as well in the same stop; and
 *   below it as far as to the large frame, found again by its word like a root.
 *
 * The advice travels through a queue like the ring, in the other direction: one writer
 * (the analyst), one reader (the sampler), no lock, and neither side waits. When the
 * queue is full, the advice is given with a later sample. The memory needed does not grow
 * with the number of threads.
 */
#ifndef CPROFTOP_ADVICE_H
#define CPROFTOP_ADVICE_H

#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/facts/stack-link.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a stack ends: the last word that the unwinder reads is WORD, a return address,
   just below the address TOP. TOP 0: not known. */
struct stack_root {
	uint64_t top, word;
};

struct advice {
	pid_t tid; /* 0: only LINK is told, which is of the whole process */
	struct stack_root root;
	/* bytes to copy while the root is not known; 0: ADVICE_FIRST_BYTES */
	size_t reach;
	struct stack_bounds bounds; /* the memory that the stack lies in */
	struct stack_bounds far;    /* to be copied besides; HIGH is 0: nothing */
	struct stack_link link;	    /* if tid is 0 */
};

enum {
	ADVICE_FIRST_BYTES = 64 * 1024
};

/* REACH in bytes, at most LIMIT, the greatest length of a copy. */
static inline size_t advice_bytes(size_t reach, size_t limit)
{
	size_t bytes = reach ? reach : ADVICE_FIRST_BYTES;
	return bytes < limit ? bytes : limit;
}

enum {
	ADVICE_WAITING = 64,	  /* entries in the queue */
	ADVICE_REMEMBERED = 1024, /* threads; those forgotten may be advised again */
};

/* What the writer (only) remembers of a thread. */
struct advice_student {
	pid_t tid;
	struct stack_root root; /* of its last sample */
	struct stack_bounds bounds, far;
	bool told, barred;
	size_t reach;
	unsigned calm, vain, rest;
	unsigned far_calm, far_vain;
};

/* Plain data, so that it can lie in shared memory. */
struct advice_queue {
	/* by tid; the writer's */
	struct advice_student students[ADVICE_REMEMBERED];
	struct stack_link link; /* as it was told last; the writer's */
	/* How often more was advised to be copied than before; the writer's. */
	size_t deepened;
	struct advice entries[ADVICE_WAITING];
	_Alignas(64) _Atomic size_t written;
	_Alignas(64) _Atomic size_t read;
};

void advice_init(struct advice_queue *queue);

/* Reader. False if no advice waits. */
bool advice_take(struct advice_queue *queue, struct advice *out);

/* Writer. RECORD was unwound to CHAIN: advise the sampler of the thread's root, if that
   is new, and of the length of its copies. If a copy ended too early because of an
   earlier advice, that advice is withdrawn, and the thread is given no root any more as
   long as it is remembered. STACK_BYTES is the greatest length of a copy. */
void advice_learn(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, size_t stack_bytes);

/* Writer. RECORD, which was unwound to CHAIN, may have to be copied in two parts. MEMORY is
   the anonymous memory that chain->lacked lies in; all 0 if that is not in such memory. To
   be called before advice_learn. */
void advice_far(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, const struct stack_bounds *memory,
	size_t stack_bytes);

/* Writer. A tracer has found TID as a new thread: forget what was advised for that
   number. */
void advice_forget(struct advice_queue *queue, pid_t tid);

/* Writer. The stack of TID's last sample lies in BOUNDS; all 0 if it is not in anonymous
   memory. The sampler is told if that is new. */
void advice_bounds(
	struct advice_queue *queue, pid_t tid, const struct stack_bounds *bounds);

/* Writer. How stacks of the process are found that threads have left, if they can be.
   Told if it is news. */
void advice_link(struct advice_queue *queue, const struct stack_link *link);

#endif
