/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings in shared memory: between processes, given back and taken again, and where there
   is little address space. */

#include "tests/lib/unit.h"

#include "ptrace/link/subjects.h"
#include "src/base/clock.h"
#include "src/base/rights/sanitized.h"
#include "src/facts/ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SLOTS = 4,
	DEEP_BYTES = 1 << 20,
};

/* Run WORK in a process of its own; its exit status. */
static int in_a_child(int (*work)(void *context), void *context)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(work(context));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static int write_many(void *context)
{
	struct ring *ring = context;
	for (pid_t tid = 1; tid <= 1000; tid++) {
		struct snapshot *slot;
		while (!(slot = ring_reserve(ring)))
			usleep(10);
		slot->tid = tid;
		slot->stack_length = 64;
		slot->other_length = 0;
		memset(slot->stack, tid, 64);
		ring_commit(ring);
		meter_add(&ring_meter(ring)->samples, 1);
	}
	raise(SIGKILL); /* with some of them not read, perhaps */
	return 0;
}

static void test_a_ring_is_shared_with_processes_forked_later(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, 64);
	pid_t pid = fork();
	if (pid == 0)
		_exit(write_many(ring));
	for (pid_t tid = 1; tid <= 1000; tid++) {
		const struct snapshot *slot;
		while (!(slot = ring_peek(ring)))
			usleep(10);
		assert_int_equal(slot->tid, tid);
		assert_int_equal(slot->stack[63], (unsigned char)tid);
		ring_release(ring);
	}
	waitpid(pid, NULL, 0);
	assert_null(ring_peek(ring));
	assert_int_equal(meter_get(&ring_meter(ring)->samples), 1000);
	ring_destroy(ring);
}

/* What a writer that died had begun is not there, and the next one goes on. */
static int begin_one(void *context)
{
	struct snapshot *slot = ring_reserve(context);
	slot->tid = 666;
	return 0;
}

static int write_one(void *context)
{
	struct snapshot record = {.kind = SNAPSHOT_THREAD, .tid = 7};
	return ring_put(context, &record) ? 0 : 1;
}

static void test_a_writer_may_die_at_any_moment(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, 64);
	assert_int_equal(in_a_child(begin_one, ring), 0);
	assert_null(ring_peek(ring));
	assert_int_equal(in_a_child(write_one, ring), 0);
	assert_int_equal(ring_peek(ring)->tid, 7);
	ring_release(ring);
	assert_null(ring_peek(ring));
	/* Full, it says so. */
	for (int i = 0; i < SLOTS; i++)
		assert_int_equal(in_a_child(write_one, ring), 0);
	assert_int_equal(in_a_child(write_one, ring), 1);
	assert_int_equal(ring_waiting(ring), SLOTS);
	ring_destroy(ring);
}

static int take_the_advice(void *context)
{
	struct advice advice;
	return advice_take(ring_advice(context), &advice) && advice.tid == 5 &&
			       advice.bounds.high == 0x9000
		       ? 0
		       : 1;
}

/* So it takes no more memory than what has waited at a time. */
static void test_an_empty_ring_begins_anew(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, 64);
	const struct snapshot *first = ring_reserve(ring);
	for (pid_t tid = 1; tid <= 10 * SLOTS; tid += 2) {
		for (pid_t i = 0; i < 2; i++) {
			struct snapshot *slot = ring_reserve(ring);
			assert_true((slot == first) == (i == 0));
			*slot = (struct snapshot){.tid = tid + i};
			ring_commit(ring);
		}
		for (pid_t i = 0; i < 2; i++) {
			assert_int_equal(ring_peek(ring)->tid, tid + i);
			ring_release(ring);
		}
		assert_null(ring_peek(ring));
	}
	/* One that always waits leads once around. */
	ring_reserve(ring)->tid = 0;
	ring_commit(ring);
	for (pid_t tid = 1; tid <= 10 * SLOTS; tid++) {
		*ring_reserve(ring) = (struct snapshot){.tid = tid};
		ring_commit(ring);
		assert_int_equal(ring_peek(ring)->tid, tid - 1);
		ring_release(ring);
	}
	ring_destroy(ring);
}

