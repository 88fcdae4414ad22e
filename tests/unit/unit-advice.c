/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the analyst advises: how far to copy, and where that is safe. */

#include "tests/lib/advised.h"
#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/facts/advice.h"

#include <stdlib.h>
#include <string.h>

enum {
	COPY_BYTES = 256,
	LEARNER = 7,
};

struct lesson {
	struct snapshot *snapshot;
	struct callchain chain;
};

static struct lesson *begin_lesson(size_t stack_bytes)
{
	struct lesson *lesson = mem_zalloc(sizeof(*lesson));
	lesson->snapshot = mem_zalloc(sizeof(*lesson->snapshot) + stack_bytes);
	return lesson;
}

static void end_lesson(struct lesson *lesson)
{
	free(lesson->snapshot);
	free(lesson);
}

/* A copy of LENGTH bytes from 0x1000 that was unwound to ROOT_TOP, where WORD stands. */
static void learn(struct advice_queue *queue, pid_t tid, size_t length, uint64_t root_top,
	uint64_t word)
{
	struct lesson *lesson = begin_lesson(COPY_BYTES);
	*lesson->snapshot = (struct snapshot){
		.tid = tid,
		.stack_address = 0x1000,
		.stack_length = (uint32_t)length,
		.stack_cut = true,
	};
	lesson->chain.end = root_top ? UNWIND_ROOT : UNWIND_TRUNCATED;
	lesson->chain.stack_top = root_top;
	if (root_top)
		memcpy(lesson->snapshot->stack + (root_top - 0x1000) - sizeof(word),
			&word, sizeof(word));
	advice_learn(queue, lesson->snapshot, &lesson->chain, COPY_BYTES);
	end_lesson(lesson);
}

static void assert_advice(
	struct advice_queue *queue, pid_t tid, uint64_t top, uint64_t word)
{
	struct advice advice;
	assert_true(advice_take(queue, &advice));
	assert_int_equal(advice.tid, tid);
	assert_int_equal(advice.root.top, top);
	assert_int_equal(advice.root.word, word);
}

static void test_the_second_sample_alike_is_told_of(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	assert_no_advice(queue);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	assert_advice(queue, LEARNER, 0x1080, 5);
	learn(queue, LEARNER, 0x80, 0x1080, 5);
	assert_no_advice(queue); /* told */
	learn(queue, LEARNER, COPY_BYTES, 0x10c0, 5);
	learn(queue, LEARNER, COPY_BYTES, 0x10c0, 6);
	assert_no_advice(queue); /* never twice the same */
	learn(queue, LEARNER, COPY_BYTES, 0x10c0, 6);
	assert_advice(queue, LEARNER, 0x10c0, 6);
	/* A word that any fresh memory has says nothing. */
	learn(queue, LEARNER, COPY_BYTES, 0x1040, 0);
	learn(queue, LEARNER, COPY_BYTES, 0x1040, 0);
	assert_no_advice(queue);
	free(queue);
}

static void test_bad_advice_is_taken_back_for_good(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	assert_advice(queue, LEARNER, 0x1080, 5);
	learn(queue, LEARNER, COPY_BYTES, 0,
		0); /* as long as may be: no advice's fault */
	assert_no_advice(queue);
	learn(queue, LEARNER, 0x80, 0, 0);
	assert_advice(queue, LEARNER, 0, 0);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	assert_no_advice(queue);
	free(queue);
}

/* A copy of LENGTH bytes at the start of a stack whose root is NEEDED bytes above; if
   that is more, it is truncated. All in proportion to a limit of 16 first copies. */
static void learn_depth(struct advice_queue *queue, size_t length, size_t needed)
{
	enum {
		LIMIT = 16 * ADVICE_FIRST_BYTES
	};
	struct lesson *lesson = begin_lesson(LIMIT);
	*lesson->snapshot = (struct snapshot){
		.tid = LEARNER,
		.stack_address = 0x1000,
		.stack_length = (uint32_t)(length < needed ? length : needed),
		.stack_cut = true,
	};
	lesson->chain.end = length < needed ? UNWIND_TRUNCATED : UNWIND_ROOT;
	lesson->chain.stack_top = length < needed ? 0 : 0x1000 + needed;
	advice_learn(queue, lesson->snapshot, &lesson->chain, LIMIT);
	end_lesson(lesson);
}

