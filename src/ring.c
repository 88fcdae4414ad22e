#include "src/ring.h"

#include "src/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CACHE_LINE = 64,
	TOUCHED_BYTES = 16 * 1024, /* most stacks measured were 3 to 14 KiB */
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

struct ring *ring_create(size_t slots, size_t stack_bytes)
{
	size_t rounded = 2;
	while (rounded < slots)
		rounded *= 2;
	struct ring *ring = NULL;
	if (posix_memalign((void **)&ring, CACHE_LINE, sizeof(*ring)) != 0)
		ring = mem_alloc(SIZE_MAX);
	size_t bytes = sizeof(struct snapshot) + stack_bytes;
	*ring = (struct ring){
		.slots = rounded,
		.slot_bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE,
		.stack_bytes = stack_bytes,
		.advice = advice_create(),
	};
	ring->memory = mmap(NULL, ring->slots * ring->slot_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring->memory == MAP_FAILED)
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

void ring_release(struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
	atomic_store_explicit(&ring->read, read + 1, memory_order_release);
}

size_t ring_waiting(const struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
	return atomic_load_explicit(&ring->written, memory_order_acquire) - read;
}
