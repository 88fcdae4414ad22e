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

static struct advice_queue *create_queue(void)
{
	struct advice_queue *queue = mem_alloc(sizeof(*queue));
	memset(queue, 0xa5, sizeof(*queue)); /* where a ring was before */
	advice_init(queue);
	return queue;
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
		cmocka_unit_test_teardown(test_a_first_thread, finish),
		cmocka_unit_test_teardown(test_another_thread, finish),
		cmocka_unit_test_teardown(test_a_stack_too_deep, finish),
		cmocka_unit_test_teardown(test_a_handler_on_a_stack_of_its_own, finish),
		cmocka_unit_test_teardown(test_a_root_that_is_gone, finish),
	};
	return unit_run(tests);
}
