/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding from snapshots of real programs: against stacks that are known, and against
 * libunwind-ptrace as it is, on the same stop of the same thread. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "tests/lib/unwound.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_THREADS = 64,
};

/* --- stacks that are known ---------------------------------------------------------- */

static void test_c_without_frame_pointers(void **state)
{
	expect_of(state, ARGV(target_path("stack-calls")),
		(struct expectation){.pattern = calls_pattern(), .like_stock = true});
}

static void test_signal_handler_and_what_it_interrupted(void **state)
{
	const char *path = target_path("stack-signals");
	expect_of(state, ARGV(path, "raise"),
		(struct expectation){.pattern = "spin on_signal ... interrupted main",
			.like_stock = true});
	/* A lookup one byte before the PC would find the function before. */
	expect_of(state, ARGV(path, "first"),
		(struct expectation){
			.pattern =
				"spin on_signal ? first_instruction interrupted main"});
	expect_of(state, ARGV(path, "null"),
		(struct expectation){.pattern = "spin on_signal ? ? interrupted main"});
}

/* A return address may be that of the next function's first instruction. */
static void test_call_at_the_end_of_a_function(void **state)
{
	expect_of(state, ARGV(target_path("stack-signals"), "last"),
		(struct expectation){"spin last_instruction interrupted main"});
}

/* The interrupted stack is copied as well. */
static void test_alternate_signal_stack(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-signals"), "alternate"));
	expect(session, session->tracee.pid,
		(struct expectation){"spin on_signal ? ... interrupted main"});
	const struct callchain *chain = session->chain;
	assert_true(chain->frames[0].is_activation);
	assert_false(chain->frames[1].is_activation);
	assert_true(chain->frames[2].is_activation); /* nobody called it */
	assert_true(chain->frames[3].is_activation);

	/* A copy that is full with the handler's stack has no room for it: the leaf that
	   was interrupted is known from the signal frame. */
	expect(session, session->tracee.pid,
		(struct expectation){
			"spin on_signal ? ?", UNWIND_TRUNCATED, .stack_bytes = 1600});
}

static void test_vdso(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-vdso")));
	int inside = 0;
	for (int i = 0; i < SAMPLES; i++) {
		take(session, session->tracee.pid, STACK_BYTES);
		assert_int_equal(session->chain->end, UNWIND_ROOT);
		assert_true(matches(session, 0, "... ask want_time main"));
		const struct region *region = address_space_find(
			session->tracee.space, session->chain->frames[0].pc);
		inside += strcmp(region->path, "[vdso]") == 0;
	}
	print_message("# %d of %d in the vDSO\n", inside, SAMPLES);
	assert_true(inside > 0);
}

static const char no_cfi_pattern[] =
	"plain_leaf* plain_spin with_cfi plain_middle plain_step with_cfi plain_middle "
	"plain_step with_cfi plain_middle plain_step with_cfi plain_middle plain_step "
	"with_cfi main";

static void test_code_without_unwind_information(void **state)
{
	expect_of(state, ARGV(target_path("stack-no-cfi")),
		(struct expectation){.pattern = no_cfi_pattern});
}

static void test_eight_threads(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-threads")));
	pid_t tids[MAX_THREADS];
	size_t count = tracee_threads(&session->tracee, tids, MAX_THREADS);
	assert_int_equal(count, 9);
	unsigned depths = 0; /* bit i: a thread with i calls of down was seen */
	for (size_t i = 0; i < count; i++) {
		if (tids[i] == session->tracee.pid)
			continue;
		assert_true(tracee_seize(&session->tracee, tids[i]));
		for (int n = 0; n < SAMPLES / 8; n++) {
			take(session, tids[i], STACK_BYTES);
			assert_int_equal(session->chain->end, UNWIND_ROOT);
			assert_true(matches(session, 0, "... spin down down* work ..."));
			assert_true(is_like_stock(session));
		}
		unsigned down = 0;
		for (uint32_t n = 0; n < session->chain->length; n++)
			down += strcmp(tracee_symbol(&session->tracee,
					       session->chain->frames[n]),
					"down") == 0;
		depths |= 1u << down;
	}
	assert_int_equal(depths, 0x1fe);
}

/* --- stacks that do not end well ---------------------------------------------------- */

