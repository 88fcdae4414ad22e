/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/ring.h"

#include "src/base/mem.h"
#include "src/base/shared.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CACHE_LINE = 64,
	ALIGNMENT = 4096, /* of the slots, and of all together */
	/* Of a released slot's memory at most so much is kept, and of all together; the rest
	   is given back. */
	KEPT_BYTES = 64 * 1024,
	KEPT_TOTAL_BYTES = 16 * 1024 * 1024,
	/* Of a pool, so many rings have all slots, and the others no more than these. */
	WIDE_RINGS = 16,
	NARROW_SLOTS = 32,
	/* where there is next to no room */
	FEWEST_SLOTS = 8,
	/* More than these only wait now and then, as while a large file is read: their memory is
	   given back at once. */
	USUAL_SLOTS = 256,
};

/* At the beginning of the shared memory. The slots begin at the next page. */
struct shared {
	struct meter meter;
	/* Totals since creation; their difference is the number of snapshots that wait.
	   Each has a cache line of its own, because one is written by the tracer and the
	   other by the analyst. */
	_Alignas(CACHE_LINE) _Atomic size_t written;
	_Atomic size_t first; /* the one that lies in the first slot; the writer's */
	_Alignas(CACHE_LINE) _Atomic size_t read;
	_Atomic size_t kept_bytes; /* of each slot */
	_Alignas(CACHE_LINE) struct advice_queue advice;
	_Alignas(CACHE_LINE) struct recipe_box recipe;
	_Alignas(CACHE_LINE) struct event_box event;
};

/* Each process has its own, so that nobody can change where another one writes. */
struct ring {
	struct shared *shared;
	size_t slots, slot_bytes, stack_bytes;
	struct ring *next; /* of all that this process has made or inherited */
	int file;	   /* borrowed from the pool; else its own; -1: none */
	size_t offset;	   /* there */
};

struct ring_pool {
	int file;
	unsigned char *memory;
	size_t count, slots, ring_bytes, used;
	struct ring *rings;
	bool *taken;
};

static struct ring *made;

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

static size_t slots_offset(void)
{
	return round_up(sizeof(struct shared), ALIGNMENT);
}

static size_t slot_size(size_t stack_bytes)
{
	return round_up(sizeof(struct snapshot) + stack_bytes, CACHE_LINE);
}

static size_t ring_size(size_t slots, size_t stack_bytes)
{
	return slots_offset() + round_up(slots * slot_size(stack_bytes), ALIGNMENT);
}

/* FIRST only changes while nothing waits, so for what waits it stays. */
static size_t index_of(const struct ring *ring, size_t count)
{
	size_t first = atomic_load_explicit(&ring->shared->first, memory_order_relaxed);
	return (count - first) & (ring->slots - 1);
}

static struct snapshot *slot_at(const struct ring *ring, size_t count)
{
	size_t offset = index_of(ring, count) * ring->slot_bytes;
	return (struct snapshot *)((uintptr_t)ring->shared + slots_offset() + offset);
}

static size_t power_of_two(size_t slots)
{
	size_t rounded = 2;
	while (rounded < slots)
		rounded *= 2;
	return rounded;
}

/* MEMORY is zeroed, and lies at OFFSET of FILE. */
static void make(struct ring *ring, void *memory, size_t slots, size_t stack_bytes,
	int file, size_t offset)
{
	*ring = (struct ring){
		.shared = memory,
		.slots = slots,
		.slot_bytes = slot_size(stack_bytes),
		.stack_bytes = stack_bytes,
		.next = made,
		.file = file,
		.offset = offset,
	};
	made = ring;
}

static void unmake(struct ring *ring)
{
	struct ring **at = &made;
	while (*at && *at != ring)
		at = &(*at)->next;
	if (*at)
		*at = ring->next;
}

bool ring_is_made(const struct ring *ring)
{
	const struct ring *at = made;
	while (at && at != ring)
		at = at->next;
	return at != NULL;
}