static void test_advice_goes_back_the_same_way(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, 64);
	struct stack_bounds bounds = {0x1000, 0x9000};
	advice_bounds(ring_advice(ring), 5, &bounds);
	assert_int_equal(in_a_child(take_the_advice, ring), 0);
	assert_int_equal(in_a_child(take_the_advice, ring), 1); /* taken, for all */
	ring_destroy(ring);
}

/* Fill RING with stacks of LENGTH bytes and read them. */
static void use(struct ring *ring, size_t length)
{
	struct snapshot *slot;
	while ((slot = ring_reserve(ring))) {
		*slot = (struct snapshot){.stack_length = (uint32_t)length};
		memset(slot->stack, 0xee, length);
		ring_commit(ring);
	}
	while (ring_peek(ring))
		ring_release(ring);
}

static void test_a_pool_gives_its_rings_again(void **state)
{
	(void)state;
	enum {
		RINGS = 3
	};
	struct ring_pool *pool = ring_pool_create(RINGS, SLOTS, 8192);
	struct ring *rings[RINGS];
	struct stack_bounds bounds = {1, 2};
	struct advice advice;
	for (int i = 0; i < RINGS; i++) {
		rings[i] = ring_pool_take(pool);
		assert_non_null(rings[i]);
		assert_int_equal(ring_slots(rings[i]), SLOTS);
		assert_int_equal(ring_stack_bytes(rings[i]), 8192);
		for (int k = 0; k < i; k++)
			assert_ptr_not_equal(rings[i], rings[k]);
	}
	assert_null(ring_pool_take(pool));

	/* One is used, left with something in it, and given back. */
	use(rings[1], 8192);
	assert_int_equal(write_one(rings[1]), 0);
	meter_add(&ring_meter(rings[1])->samples, 3);
	meter_set(&ring_meter(rings[1])->over, 1);
	advice_bounds(ring_advice(rings[1]), 5, &bounds);
	ring_pool_give(pool, rings[1]);
	struct ring *again = ring_pool_take(pool);
	assert_ptr_equal(again, rings[1]);
	assert_null(ring_peek(again));
	assert_int_equal(ring_waiting(again), 0);
	assert_int_equal(meter_get(&ring_meter(again)->samples), 0);
	assert_int_equal(meter_get(&ring_meter(again)->over), 0);
	assert_false(advice_take(ring_advice(again), &advice));
	/* Its memory was given back to the kernel. */
	for (int i = 0; i < SLOTS; i++) {
		struct snapshot *slot = ring_reserve(again);
		for (size_t at = 0; at < 8192; at++)
			assert_int_equal(slot->stack[at], 0);
		ring_commit(again);
	}
	/* The others were not touched. */
	assert_int_equal(write_one(rings[0]), 0);
	assert_int_equal(ring_peek(rings[0])->tid, 7);
	ring_pool_destroy(pool);
	ring_pool_destroy(NULL);
}

/* The reader is executed anew, and given the file; nobody can make it smaller under us. */
static void test_a_ring_is_shared_by_its_file(void **state)
{
	(void)state;
	struct ring_pool *pool = ring_pool_create(2, SLOTS, 64);
	ring_pool_take(pool);
	struct ring *ring = ring_pool_take(pool);
	const struct ring_place place = ring_place(ring);
	struct ring *there = ring_open(ring_file(ring), &place);
	assert_non_null(there);
	assert_int_equal(write_one(ring), 0);
	assert_int_equal(ring_peek(there)->tid, 7);
	ring_release(there);
	assert_null(ring_peek(ring));
	assert_int_equal(ftruncate(ring_file(ring), 0), -1);
	assert_int_equal(errno, EPERM);
	ring_destroy(there);
	ring_pool_destroy(pool);
}

/* A very deep stack is not kept in memory for ever. */
static void test_a_deep_slot_gives_its_memory_back(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, DEEP_BYTES);
	use(ring, DEEP_BYTES);
	for (int i = 0; i < SLOTS; i++) {
		struct snapshot *slot = ring_reserve(ring);
		assert_int_equal(slot->stack[0], 0xee); /* what all stacks need stays */
		assert_int_equal(slot->stack[DEEP_BYTES / 2], 0);
		assert_int_equal(slot->stack[DEEP_BYTES - 2 * 4096], 0);
		ring_commit(ring);
	}
	ring_destroy(ring);
}

