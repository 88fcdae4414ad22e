/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture: a stack is copied up to its root once that is known, and never less than
   unwinding needs. */

#include "tests/lib/advised.h"
#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include "ptrace/capture.h"
#include "src/base/mem.h"
#include "src/facts/advice.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what is copied ----------------------------------------------------------------- */

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
		.queue = advised_create(),
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
	struct capture_memory memory = {.memory = tracee->mem_fd};
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

/* --- where it is safe to read ------------------------------------------------------- */

enum {
	PAGE = 4096,
	PAGES = 8,
};

/* Memory of this process as that of a target; what is asked of the slow way. */
struct stack {
	unsigned char *bytes; /* between two pages that cannot be read */
	struct capture_memory memory;
	struct snapshot *snapshot;
	size_t asked;
	int errnum; /* of the slow way; 0: it reads */
};

static uint64_t at(const struct stack *stack, size_t offset)
{
	return (uint64_t)(uintptr_t)stack->bytes + offset;
}

static ssize_t read_slowly(
	void *context, int mem_fd, void *out, size_t length, uint64_t address)
{
	struct stack *stack = context;
	stack->asked++;
	errno = stack->errnum;
	if (length > CAPTURE_SLOW_BYTES)
		length = CAPTURE_SLOW_BYTES;
	return stack->errnum ? -1 : pread(mem_fd, out, length, (off_t)address);
}

static struct stack *begin_stack(void)
{
	struct stack *stack = mem_zalloc(sizeof(*stack));
	unsigned char *area = mmap(
		NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(area != MAP_FAILED);
	stack->bytes = area + PAGE;
	assert_int_equal(mprotect(stack->bytes, PAGES * PAGE, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < PAGES * PAGE; i++)
		stack->bytes[i] = (unsigned char)(i * 31 >> 3);
	/* What is not mapped at all ends a read. */
	munmap(area, PAGE);
	munmap(stack->bytes + PAGES * PAGE, PAGE);
	stack->snapshot = mem_zalloc(sizeof(*stack->snapshot) + STACK_BYTES);
	stack->memory = (struct capture_memory){
		.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
		.slow = read_slowly,
		.context = stack,
	};
	return stack;
}

static void end_stack(struct stack *stack)
{
	close(stack->memory.memory);
	munmap(stack->bytes, PAGES * PAGE);
	free(stack->snapshot);
	free(stack);
}

static enum capture_result capture_at(struct stack *stack, size_t offset, size_t bytes)
{
	struct capture_habit habit = {0};
	return capture_stack_at(
		&stack->memory, at(stack, offset), bytes, &habit, stack->snapshot);
}

static void assert_copied(const struct stack *stack, size_t from, size_t to)
{
	assert_int_equal(stack->snapshot->stack_address, at(stack, from));
	assert_int_equal(stack->snapshot->stack_length, to - from);
	assert_memory_equal(stack->snapshot->stack, stack->bytes + from, to - from);
}

static void test_known_memory_is_read_directly(void **state)
{
	(void)state;
	struct stack *stack = begin_stack();
	stack->memory.bounds = (struct stack_bounds){at(stack, 0), at(stack, 6 * PAGE)};
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, 6 * PAGE); /* and no farther */
	assert_false(stack->snapshot->stack_cut);
	assert_int_equal(capture_at(stack, PAGE, 2 * PAGE), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, 3 * PAGE - CAPTURE_RED_ZONE);
	assert_true(stack->snapshot->stack_cut);
	assert_int_equal(stack->asked, 0);
	/* Where a read has to wait for the target's threads, it is not ours that waits. */
	stack->memory.is_contended = true;
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, 6 * PAGE);
	assert_int_equal(stack->asked, 1);
	stack->errnum = ETIMEDOUT;
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_NOTHING);
	assert_int_equal(stack->snapshot->stack_length, 0);
	assert_true(stack->snapshot->is_not_read);
	end_stack(stack);
}

