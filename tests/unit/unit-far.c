/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack whose root lies where no copy reaches is copied in two parts: what is advised, and
   what becomes of it. */

#include "tests/lib/advised.h"
#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include "ptrace/capture.h"
#include "src/base/mem.h"
#include "src/facts/advice.h"

#include <stdlib.h>
#include <string.h>

/* --- what is advised ---------------------------------------------------------------- */

enum {
	LEARNER = 7,
	FAR_LIMIT = 16 * ADVICE_FIRST_BYTES,
	FAR_FRAME = 32 * ADVICE_FIRST_BYTES,
};

static const struct stack_bounds far_memory = {0x1000, 0x1000 + 100 * ADVICE_FIRST_BYTES};

/* A first copy that ended with END, because the word at LACKED was needed, or with a root
   below TOP. */
static void learn_far(struct advice_queue *queue, enum unwind_end unwound,
	uint64_t lacked, uint64_t top)
{
	struct callchain *chain = mem_zalloc(sizeof(*chain));
	struct snapshot snapshot = {
		.tid = LEARNER,
		.stack_address = 0x1000,
		.stack_length = ADVICE_FIRST_BYTES,
		.stack_cut = true,
	};
	chain->end = unwound;
	chain->lacked = lacked;
	chain->stack_top = top;
	advice_far(queue, &snapshot, chain, &far_memory, FAR_LIMIT);
	if (unwound != UNWIND_ROOT)
		advice_learn(queue, &snapshot, chain, FAR_LIMIT);
	free(chain);
}

static void assert_far(struct advice_queue *queue, uint64_t low, uint64_t high)
{
	struct advice advice;
	assert_true(advice_take(queue, &advice));
	assert_int_equal(advice.tid, LEARNER);
	assert_int_equal(advice.reach, 0);
	assert_int_equal(advice.far.low, low);
	assert_int_equal(advice.far.high, high);
}

static void test_what_no_copy_reaches_is_copied_besides(void **state)
{
	(void)state;
	const uint64_t lacked = 0x1000 + FAR_FRAME, low = lacked - 4096;
	const uint64_t first = ADVICE_FIRST_BYTES;
	struct advice_queue *queue = advised_create();
	learn_far(queue, UNWIND_TRUNCATED, lacked, 0);
	assert_far(queue, low, low + first);
	learn_far(
		queue, UNWIND_TRUNCATED, lacked + 64, 0); /* taken before that was told */
	assert_no_advice(queue);
	learn_far(queue, UNWIND_TRUNCATED, low + first, 0); /* it was too short */
	assert_far(queue, low, low + 4 * first);
	/* It stays while it is needed now and then, and not for ever. */
	for (int i = 0; i < 5000; i++)
		learn_far(queue, UNWIND_ROOT, 0, i % 1000 ? 0x1800 : lacked + 64);
	assert_no_advice(queue);
	for (int i = 0; i < 1024; i++)
		learn_far(queue, UNWIND_ROOT, 0, 0x1800);
	assert_far(queue, 0, 0);
	free(queue);
}

static void test_parts_in_vain_are_given_up(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	for (unsigned i = 0; i < 16; i++) {
		uint64_t lacked = 0x1000 + (2 + i % 2) * FAR_FRAME;
		learn_far(queue, UNWIND_BAD_MEMORY, lacked, 0);
		assert_far(queue, lacked - 4096, lacked - 4096 + ADVICE_FIRST_BYTES);
	}
	learn_far(queue, UNWIND_BAD_MEMORY, 0x1000 + FAR_FRAME, 0);
	assert_far(queue, 0, 0);
	learn_far(queue, UNWIND_BAD_MEMORY, 0x1000 + FAR_FRAME, 0);
	assert_no_advice(queue);
	/* Memory of files is never copied. */
	learn_far(queue, UNWIND_BAD_MEMORY, 0x100, 0);
	assert_no_advice(queue);
	free(queue);
}

/* A frame that is not large is copied whole at once. */
static void test_copies_are_as_long_as_a_frame(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	struct advice advice;
	learn_far(queue, UNWIND_TRUNCATED, 0x1000 + 2 * ADVICE_FIRST_BYTES, 0);
	assert_true(advice_take(queue, &advice));
	assert_int_equal(advice.far.high, 0);
	assert_int_equal(advice.reach, 3 * ADVICE_FIRST_BYTES);
	free(queue);
}

/* --- what becomes of it -------------------------------------------------------------- */