static void assert_reach(struct advice_queue *queue, size_t reach)
{
	struct advice advice;
	assert_true(advice_take(queue, &advice));
	assert_int_equal(advice.tid, LEARNER);
	assert_int_equal(advice.root.top, 0);
	assert_int_equal(advice.reach, reach);
}

static void test_copies_grow_with_the_stack(void **state)
{
	(void)state;
	const size_t first = ADVICE_FIRST_BYTES;
	struct advice_queue *queue = advised_create();
	learn_depth(queue, first, 100 * first);
	assert_reach(queue, 4 * first);
	learn_depth(queue, first, 100 * first); /* taken before that was told */
	assert_no_advice(queue);
	learn_depth(queue, 4 * first, 100 * first);
	assert_reach(queue, 16 * first);
	learn_depth(queue, 16 * first, 100 * first); /* no longer copies are possible */
	assert_no_advice(queue);
	assert_int_equal(queue->deepened, 2);
	/* It stays so while it is needed now and then, and not for ever. */
	for (int i = 0; i < 1000; i++)
		learn_depth(queue, 16 * first, i % 100 ? first / 2 : 4 * first);
	assert_no_advice(queue);
	for (int i = 0; i < 300; i++)
		learn_depth(queue, 16 * first, first / 4);
	assert_reach(queue, 4 * first);
	for (int i = 0; i < 300; i++)
		learn_depth(queue, 4 * first, first / 4);
	assert_reach(queue, 0);
	assert_int_equal(queue->deepened, 2); /* shorter copies are not urgent */
	free(queue);
}

static void test_long_copies_in_vain_are_given_up(void **state)
{
	(void)state;
	const size_t first = ADVICE_FIRST_BYTES;
	struct advice_queue *queue = advised_create();
	learn_depth(queue, first, 100 * first);
	assert_reach(queue, 4 * first);
	learn_depth(queue, 4 * first, 100 * first);
	assert_reach(queue, 16 * first);
	for (int i = 0; i < 31; i++) {
		learn_depth(queue, 16 * first, 100 * first);
		learn_depth(queue, 16 * first, first / 2); /* these would not help */
	}
	assert_no_advice(queue);
	learn_depth(queue, 16 * first, 100 * first);
	assert_reach(queue, 0);
	for (int i = 0; i < 2048; i++)
		learn_depth(queue, first, 100 * first);
	assert_no_advice(queue);
	/* Once more, and given up sooner. */
	learn_depth(queue, first, 100 * first);
	assert_reach(queue, 4 * first);
	learn_depth(queue, 4 * first, 100 * first);
	assert_reach(queue, 16 * first);
	learn_depth(queue, 16 * first, 100 * first);
	assert_reach(queue, 0);
	/* Unless they are of use. */
	learn_depth(queue, 16 * first, 10 * first);
	learn_depth(queue, first, 100 * first);
	assert_reach(queue, 4 * first);
	free(queue);
}

/* Advice that finds the queue full is given with a later sample. */
static void test_no_advice_is_lost(void **state)
{
	(void)state;
	enum {
		THREADS = 1000
	};
	struct advice_queue *queue = advised_create();
	bool told[THREADS] = {false};
	size_t count = 0, rounds = 0;
	while (count < THREADS && rounds++ < THREADS) {
		for (pid_t tid = 0; tid < THREADS; tid++)
			learn(queue, tid, COPY_BYTES, 0x1080, 5);
		struct advice advice;
		while (advice_take(queue, &advice)) {
			assert_false(told[advice.tid]);
			told[advice.tid] = true;
			count++;
		}
	}
	assert_int_equal(count, THREADS);
	free(queue);
}

static struct stack_bounds bounds_of(uint64_t low, uint64_t high)
{
	return (struct stack_bounds){low, high};
}

static void tell_bounds(
	struct advice_queue *queue, pid_t tid, uint64_t low, uint64_t high)
{
	struct stack_bounds bounds = bounds_of(low, high);
	advice_bounds(queue, tid, &bounds);
}

static void assert_bounds(
	struct advice_queue *queue, uint64_t low, uint64_t high, uint64_t root_top)
{
	struct advice advice;
	assert_true(advice_take(queue, &advice));
	assert_int_equal(advice.tid, LEARNER);
	assert_int_equal(advice.bounds.low, low);
	assert_int_equal(advice.bounds.high, high);
	assert_int_equal(advice.root.top, root_top);
}