static void test_deeper_than_the_copy_is_truncated(void **state)
{
	expect_of(state, ARGV(target_path("stack-recursion"), "wide"),
		(struct expectation){"spin wide wide*", UNWIND_TRUNCATED});
}

/* Of 5000 calls the first and the last are kept, and the others are counted. */
static void test_recursion_is_folded(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-recursion"), "thin", "5000"));
	struct callchain *chain = session->chain;
	take(session, session->tracee.pid, 16 * STACK_BYTES);
	assert_int_equal(chain->end, UNWIND_ROOT);
	assert_int_equal(chain->length, CALLCHAIN_MAX);
	assert_true(matches(session, 0, "spin thin thin* main"));
	uint32_t thin = 0;
	for (uint32_t i = 0; i < chain->length; i++)
		thin += strcmp(tracee_symbol(&session->tracee, chain->frames[i]),
				"thin") == 0;
	assert_int_equal(thin + chain->fold.frames, 5001);
	assert_int_equal(chain->fold.n_kinds, 1);
	assert_string_equal(
		tracee_symbol(&session->tracee, chain->fold.kinds[0]), "thin");
}

static void test_too_many_frames(void **state)
{
	size_t bytes = 16 << 20;
	struct session *session =
		start(state, ARGV(target_path("stack-recursion"), "thin", "300000"));
	session->snapshot =
		realloc(session->snapshot, sizeof(*session->snapshot) + bytes);
	assert_non_null(session->snapshot);
	take(session, session->tracee.pid, bytes);
	assert_int_equal(session->chain->end, UNWIND_TOO_DEEP);
	assert_int_equal(session->chain->length, CALLCHAIN_MAX);
}

/* --- chains of very many frames ---------------------------------------------------- */

/* A chain of COUNT frames whose PCs are their numbers. */
static void count_frames(struct callchain *chain, uint32_t count)
{
	callchain_begin(chain);
	for (uint32_t i = 0; i < count; i++)
		assert_true(callchain_add(chain, (struct frame){.pc = i + 1}));
	callchain_settle(chain);
}

static void test_the_ends_of_a_chain_are_kept(void **state)
{
	(void)state;
	static const uint32_t counts[] = {1, CALLCHAIN_LEAF, CALLCHAIN_MAX,
		CALLCHAIN_MAX + 1, CALLCHAIN_MAX + CALLCHAIN_KINDS,
		CALLCHAIN_MAX + CALLCHAIN_KINDS + 1, 2 * CALLCHAIN_MAX, 100000};
	struct callchain *chain = calloc(1, sizeof(*chain));
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint32_t count = counts[i];
		uint32_t folded = count > CALLCHAIN_MAX ? count - CALLCHAIN_MAX : 0;
		count_frames(chain, count);
		assert_int_equal(chain->length + chain->fold.frames, count);
		assert_int_equal(chain->fold.frames, folded);
		assert_int_equal(chain->fold.n_kinds,
			folded > CALLCHAIN_KINDS ? CALLCHAIN_KINDS + 1 : folded);
		for (uint32_t at = 0; at < chain->length; at++)
			assert_int_equal(chain->frames[at].pc,
				at + 1 + (at < CALLCHAIN_LEAF ? 0 : folded));
	}
	/* It may go on after it was looked at. */
	assert_true(callchain_add(chain, (struct frame){.pc = 100001}));
	callchain_settle(chain);
	assert_int_equal(chain->frames[CALLCHAIN_MAX - 1].pc, 100001);
	assert_int_equal(chain->frames[CALLCHAIN_MAX - 2].pc, 100000);
	while (callchain_add(chain, (struct frame){.pc = 7}))
		;
	assert_int_equal(chain->length + chain->fold.frames, CALLCHAIN_DEEPEST);
	free(chain);
}

static void assert_label(uint32_t frames, const char *what, const char *expected)
{
	char *label = callchain_fold_label(frames, what);
	assert_string_equal(label, expected);
	assert_true(callchain_is_fold_label(label));
	free(label);
}

static void test_labels_of_folds(void **state)
{
	(void)state;
	assert_label(1, "f", "[... 1 frames: f]");
	assert_label(904, "f, g", "[... 900+ frames: f, g]");
	assert_label(95904, "f", "[... 90,000+ frames: f]");
	assert_label(200000, "", "[... 200,000 frames]");
	assert_false(callchain_is_fold_label("[truncated stack]"));
}

