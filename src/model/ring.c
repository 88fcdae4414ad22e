/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/ring.h"

#include "src/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CACHE_LINE = 64,
	TOUCHED_BYTES = 16 * 1024, /* most stacks measured were 3 to 14 KiB */
	PAGE_BYTES = 4096,
	KEPT_BYTES = 256 * 1024, /* of a slot's memory, when it is released */
};

struct ring {
	size_t slots, slot_bytes, stack_bytes;
	struct advice_queue *advice;
	unsigned char *memory;
	/* Counts since creation; their difference is what waits. Each on a line of its
	   own: one is written by the sampler, the other by the analyst. */
	_Alignas(CACHE_LINE) _Atomic size_t written;
	_Alignas(CACHE_LINE) _Atomic size_t read;
};

static struct snapshot *slot_at(const struct ring *ring, size_t count)
{
	size_t index = count & (ring->slots - 1);
	return (struct snapshot *)(void *)(ring->memory + index * ring->slot_bytes);
}

/* Most of it is never touched. False if so much is not to be had. */
static bool get_memory(struct ring *ring, size_t stack_bytes)
{
	size_t bytes = sizeof(struct snapshot) + stack_bytes;
	ring->stack_bytes = stack_bytes;
	ring->slot_bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	ring->memory = mmap(NULL, ring->slots * ring->slot_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return ring->memory != MAP_FAILED;
}

struct ring *ring_create(size_t slots, size_t stack_bytes)
{
	size_t rounded = 2;
	while (rounded < slots)
		rounded *= 2;
	struct ring *ring = NULL;
	if (posix_memalign((void **)&ring, CACHE_LINE, sizeof(*ring)) != 0)
		ring = mem_alloc(SIZE_MAX);
	*ring = (struct ring){.slots = rounded, .advice = advice_create()};
	if (!get_memory(ring, stack_bytes) &&
		(stack_bytes <= ADVICE_FIRST_BYTES ||
			!get_memory(ring, ADVICE_FIRST_BYTES)))
		ring->memory = mem_alloc(SIZE_MAX);
	/* After a fork the first write to each page would be a fault again. */
	madvise(ring->memory, ring->slots * ring->slot_bytes, MADV_DONTFORK);
	size_t touched =
		ring->slot_bytes < TOUCHED_BYTES ? ring->slot_bytes : TOUCHED_BYTES;
	for (size_t i = 0; i < ring->slots; i++)
		memset(slot_at(ring, i), 0, touched);
	return ring;
}

void ring_destroy(struct ring *ring)
{
	if (!ring)
		return;
	advice_destroy(ring->advice);
	munmap(ring->memory, ring->slots * ring->slot_bytes);
	free(ring);
}

struct advice_queue *ring_advice(const struct ring *ring)
{
	return ring->advice;
}

size_t ring_stack_bytes(const struct ring *ring)
{
	return ring->stack_bytes;
}

size_t ring_slots(const struct ring *ring)
{
	return ring->slots;
}

struct snapshot *ring_reserve(struct ring *ring)
{
	size_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
	size_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
	return written - read == ring->slots ? NULL : slot_at(ring, written);
}

void ring_commit(struct ring *ring)
{
	size_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
	atomic_store_explicit(&ring->written, written + 1, memory_order_release);
}

const struct snapshot *ring_peek(struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
	size_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
	return read == written ? NULL : slot_at(ring, read);
}

/* Give the memory that only very deep stacks need back to the kernel. */
static void give_back(const struct ring *ring, struct snapshot *slot)
{
	uintptr_t start = (uintptr_t)slot + sizeof(*slot) + KEPT_BYTES;
	uintptr_t limit = (uintptr_t)slot + ring->slot_bytes;
	start = (start + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	limit = limit / PAGE_BYTES * PAGE_BYTES;
	if (start < limit)
		madvise((void *)start, limit - start, MADV_DONTNEED);
}

void ring_release(struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
	struct snapshot *slot = slot_at(ring, read);
	if ((size_t)slot->stack_length + slot->other_length > KEPT_BYTES)
		give_back(ring, slot);
	atomic_store_explicit(&ring->read, read + 1, memory_order_release);
}

size_t ring_waiting(const struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
	return atomic_load_explicit(&ring->written, memory_order_acquire) - read;
}
