/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice: what the analyst has found out about how long the sampler's copies must be.
 *
 * A copy of a stack must reach its root, but where that is nobody knows before the stack
 * is unwound; above it come the thread's own data, another thread's stack, the strings of
 * the environment. So the first copies of a thread go as far as they may. When two of
 * them in a row were unwound to the same root, the sampler is told where it was
 * (struct stack_root), and copies no farther while the same word stands there. A thread
 * whose stack is deeper than the copy gets longer copies, until it is whole or they are
 * as long as they may be, and shorter ones again when it has long not needed them: a long
 * copy of what is not a deep stack (Go's lie in the middle of the heap) is wasted time.
 * If the longest do not help either, they are given up for a while.
 *
 * A queue like the ring, the other way: one writer (the analyst), one reader (the
 * sampler), no lock, neither waits. When it is full, the advice is given with a later
 * sample. The memory does not grow with the number of threads.
 */
#ifndef CPROFTOP_ADVICE_H
#define CPROFTOP_ADVICE_H

#include "src/model/callchain.h"
#include "src/model/snapshot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The end of what a walk reads: WORD, a return address, is what it reads last, just below
   the address TOP. TOP 0: not known. */
struct stack_root {
	uint64_t top, word;
};

/* [low, high) is anonymous memory, of no file: to read it is quick, whatever the target
   does. high 0: not known. */
struct stack_bounds {
	uint64_t low, high;
};

struct advice {
	pid_t tid;
	struct stack_root root;
	size_t reach; /* copy so many bytes if the root is not known; 0: as at first */
	struct stack_bounds bounds; /* of the stack */
};

enum {
	ADVICE_FIRST_BYTES = 64 * 1024
};

/* The same in bytes, where LIMIT is the most that a copy may be. */
static inline size_t advice_bytes(size_t reach, size_t limit)
{
	size_t bytes = reach ? reach : ADVICE_FIRST_BYTES;
	return bytes < limit ? bytes : limit;
}

enum {
	ADVICE_WAITING = 64, /* advices */
	ADVICE_REMEMBERED =
		1024, /* threads; one that is forgotten may be told once more */
};

/* What the writer knows of a thread; its own. */
struct advice_student {
	pid_t tid;
	struct stack_root root; /* of its last sample */
	struct stack_bounds bounds;
	bool told, barred;
	size_t reach;
	unsigned calm, vain, rest;
};

/* Plain data, so that it can lie in shared memory. */
struct advice_queue {
	struct advice_student students[ADVICE_REMEMBERED]; /* by number; the writer's */
	struct advice entries[ADVICE_WAITING];
	_Alignas(64) _Atomic size_t written;
	_Alignas(64) _Atomic size_t read;
};

void advice_init(struct advice_queue *queue);

/* Reader. False if there is none. */
bool advice_take(struct advice_queue *queue, struct advice *out);

/* Writer. RECORD was unwound to CHAIN: tell its thread's root if it is news, and how long
   a copy it needs. A copy that ended too early because of an advice takes that back, and
   the thread gets no root again while it is remembered. STACK_BYTES is the most that a
   copy may be. */
void advice_learn(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, size_t stack_bytes);

/* Writer. A tracer has found TID, and knows nothing of it. */
void advice_forget(struct advice_queue *queue, pid_t tid);

/* Writer. The stack of TID's last sample lies in BOUNDS; all 0 if it is not in anonymous
   memory. Told if it is news. */
void advice_bounds(
	struct advice_queue *queue, pid_t tid, const struct stack_bounds *bounds);

#endif