/* Nor is that of slots which are only used while the reader does something that takes long. */
static void test_many_slots_give_their_memory_back(void **state)
{
	(void)state;
	enum {
		MANY = 1024,
		STACK = 4 * 4096
	};
	struct ring *ring = ring_create(MANY, STACK);
	const struct snapshot *last = NULL;
	for (int i = 0; i < MANY; i++) {
		struct snapshot *slot = ring_reserve(ring);
		*slot = (struct snapshot){.stack_length = STACK};
		memset(slot->stack, 0xee, STACK);
		ring_commit(ring);
		last = slot;
	}
	assert_null(ring_reserve(ring));
	const struct snapshot *first = ring_peek(ring);
	while (ring_peek(ring))
		ring_release(ring);
	assert_int_equal(first->stack[STACK / 2], 0xee);
	assert_int_equal(last->stack[STACK / 2], 0);
	ring_destroy(ring);
}

/* Address sanitizer keeps a shadow of all memory, which takes more than the limits
   here. */
#ifdef SANITIZED
#define HAS_SHADOW 1
#else
#define HAS_SHADOW 0
#endif

/* --- little address space ----------------------------------------------------------- */

static void limit_address_space(size_t bytes)
{
	struct rlimit limit = {bytes, bytes};
	setrlimit(RLIMIT_AS, &limit);
}

/* The rings of 256 processes would take 16 GB: there are fewer, and they work. */
static int make_a_pool(void *context)
{
	(void)context;
	limit_address_space((size_t)1 << 30);
	struct ring_pool *pool = ring_pool_create(256, 64, DEEP_BYTES);
	int count = 0;
	for (struct ring *ring; (ring = ring_pool_take(pool)); count++) {
		if (ring_stack_bytes(ring) != ADVICE_FIRST_BYTES)
			return 1;
		use(ring, 4096);
	}
	return count < 256 ? count : 2;
}

static int make_a_ring(void *context)
{
	(void)context;
	limit_address_space((size_t)256 << 20);
	struct ring *ring = ring_create(256, DEEP_BYTES);
	if (ring_stack_bytes(ring) != ADVICE_FIRST_BYTES || ring_slots(ring) != 256)
		return 1;
	use(ring, ADVICE_FIRST_BYTES);
	return 0;
}

static void test_little_address_space_is_enough(void **state)
{
	(void)state;
	if (HAS_SHADOW)
		skip();
	assert_in_range(in_a_child(make_a_pool, NULL), 16, 255);
	assert_int_equal(in_a_child(make_a_ring, NULL), 0);
}

static void count_only(void *context)
{
	++*(unsigned *)context;
}

static void read_one(void *context)
{
	if (ring_peek(context))
		ring_release(context);
}

/* The last record is put as soon as somebody reads; nobody waits for ever for a reader. */
static void test_a_full_ring_that_nobody_reads_holds_up_nobody(void **state)
{
	(void)state;
	struct ring *ring = ring_create(SLOTS, 64);
	const struct target target = {.pid = 1, .proc_fd = -1};
	const struct snapshot record = {.kind = SNAPSHOT_SURVEY};
	struct subjects subjects = {0};
	unsigned woken = 0;
	subjects_add(&subjects, &target, ring);
	subjects.list.data[0].was_added = true;
	while (ring_put(ring, &record))
		;
	assert_false(subjects_end(&subjects, 20 * NS_PER_MS, count_only, &woken));
	assert_true(woken > 0);
	assert_true(subjects_end(&subjects, 60 * NS_PER_SEC, read_one, ring));
	assert_int_equal(meter_get(&ring_meter(ring)->over), 1);
	subjects_finish(&subjects);
	ring_destroy(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_ring_is_shared_with_processes_forked_later),
		cmocka_unit_test(test_a_writer_may_die_at_any_moment),
		cmocka_unit_test(test_a_ring_is_shared_by_its_file),
		cmocka_unit_test(test_an_empty_ring_begins_anew),
		cmocka_unit_test(test_advice_goes_back_the_same_way),
		cmocka_unit_test(test_a_pool_gives_its_rings_again),
		cmocka_unit_test(test_a_deep_slot_gives_its_memory_back),
		cmocka_unit_test(test_many_slots_give_their_memory_back),
		cmocka_unit_test(test_a_full_ring_that_nobody_reads_holds_up_nobody),
		cmocka_unit_test(test_little_address_space_is_enough),
	};
	return unit_run(tests);
}