static _Noreturn void end_without_room(void)
{
	mem_end(errno == EFBIG
			? "cproftop: the limit of a file's size (ulimit -f) is too small "
			  "for the memory that its processes share\n"
			: "cproftop: out of memory; the target runs on\n");
}

struct ring *ring_create(size_t slots, size_t stack_bytes)
{
	int file;
	slots = power_of_two(slots);
	void *memory = shared_file_map(ring_size(slots, stack_bytes), &file);
	if (!memory && stack_bytes > ADVICE_FIRST_BYTES) {
		stack_bytes = ADVICE_FIRST_BYTES;
		memory = shared_file_map(ring_size(slots, stack_bytes), &file);
	}
	if (!memory)
		end_without_room();
	struct ring *ring = mem_zalloc(sizeof(*ring));
	make(ring, memory, slots, stack_bytes, file, 0);
	ring->shared->kept_bytes = KEPT_BYTES;
	return ring;
}

void ring_destroy(struct ring *ring)
{
	if (!ring)
		return;
	munmap(ring->shared, ring_size(ring->slots, ring->stack_bytes));
	if (ring->file >= 0)
		close(ring->file);
	unmake(ring);
	free(ring);
}

struct ring_place ring_place(const struct ring *ring)
{
	return (struct ring_place){
		.offset = ring->offset,
		.slots = ring->slots,
		.stack_bytes = ring->stack_bytes,
	};
}

int ring_file(const struct ring *ring)
{
	return ring->file;
}

struct ring *ring_open(int file, const struct ring_place *place)
{
	void *memory = mmap(NULL, ring_size(place->slots, place->stack_bytes),
		PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)place->offset);
	if (memory == MAP_FAILED)
		return NULL;
	struct ring *ring = mem_zalloc(sizeof(*ring));
	make(ring, memory, place->slots, place->stack_bytes, -1, place->offset);
	return ring;
}

size_t ring_bytes_of_all(void)
{
	size_t bytes = 0;
	for (const struct ring *ring = made; ring; ring = ring->next)
		bytes += ring_size(ring->slots, ring->stack_bytes);
	return bytes;
}

struct ring_pool *ring_pool_create(size_t count, size_t slots, size_t stack_bytes)
{
	struct ring_pool *pool = mem_zalloc(sizeof(*pool));
	slots = power_of_two(slots);
	for (;;) {
		pool->ring_bytes = ring_size(slots, stack_bytes);
		pool->memory = shared_file_map(count * pool->ring_bytes, &pool->file);
		if (pool->memory)
			break;
		if (slots > USUAL_SLOTS)
			slots = USUAL_SLOTS;
		else if (stack_bytes > ADVICE_FIRST_BYTES)
			stack_bytes = ADVICE_FIRST_BYTES;
		else if (count > 1)
			count /= 2;
		else if (slots > FEWEST_SLOTS)
			slots /= 2;
		else
			end_without_room();
	}
	pool->count = count;
	pool->slots = slots;
	pool->rings = mem_zalloc(count * sizeof(*pool->rings));
	pool->taken = mem_zalloc(count * sizeof(*pool->taken));
	for (size_t i = 0; i < count; i++) {
		bool is_wide = i < WIDE_RINGS || slots < NARROW_SLOTS;
		make(&pool->rings[i], pool->memory + i * pool->ring_bytes,
			is_wide ? slots : NARROW_SLOTS, stack_bytes, pool->file,
			i * pool->ring_bytes);
	}
	return pool;
}

void ring_pool_destroy(struct ring_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->count; i++)
		unmake(&pool->rings[i]);
	munmap(pool->memory, pool->count * pool->ring_bytes);
	close(pool->file);
	free(pool->rings);
	free(pool->taken);
	free(pool);
}

/* All that are in use share what may be kept. */
static void divide(const struct ring_pool *pool)
{
	size_t slots = pool->slots < USUAL_SLOTS ? pool->slots : USUAL_SLOTS;
	size_t kept = KEPT_TOTAL_BYTES / slots / (pool->used ? pool->used : 1);
	for (size_t i = 0; i < pool->count; i++)
		if (pool->taken[i])
			atomic_store_explicit(&pool->rings[i].shared->kept_bytes,
				kept < KEPT_BYTES ? kept : KEPT_BYTES,
				memory_order_relaxed);
}