static struct stack_bounds memory_at(struct session *session, uint64_t address)
{
	struct address_space *space = session->tracee.space;
	address_space_refresh(space);
	const struct region *region = address_space_region(space, address);
	assert_non_null(region);
	return (struct stack_bounds){region->start, region->limit};
}

/* What lacks is copied the next time, and with that the stack is whole. */
static void assert_whole_in_two_parts(void **state, const char *how, const char *pattern)
{
	struct session *session = start(state, ARGV(target_path("stack-far"), how));
	struct tracee *tracee = &session->tracee;
	struct snapshot *snapshot = session->snapshot;
	struct advice_queue *queue = advised_create();
	struct capture_memory memory = {.memory = tracee->mem_fd};
	struct capture_habit habit = {0};
	struct callchain *chain = session->chain;
	for (int i = 0; i < 2; i++) {
		assert_true(tracee_stop(tracee, tracee->pid, snapshot, 0));
		capture_stack(&memory, STACK_BYTES, &habit, snapshot);
		assert_true(tracee_resume(tracee, tracee->pid));
		unwinder_unwind(session->unwinder, snapshot, chain);
		if (i > 0)
			break;
		assert_int_not_equal(chain->end, UNWIND_ROOT);
		assert_int_not_equal(chain->lacked, 0);
		struct stack_bounds far = memory_at(session, chain->lacked);
		struct advice advice;
		advice_far(queue, snapshot, chain, &far, STACK_BYTES);
		assert_true(advice_take(queue, &advice));
		memory.far = advice.far;
	}
	assert_int_equal(chain->end, UNWIND_ROOT);
	assert_int_equal(chain->lacked, 0);
	assert_true(matches(session, 0, pattern));
	free(queue);
}

static void test_a_frame_longer_than_a_copy(void **state)
{
	assert_whole_in_two_parts(state, "frame", "spin with_large_frame main");
}

static void test_a_stack_left_for_another_one(void **state)
{
	assert_whole_in_two_parts(state, "switch", "spin on_another_stack main");
}

/* A frame that a copy can have is left out of it once it has been seen. */
static void test_most_of_a_large_frame_is_not_copied(void **state)
{
	enum {
		WHOLE_BYTES = 1 << 20
	};
	struct session *session = start(state, ARGV(target_path("stack-far"), "state"));
	struct tracee *tracee = &session->tracee;
	struct snapshot *snapshot = mem_alloc(sizeof(*snapshot) + WHOLE_BYTES);
	struct advice_queue *queue = advised_create();
	struct capture_memory memory = {.memory = tracee->mem_fd};
	struct capture_habit habit = {.reach = WHOLE_BYTES};
	struct callchain *chain = session->chain;
	for (int i = 0; i < 5; i++) {
		struct advice advice;
		assert_true(tracee_stop(tracee, tracee->pid, snapshot, 0));
		capture_stack(&memory, WHOLE_BYTES, &habit, snapshot);
		assert_true(tracee_resume(tracee, tracee->pid));
		unwinder_unwind(session->unwinder, snapshot, chain);
		assert_int_equal(chain->end, UNWIND_ROOT);
		assert_true(matches(session, 0, "spin with_state main"));
		assert_in_range(chain->gap.high - chain->gap.low, 500 << 10, 601 << 10);
		if (i == 0)
			assert_in_range(snapshot_used(snapshot), 600 << 10, WHOLE_BYTES);
		struct stack_bounds far = memory_at(session, chain->gap.high);
		advice_far(queue, snapshot, chain, &far, WHOLE_BYTES);
		advice_learn(queue, snapshot, chain, WHOLE_BYTES);
		while (advice_take(queue, &advice)) {
			memory.far = advice.far;
			habit.root = advice.root;
			habit.reach = advice.reach;
		}
	}
	assert_in_range(snapshot_used(snapshot), 1, 32 << 10);
	free(snapshot);
	free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_no_copy_reaches_is_copied_besides),
		cmocka_unit_test(test_parts_in_vain_are_given_up),
		cmocka_unit_test(test_copies_are_as_long_as_a_frame),
		cmocka_unit_test_teardown(test_a_frame_longer_than_a_copy, finish),
		cmocka_unit_test_teardown(
			test_most_of_a_large_frame_is_not_copied, finish),
		cmocka_unit_test_teardown(test_a_stack_left_for_another_one, finish),
	};
	return unit_run(tests);
}
