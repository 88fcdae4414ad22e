/*
 * ring: a bounded queue of snapshots from one thread (the sampler) to one other (the
 * analyst).
 *
 * Neither side ever waits for the other. A full ring means that the analyst is behind:
 * the sampler drops the sample and counts it (`lost`). Slots are allocated and touched
 * once, at creation, so that filling one while a thread is stopped never takes a page
 * fault for the first TOUCHED_BYTES of it. A child does not get them by fork.
 *
 *	writer: slot = ring_reserve(r); if (slot) { fill; ring_commit(r); }
 *	reader: slot = ring_peek(r);    if (slot) { use;  ring_release(r); }
 */
#ifndef CPROFTOP_RING_H
#define CPROFTOP_RING_H

#include "src/model/advice.h"
#include "src/model/snapshot.h"

#include <stddef.h>
#include <stdint.h>

struct ring;

/* SLOTS is rounded up to a power of two; STACK_BYTES is the capacity of each slot's
 * stack; less (ADVICE_FIRST_BYTES) where the kernel does not give so much address space.
 */
struct ring *ring_create(size_t slots, size_t stack_bytes);
void ring_destroy(struct ring *ring); /* NULL is fine; no side may be using it */

size_t ring_stack_bytes(const struct ring *ring);

/* Writer. NULL when full; nothing is counted here, the caller knows what it lost. */
struct snapshot *ring_reserve(struct ring *ring);
void ring_commit(struct ring *ring);

/* Reader. NULL when empty. */
const struct snapshot *ring_peek(struct ring *ring);
void ring_release(struct ring *ring);

/* What the reader tells the writer; the ring's own. */
struct advice_queue *ring_advice(const struct ring *ring);

/* Either side: how many snapshots wait, roughly. */
size_t ring_waiting(const struct ring *ring);
size_t ring_slots(const struct ring *ring);

#endif