/* Where a stack lies is told when it changes, with all else that was told; and all else
   with it. */
static void test_bounds_are_told_when_they_change(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	tell_bounds(queue, LEARNER, 0, 0); /* not known, and it was not before */
	assert_no_advice(queue);
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	assert_bounds(queue, 0x1000, 0x9000, 0);
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	assert_no_advice(queue);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
	assert_bounds(queue, 0x1000, 0x9000, 0x1080);
	tell_bounds(queue, LEARNER, 0x0800, 0x9000); /* it grew */
	assert_bounds(queue, 0x0800, 0x9000, 0x1080);
	learn(queue, LEARNER, 0x80, 0, 0); /* the root is taken back */
	assert_bounds(queue, 0x0800, 0x9000, 0);
	tell_bounds(queue, LEARNER, 0, 0); /* a file is mapped there now */
	assert_bounds(queue, 0, 0, 0);
	free(queue);
}

static void test_bounds_that_find_no_room_are_told_later(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	struct advice advice;
	for (pid_t tid = 100; tid < 100 + ADVICE_WAITING; tid++)
		tell_bounds(queue, tid, 0x1000, 0x2000);
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	for (int i = 0; i < ADVICE_WAITING; i++) {
		assert_true(advice_take(queue, &advice));
		assert_int_equal(advice.tid, 100 + i);
	}
	assert_no_advice(queue);
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	assert_bounds(queue, 0x1000, 0x9000, 0);
	free(queue);
}

/* After a new tracer, or for a new thread with an old number, all advice is given
   again. */
static void test_who_begins_anew_is_told_anew(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	for (int i = 0; i < 3; i++) {
		tell_bounds(queue, LEARNER, 0x1000, 0x9000);
		assert_bounds(queue, 0x1000, 0x9000, 0);
		learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
		assert_no_advice(queue);
		learn(queue, LEARNER, COPY_BYTES, 0x1080, 5);
		assert_bounds(queue, 0x1000, 0x9000, 0x1080);
		advice_forget(queue, LEARNER);
		assert_no_advice(queue);
	}
	/* Two threads whose numbers share a place put each other out of it. */
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	assert_bounds(queue, 0x1000, 0x9000, 0);
	tell_bounds(queue, LEARNER + ADVICE_REMEMBERED, 0, 0);
	tell_bounds(queue, LEARNER, 0x1000, 0x9000);
	assert_bounds(queue, 0x1000, 0x9000, 0);
	free(queue);
}

static void test_how_to_find_other_stacks_is_told_once(void **state)
{
	(void)state;
	struct advice_queue *queue = advised_create();
	struct stack_link link = {.loads = 3, .offsets = {-8, 48, 192}, .sp = 56};
	struct advice advice;
	advice_link(queue, &(struct stack_link){0});
	assert_no_advice(queue); /* nothing is known: no news */
	for (int i = 0; i < 3; i++) {
		advice_link(queue, &link);
		assert_true(advice_take(queue, &advice));
		assert_int_equal(advice.tid, 0);
		assert_memory_equal(&advice.link, &link, sizeof(link));
		advice_link(queue, &link);
		assert_no_advice(queue);
		advice_forget(queue, LEARNER); /* perhaps another tracer */
	}
	advice_link(queue, &link);
	assert_true(advice_take(queue, &advice));
	link.n_areas = 1;
	link.areas[0] = (struct stack_bounds){0x1000, 0x2000};
	advice_link(queue, &link);
	assert_true(advice_take(queue, &advice));
	assert_memory_equal(&advice.link, &link, sizeof(link));
	free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_second_sample_alike_is_told_of),
		cmocka_unit_test(test_bad_advice_is_taken_back_for_good),
		cmocka_unit_test(test_copies_grow_with_the_stack),
		cmocka_unit_test(test_long_copies_in_vain_are_given_up),
		cmocka_unit_test(test_no_advice_is_lost),
		cmocka_unit_test(test_bounds_are_told_when_they_change),
		cmocka_unit_test(test_bounds_that_find_no_room_are_told_later),
		cmocka_unit_test(test_who_begins_anew_is_told_anew),
		cmocka_unit_test(test_how_to_find_other_stacks_is_told_once),
	};
	return unit_run(tests);
}
