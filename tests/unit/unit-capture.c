/* How much of a stack is copied: as far as its root, once that is known, and never less
   than its unwinding needs. */

#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include "ptrace/capture.h"
#include "src/base/mem.h"
#include "src/model/advice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what the analyst advises ---------------------------------------------------------
 */

enum {
	COPY_BYTES = 256,
	LEARNER = 7,
};

struct lesson {
	struct snapshot *snapshot;
	struct callchain chain;
};

static struct advice_queue *create_queue(void)
{
	struct advice_queue *queue = mem_alloc(sizeof(*queue));
	memset(queue, 0xa5, sizeof(*queue)); /* where a ring was before */
	advice_init(queue);
	return queue;
}

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

static void assert_no_advice(struct advice_queue *queue)
{
	struct advice advice;
	assert_false(advice_take(queue, &advice));
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
	struct advice_queue *queue = create_queue();
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
	struct advice_queue *queue = create_queue();
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
	struct advice_queue *queue = create_queue();
	learn_depth(queue, first, 100 * first);
	assert_reach(queue, 4 * first);
	learn_depth(queue, first, 100 * first); /* taken before that was told */
	assert_no_advice(queue);
	learn_depth(queue, 4 * first, 100 * first);
	assert_reach(queue, 16 * first);
	learn_depth(queue, 16 * first, 100 * first); /* no more is to be had */
	assert_no_advice(queue);
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
	free(queue);
}

/* What finds no room is told with a later sample. */
static void test_no_advice_is_lost(void **state)
{
	(void)state;
	enum {
		THREADS = 1000
	};
	struct advice_queue *queue = create_queue();
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

/* --- what is copied ------------------------------------------------------------------
 */

struct comparison {
	struct capture_habit habit;
	struct advice_queue *queue;
	struct snapshot *snapshot;
	struct callchain *chain;
	size_t shorter; /* copies */
};

static struct comparison begin(void)
{
	return (struct comparison){
		.queue = create_queue(),
		.snapshot = mem_zalloc(sizeof(struct snapshot) + STACK_BYTES),
		.chain = mem_zalloc(sizeof(struct callchain)),
	};
}

static void end(struct comparison *comparison)
{
	free(comparison->queue);
	free(comparison->snapshot);
	free(comparison->chain);
}

/* In one stop all that may be copied, and what the sampler would copy. */
static void compare(struct session *session, pid_t tid, struct comparison *comparison)
{
	struct tracee *tracee = &session->tracee;
	struct snapshot *all = session->snapshot, *some = comparison->snapshot;
	struct capture_memory memory = {.mem_fd = tracee->mem_fd};
	usleep((useconds_t)(rand() % 300));
	assert_true(tracee_stop(tracee, tid, all, STACK_BYTES));
	*some = (struct snapshot){
		.kind = SNAPSHOT_SAMPLE,
		.tid = tid,
		.time_ns = all->time_ns,
		.regset = all->regset,
	};
	assert_int_equal(capture_stack(&memory, STACK_BYTES, &comparison->habit, some),
		CAPTURE_DONE);
	assert_true(tracee_resume(tracee, tid));

	unwinder_unwind(session->unwinder, all, session->chain);
	unwinder_unwind(session->unwinder, some, comparison->chain);
	const struct callchain *a = session->chain, *b = comparison->chain;
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->length, b->length);
	assert_memory_equal(a->frames, b->frames, a->length * sizeof(a->frames[0]));
	advice_learn(comparison->queue, some, comparison->chain, STACK_BYTES);
	struct advice advice;
	while (advice_take(comparison->queue, &advice))
		comparison->habit.root = advice.root;
	comparison->shorter += some->stack_length < all->stack_length;
}

static void compare_all(struct session *session, pid_t tid)
{
	struct comparison comparison = begin();
	for (int i = 0; i < SAMPLES; i++)
		compare(session, tid, &comparison);
	print_message("# of %d copies %zu are shorter\n", SAMPLES, comparison.shorter);
	assert_true(comparison.shorter > SAMPLES / 2);
	end(&comparison);
}

static void test_a_first_thread(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	compare_all(session, session->tracee.pid);
}

static void test_another_thread(void **state)
{
	enum {
		THREADS = 9
	};
	struct session *session = start(state, ARGV(target_path("stack-threads")));
	pid_t tids[THREADS];
	assert_int_equal(tracee_threads(&session->tracee, tids, THREADS), THREADS);
	pid_t other = tids[0] == session->tracee.pid ? tids[1] : tids[0];
	assert_true(tracee_seize(&session->tracee, other));
	compare_all(session, other);
}

/* No copy reaches its root, so all are as long as may be. */
static void test_a_stack_too_deep(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-recursion"), "wide"));
	struct comparison comparison = begin();
	for (int i = 0; i < 20; i++)
		compare(session, session->tracee.pid, &comparison);
	assert_int_equal(session->chain->end, UNWIND_TRUNCATED);
	assert_int_equal(comparison.shorter, 0);
	end(&comparison);
}

static void test_a_handler_on_a_stack_of_its_own(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-signals"), "alternate"));
	struct comparison comparison = begin();
	for (int i = 0; i < SAMPLES; i++)
		compare(session, session->tracee.pid, &comparison);
	end(&comparison);
}

/* The root is known, but something else stands there, or it is that of another stack. */
static void test_a_root_that_is_gone(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	struct comparison comparison = begin();
	for (int i = 0; i < 10; i++)
		compare(session, session->tracee.pid, &comparison);
	size_t shorter = comparison.shorter;
	struct stack_root root = comparison.habit.root;
	assert_int_not_equal(root.top, 0);
	comparison.habit.root.word++;
	compare(session, session->tracee.pid, &comparison);
	assert_int_equal(comparison.shorter, shorter);
	comparison.habit.root.top = session->snapshot->stack_address;
	compare(session, session->tracee.pid, &comparison);
	assert_int_equal(comparison.shorter, shorter);
	comparison.habit.root = root;
	compare(session, session->tracee.pid, &comparison);
	assert_int_equal(comparison.shorter, shorter + 1);
	end(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_second_sample_alike_is_told_of),
		cmocka_unit_test(test_bad_advice_is_taken_back_for_good),
		cmocka_unit_test(test_copies_grow_with_the_stack),
		cmocka_unit_test(test_no_advice_is_lost),
		cmocka_unit_test_teardown(test_a_first_thread, finish),
		cmocka_unit_test_teardown(test_another_thread, finish),
		cmocka_unit_test_teardown(test_a_stack_too_deep, finish),
		cmocka_unit_test_teardown(test_a_handler_on_a_stack_of_its_own, finish),
		cmocka_unit_test_teardown(test_a_root_that_is_gone, finish),
	};
	return unit_run(tests);
}