/* Out of compiled code that nobody called into an interpreter that has a frame
   pointer. */
static void test_generated_code(void **state)
{
	expect_of(state, ARGV(target_path("stack-generated")),
		(struct expectation){"? ? run main"});
}

/* Generated code that only its compiler's table for debuggers describes. */
static void test_registered_code(void **state)
{
	expect_of(state, ARGV(target_path("stack-registered")),
		(struct expectation){"? run main"});
	expect_of(state, ARGV(target_path("stack-registered"), "object"),
		(struct expectation){"? run main"});
}

/* A return address that is the start of a function, in a file. */
static void test_code_that_is_entered_by_a_return(void **state)
{
	expect_of(state, ARGV(target_path("stack-entered")),
		(struct expectation){"callee go_on run main"});
}

/* Where the stack pointer depends on how often a loop has pushed, and where the return address will
   only be when the code returns. */
static void test_code_that_pushes_what_nobody_tells(void **state)
{
	expect_of(state, ARGV(target_path("stack-pushed")),
		(struct expectation){"callee entry interpreter run main"});
}

/* Whoever cannot be left has a caller all the same: found by the call, or by the use of
   the address; or guessed, and said to be. */
static void test_code_that_never_returns(void **state)
{
	const char *path = target_path("stack-dead-end");
	expect_of(state, ARGV(path, "direct"),
		(struct expectation){"? call_directly run main"});
	expect_of(state, ARGV(path, "pointer"),
		(struct expectation){"? call_by_pointer run main"});
	expect_of(state, ARGV(path, "generated"),
		(struct expectation){"? ? run main", UNWIND_GUESSED});
	expect_of(state, ARGV(path, "entered"), (struct expectation){"? run main"});
	expect_of(state, ARGV(path, "last"),
		(struct expectation){"never_back ends_with_call run main"});
	expect_of(state, ARGV(path, "linked"), (struct expectation){"? ? ? ?"});
}

/* The first code of a coroutine's stack was called by nobody, whatever lies above. */
static void test_stacks_that_were_made_by_hand(void **state)
{
	const char *path = target_path("stack-contexts");
	expect_of(state, ARGV(path, "static"), (struct expectation){"spin body ?"});
	expect_of(state, ARGV(path, "heap"), (struct expectation){"spin body ?"});
	expect_of(state, ARGV(path, "inside"), (struct expectation){"spin body ?"});
	expect_of(state, ARGV(path, "jump"),
		(struct expectation){"spin body begin_of_stack"});
	expect_of(state, ARGV(path, "start"), (struct expectation){"spin body crash"});
}

static void test_circles_end(void **state)
{
	const char *path = target_path("stack-hostile");
	expect_of(state, ARGV(path, "frames"),
		(struct expectation){"? ...", UNWIND_NO_CFI});
	expect_of(
		state, ARGV(path, "self"), (struct expectation){"? ...", UNWIND_NO_CFI});
	expect_of(state, ARGV(path, "same"),
		(struct expectation){"spin_same", UNWIND_CYCLE});
	expect_of(state, ARGV(path, "zero"),
		(struct expectation){"spin_zero", UNWIND_BAD_MEMORY});
}

/* It is copied as far as it may be, and goes on where no longer copy leads. */
static void test_a_stack_that_goes_on_elsewhere(void **state)
{
	expect_of(state, ARGV(target_path("stack-hostile"), "away"),
		(struct expectation){"spin_away", UNWIND_BAD_MEMORY});
}

/* The stock unwinder would never come back from this one. */
static void test_endless_expression_ends(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-hostile"), "loop"));
	struct tracee *tracee = &session->tracee;
	assert_true(tracee_stop(tracee, tracee->pid, session->snapshot, STACK_BYTES));
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
	assert_int_equal(session->chain->end, UNWIND_CYCLE);
	assert_true(matches(session, 0, "spin_loop"));
}

/* --- snapshots that lack something -------------------------------------------------- */

/* Unwind the last sample again with the PC and the stack pointer alone. */
static void unwind_with_pc_and_sp(struct session *session)
{
	struct snapshot *snapshot = session->snapshot;
	assert_true(arch_decode_regset(&snapshot->regset, &snapshot->known));
	snapshot->known.known = arch_bit(arch_pc) | arch_bit(arch_sp);
	snapshot->regset.size = 0;
	unwinder_unwind(session->unwinder, snapshot, session->chain);
}

