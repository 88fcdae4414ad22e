/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring: what the tracer of one process and its analyst share: a bounded queue of
 * snapshots, the meter, and the advice that goes back.
 *
 * It lies in memory that is shared with every process forked after its creation, because
 * the tracer is a process of its own; either side may die at any moment and leaves it
 * whole. Neither side ever waits for the other. A full ring means that the analyst is
 * behind: the tracer drops the sample and counts it (`lost`). Memory is given by the
 * kernel when it is first used, and deep stacks give theirs back.
 *
 *	writer: slot = ring_reserve(r); if (slot) { fill; ring_commit(r); }
 *	reader: slot = ring_peek(r);    if (slot) { use;  ring_release(r); }
 *
 * One writer and one reader at a time; several threads that write take turns by a lock of
 * their own.
 */
#ifndef CPROFTOP_RING_H
#define CPROFTOP_RING_H

#include "src/model/advice.h"
#include "src/model/meter.h"
#include "src/model/snapshot.h"

#include <stddef.h>
#include <stdint.h>

struct ring;

/* SLOTS is rounded up to a power of two. STACK_BYTES is the capacity of each slot's
   stack; it is less (ADVICE_FIRST_BYTES) if the kernel does not give so much address
   space. */
struct ring *ring_create(size_t slots, size_t stack_bytes);
void ring_destroy(struct ring *ring); /* NULL is fine; no side may be using it */

/* Rings for processes that are found later: made together, before the tracer is forked,
   and handed out one by one. COUNT is the most that can be in use; fewer where address
   space is limited. One thread at a time. */
struct ring_pool;
struct ring_pool *ring_pool_create(size_t count, size_t slots, size_t stack_bytes);
void ring_pool_destroy(struct ring_pool *pool); /* NULL is fine */

/* An empty ring, its meter at 0; NULL if all are in use. To be given back. */
struct ring *ring_pool_take(struct ring_pool *pool);
void ring_pool_give(struct ring_pool *pool, struct ring *ring);

size_t ring_stack_bytes(const struct ring *ring);

/* Its own; any thread of any of the processes. */
struct meter *ring_meter(struct ring *ring);

/* Writer. NULL when full; nothing is counted here, the caller knows what it lost. */
struct snapshot *ring_reserve(struct ring *ring);
void ring_commit(struct ring *ring);

/* Writer: the same in one, with a copy of RECORD and its stacks. False when full. */
bool ring_put(struct ring *ring, const struct snapshot *record);

/* Reader. NULL when empty. */
const struct snapshot *ring_peek(struct ring *ring);
void ring_release(struct ring *ring);

/* What the reader tells the writer; the ring's own. */
struct advice_queue *ring_advice(struct ring *ring);

/* Either side: how many snapshots wait, roughly. */
size_t ring_waiting(const struct ring *ring);
size_t ring_slots(const struct ring *ring);

#endif
