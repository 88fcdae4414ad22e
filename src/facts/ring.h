/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring: what the tracer and the analyst share for one target process: a bounded queue of
 * snapshots, the meter, and the queue of advice that goes back.
 *
 * It lies in memory that is shared with every process forked after its creation, because
 * the tracer is a process of its own, and with the reader, which is given the file that it is.
 * Either side may die at any moment; the ring stays
 * consistent. Neither side ever waits for the other. If the ring is full, because the
 * analyst is behind, the tracer drops the sample and counts it (`lost`). The kernel gives
 * memory to a slot when it is first used, and an empty ring begins with its first slot again, so it
 * takes as much as has ever waited; what only a very deep stack needed is given back.
 *
 *	writer: slot = ring_reserve(r); if (slot) { fill; ring_commit(r); }
 *	reader: slot = ring_peek(r);    if (slot) { use;  ring_release(r); }
 *
 * What lies in shared memory is the records, the counts, the meter and the advice. Where a
 * record goes is found by what each process keeps for itself, so the writer stays within
 * the slots of its ring, whatever the reader writes to what they share: it loses records,
 * no more. The writer never reads a record.
 *
 * One writer and one reader at a time. Several writing threads must take turns with a
 * lock of their own.
 */
#ifndef CPROFTOP_RING_H
#define CPROFTOP_RING_H

#include "src/facts/advice.h"
#include "src/facts/event.h"
#include "src/facts/meter.h"
#include "src/facts/snapshot.h"

#include <stddef.h>
#include <stdint.h>

struct ring;

/* SLOTS is rounded up to a power of two. STACK_BYTES is the capacity of each slot's
   stack; it is only ADVICE_FIRST_BYTES if the kernel refuses so much address space. */
struct ring *ring_create(size_t slots, size_t stack_bytes);
void ring_destroy(struct ring *ring); /* NULL is fine; no side may be using it */

/* Where a ring lies in its file, which is memory and has no name. */
struct ring_place {
	uint64_t offset;
	size_t slots, stack_bytes;
};
struct ring_place ring_place(const struct ring *ring);
int ring_file(const struct ring *ring); /* the ring's */

/* In another process: the ring at PLACE of FILE, which stays the caller's; to be destroyed with
   ring_destroy. NULL, with errno, if there is no room. */
struct ring *ring_open(int file, const struct ring_place *place);

/* So much address space do all rings take that this process has. */
size_t ring_bytes_of_all(void);

/* A pool of rings for processes that are found later: all are made before the tracer is
   forked, and handed out one by one. At most COUNT can be in use at a time, fewer where
   address space is limited. The more are in use, the less memory each keeps; all but the
   first sixteen have 32 slots at most. One thread at a time. */
struct ring_pool;
struct ring_pool *ring_pool_create(size_t count, size_t slots, size_t stack_bytes);
void ring_pool_destroy(struct ring_pool *pool); /* NULL is fine */

/* An empty ring with its meter at 0, to be returned with ring_pool_give; NULL if all are
   in use. */
struct ring *ring_pool_take(struct ring_pool *pool);
bool ring_pool_is_full(const struct ring_pool *pool);
void ring_pool_give(struct ring_pool *pool, struct ring *ring);

/* Is RING, which may be any address, a ring that this process, or the one that it was
   forked from, has made and not destroyed? One thread at a time may make and destroy. */
bool ring_is_made(const struct ring *ring);

size_t ring_stack_bytes(const struct ring *ring);

/* The ring's meter. Any thread of any of the processes. */
struct meter *ring_meter(struct ring *ring);

/* Writer. NULL when full. The ring counts no losses; the caller does. */
struct snapshot *ring_reserve(struct ring *ring);
void ring_commit(struct ring *ring);

/* Writer. Reserve, copy RECORD and its stacks, and commit. False when full, or if a slot has
   no room for so much. */
bool ring_put(struct ring *ring, const struct snapshot *record);

/* Reader. NULL when empty. */
const struct snapshot *ring_peek(struct ring *ring);
void ring_release(struct ring *ring);

/* The ring's queue of advice from the reader to the writer. */
struct advice_queue *ring_advice(struct ring *ring);

/* What the tracer copies beside the stack, from the reader to the writer. */
struct recipe_box *ring_recipe(struct ring *ring);

/* Where the function is whose calls are counted, likewise. */
struct event_box *ring_event(struct ring *ring);

/* Either side. About how many snapshots wait. */
size_t ring_waiting(const struct ring *ring);
size_t ring_slots(const struct ring *ring);

#endif