static void test_thread_that_was_not_stopped(void **state)
{
	/* Without frame pointers these two say it all... */
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	take(session, session->tracee.pid, STACK_BYTES);
	unwind_with_pc_and_sp(session);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_true(matches(session, 0, calls_pattern()));

	/* ...and without tables the code does... */
	session = start(state, ARGV(target_path("stack-no-cfi")));
	do
		take(session, session->tracee.pid, STACK_BYTES);
	while (!matches(session, 0, "plain_spin with_cfi ..."));
	unwind_with_pc_and_sp(session);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_true(matches(session, 0, no_cfi_pattern + strlen("plain_leaf* ")));

	/* ...and where a table wants the frame pointer. */
	const char *path = build_or_skip("stack-frame-pointers",
		"${CC:-cc} -O0 -I../.. stack-calls.c stack-calls-lib.c -o $output");
	session = start(state, ARGV(path));
	take(session, session->tracee.pid, STACK_BYTES);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	struct callchain *known = mem_alloc(sizeof(*known));
	memcpy(known, session->chain, sizeof(*known));
	unwind_with_pc_and_sp(session);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_int_equal(session->chain->length, known->length);
	for (uint32_t i = 0; i < known->length; i++)
		assert_int_equal(session->chain->frames[i].pc, known->frames[i].pc);
	free(known);
}

/* Nothing of the stack was copied: that is what is said, where there are tables and where the code
   was asked. */
static void test_a_stack_that_was_not_read(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-no-cfi")));
	for (int with_cfi = 0; with_cfi < 2; with_cfi++) {
		if (with_cfi)
			session = start(state, ARGV(target_path("stack-calls")));
		do
			take(session, session->tracee.pid, STACK_BYTES);
		while (!with_cfi && !matches(session, 0, "plain_spin with_cfi ..."));
		session->snapshot->stack_length = 0;
		session->snapshot->is_not_read = true;
		unwinder_unwind(session->unwinder, session->snapshot, session->chain);
		assert_int_equal(session->chain->end, UNWIND_NOT_READ);
	}
}

static void test_foreign_task(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	session->snapshot->regset.size = 68; /* a 32-bit task's */
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
	assert_int_equal(session->chain->end, UNWIND_FOREIGN);
	assert_int_equal(session->chain->length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_c_without_frame_pointers, finish),
		cmocka_unit_test_teardown(
			test_signal_handler_and_what_it_interrupted, finish),
		cmocka_unit_test_teardown(test_alternate_signal_stack, finish),
		cmocka_unit_test_teardown(test_call_at_the_end_of_a_function, finish),
		cmocka_unit_test_teardown(test_vdso, finish),
		cmocka_unit_test_teardown(test_code_without_unwind_information, finish),
		cmocka_unit_test_teardown(test_eight_threads, finish),
		cmocka_unit_test_teardown(test_deeper_than_the_copy_is_truncated, finish),
		cmocka_unit_test_teardown(test_recursion_is_folded, finish),
		cmocka_unit_test_teardown(test_too_many_frames, finish),
		cmocka_unit_test(test_the_ends_of_a_chain_are_kept),
		cmocka_unit_test(test_labels_of_folds),
		cmocka_unit_test_teardown(test_generated_code, finish),
		cmocka_unit_test_teardown(test_code_that_never_returns, finish),
		cmocka_unit_test_teardown(test_registered_code, finish),
		cmocka_unit_test_teardown(test_code_that_is_entered_by_a_return, finish),
		cmocka_unit_test_teardown(
			test_code_that_pushes_what_nobody_tells, finish),
		cmocka_unit_test_teardown(test_stacks_that_were_made_by_hand, finish),
		cmocka_unit_test_teardown(test_circles_end, finish),
		cmocka_unit_test_teardown(test_a_stack_that_goes_on_elsewhere, finish),
		cmocka_unit_test_teardown(test_endless_expression_ends, finish),
		cmocka_unit_test_teardown(test_thread_that_was_not_stopped, finish),
		cmocka_unit_test_teardown(test_a_stack_that_was_not_read, finish),
		cmocka_unit_test_teardown(test_foreign_task, finish),
	};
	return unit_run(tests);
}