bool ring_pool_is_full(const struct ring_pool *pool)
{
	return pool->used == pool->count;
}

struct ring *ring_pool_take(struct ring_pool *pool)
{
	size_t place = 0;
	while (place < pool->count && pool->taken[place])
		place++;
	if (place == pool->count)
		return NULL;
	struct ring *ring = &pool->rings[place];
	memset(ring->shared, 0, sizeof(*ring->shared));
	advice_init(&ring->shared->advice);
	pool->taken[place] = true;
	pool->used++;
	divide(pool);
	return ring;
}

void ring_pool_give(struct ring_pool *pool, struct ring *ring)
{
	size_t place = (size_t)(ring - pool->rings);
	pool->taken[place] = false;
	pool->used--;
	divide(pool);
	/* Give the memory of the slots back to the kernel, for all processes. */
	madvise((unsigned char *)ring->shared + slots_offset(),
		pool->ring_bytes - slots_offset(), MADV_REMOVE);
}

struct meter *ring_meter(struct ring *ring)
{
	return &ring->shared->meter;
}

struct advice_queue *ring_advice(struct ring *ring)
{
	return &ring->shared->advice;
}

struct recipe_box *ring_recipe(struct ring *ring)
{
	return &ring->shared->recipe;
}

struct event_box *ring_event(struct ring *ring)
{
	return &ring->shared->event;
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
	size_t written =
		atomic_load_explicit(&ring->shared->written, memory_order_relaxed);
	size_t read = atomic_load_explicit(&ring->shared->read, memory_order_acquire);
	if (written == read)
		atomic_store_explicit(
			&ring->shared->first, written, memory_order_relaxed);
	return written - read >= ring->slots ? NULL : slot_at(ring, written);
}

void ring_commit(struct ring *ring)
{
	size_t written =
		atomic_load_explicit(&ring->shared->written, memory_order_relaxed);
	atomic_store_explicit(&ring->shared->written, written + 1, memory_order_release);
}

bool ring_put(struct ring *ring, const struct snapshot *record)
{
	size_t used = snapshot_used(record);
	struct snapshot *slot = used <= ring->stack_bytes ? ring_reserve(ring) : NULL;
	if (!slot)
		return false;
	memcpy(slot, record, sizeof(*record) + used);
	ring_commit(ring);
	return true;
}

const struct snapshot *ring_peek(struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->shared->read, memory_order_relaxed);
	size_t written =
		atomic_load_explicit(&ring->shared->written, memory_order_acquire);
	return read == written ? NULL : slot_at(ring, read);
}

/* Give the memory of SLOT from byte KEPT on back to the kernel. */
static void give_back(const struct ring *ring, struct snapshot *slot, size_t kept)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = round_up((uintptr_t)slot + kept, page_bytes);
	uintptr_t limit = (uintptr_t)slot + ring->slot_bytes;
	limit = limit / page_bytes * page_bytes;
	if (start < limit)
		madvise((void *)start, limit - start, MADV_REMOVE);
}

void ring_release(struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->shared->read, memory_order_relaxed);
	struct snapshot *slot = slot_at(ring, read);
	size_t kept =
		atomic_load_explicit(&ring->shared->kept_bytes, memory_order_relaxed);
	if (index_of(ring, read) >= USUAL_SLOTS)
		give_back(ring, slot, 0);
	else if (snapshot_used(slot) > kept) /* what most stacks do not need */
		give_back(ring, slot, sizeof(*slot) + kept);
	atomic_store_explicit(&ring->shared->read, read + 1, memory_order_release);
}

size_t ring_waiting(const struct ring *ring)
{
	size_t read = atomic_load_explicit(&ring->shared->read, memory_order_acquire);
	return atomic_load_explicit(&ring->shared->written, memory_order_acquire) - read;
}