static void test_a_far_part_comes_behind(void **state)
{
	(void)state;
	struct stack *stack = begin_stack();
	struct snapshot *snapshot = stack->snapshot;
	uint64_t limit;
	stack->memory.bounds = (struct stack_bounds){at(stack, 0), at(stack, 3 * PAGE)};
	stack->memory.far =
		(struct stack_bounds){at(stack, 5 * PAGE), at(stack, 6 * PAGE)};
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, 3 * PAGE);
	assert_int_equal(snapshot->other_address, at(stack, 5 * PAGE));
	assert_int_equal(snapshot->other_length, PAGE);
	assert_memory_equal(snapshot_stack_at(snapshot, at(stack, 5 * PAGE), PAGE),
		stack->bytes + 5 * PAGE, PAGE);
	assert_null(snapshot_stack_at(snapshot, at(stack, 4 * PAGE), 8));
	assert_int_equal(stack->asked, 0);
	/* The first part becomes shorter for it, and what is between them was cut off. */
	assert_int_equal(capture_at(stack, PAGE, 2 * PAGE), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, 2 * PAGE - CAPTURE_RED_ZONE);
	assert_int_equal(snapshot->other_length, PAGE);
	assert_true(snapshot_is_cut_at(snapshot, at(stack, 4 * PAGE), 8, &limit));
	assert_int_equal(limit, at(stack, 2 * PAGE - CAPTURE_RED_ZONE));
	assert_true(snapshot_is_cut_at(snapshot, at(stack, 6 * PAGE), 8, &limit));
	assert_int_equal(limit, at(stack, 6 * PAGE));
	/* What both have is copied once. */
	stack->memory.bounds.high = at(stack, PAGES * PAGE);
	stack->memory.far.low = at(stack, PAGE);
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, PAGES * PAGE);
	assert_int_equal(snapshot->other_length, 0);
	end_stack(stack);
}

static void test_other_memory_is_read_the_slow_way(void **state)
{
	(void)state;
	struct stack *stack = begin_stack();
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, PAGES * PAGE);
	assert_int_equal(stack->asked, 1);
	/* The stack has grown out of what was known of it. */
	stack->memory.bounds =
		(struct stack_bounds){at(stack, 2 * PAGE), at(stack, PAGES * PAGE)};
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, PAGE - CAPTURE_RED_ZONE, PAGES * PAGE);
	assert_int_equal(stack->asked, 2);
	/* Below it nothing is mapped: so the red zone is left out. */
	assert_int_equal(capture_at(stack, 0, STACK_BYTES), CAPTURE_DONE);
	assert_copied(stack, 0, PAGES * PAGE);
	end_stack(stack);
}

/* As many times as it takes for a stack that has outgrown what was known of it. */
static void test_the_slow_way_is_gone_to_the_end(void **state)
{
	(void)state;
	enum {
		BYTES = 2 * CAPTURE_SLOW_BYTES + PAGE,
	};
	struct stack *stack = begin_stack();
	static unsigned char from[BYTES], to[2 * BYTES];
	uint64_t address = (uint64_t)(uintptr_t)from;
	for (size_t i = 0; i < BYTES; i++)
		from[i] = (unsigned char)(i * 31 >> 3);
	assert_int_equal(capture_read(&stack->memory, to, BYTES, address), BYTES);
	assert_memory_equal(to, from, BYTES);
	assert_int_equal(stack->asked, 3);
	assert_int_equal(capture_read(&stack->memory, to, PAGE, address), PAGE);
	assert_int_equal(stack->asked, 4);
	/* Not behind the end of a mapping. */
	assert_int_equal(
		capture_read(&stack->memory, to, BYTES, at(stack, 0)), PAGES * PAGE);
	assert_int_equal(stack->asked, 5);
	end_stack(stack);
}

/* A reader that does not answer is asked only once, because the thread is stopped. */
static void test_what_does_not_come_in_time_is_nothing(void **state)
{
	(void)state;
	struct stack *stack = begin_stack();
	stack->errnum = ETIMEDOUT;
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_NOTHING);
	assert_int_equal(stack->asked, 1);
	assert_int_equal(stack->snapshot->stack_length, 0);
	assert_int_equal(stack->snapshot->other_length, 0);
	assert_false(stack->snapshot->stack_cut);
	stack->errnum = EIO; /* nothing is mapped there */
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_NOTHING);
	assert_int_equal(stack->snapshot->stack_length, 0);
	end_stack(stack);
}

/* Of a process that is gone there is no memory, which is not the same as none that can be
   read. */
static void test_memory_that_is_gone(void **state)
{
	(void)state;
	struct stack *stack = begin_stack();
	char path[32];
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	int mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(dup2(mem_fd, stack->memory.memory), stack->memory.memory);
	close(mem_fd);
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_DONE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(capture_at(stack, PAGE, STACK_BYTES), CAPTURE_GONE);
	end_stack(stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_first_thread, finish),
		cmocka_unit_test_teardown(test_another_thread, finish),
		cmocka_unit_test_teardown(test_a_stack_too_deep, finish),
		cmocka_unit_test_teardown(test_a_handler_on_a_stack_of_its_own, finish),
		cmocka_unit_test_teardown(test_a_root_that_is_gone, finish),
		cmocka_unit_test(test_known_memory_is_read_directly),
		cmocka_unit_test(test_a_far_part_comes_behind),
		cmocka_unit_test(test_other_memory_is_read_the_slow_way),
		cmocka_unit_test(test_the_slow_way_is_gone_to_the_end),
		cmocka_unit_test(test_what_does_not_come_in_time_is_nothing),
		cmocka_unit_test(test_memory_that_is_gone),
	};
	return unit_run(tests);
}
