/* Unwinding from snapshots of real programs: against stacks that are known, and against
 * libunwind-ptrace as it is, on the same stop of the same thread. */

#include "tests/unit.h"

#include "ptrace/unwind-live.h"
#include "src/mem.h"
#include "src/unwinder.h"
#include "tests/tracee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SAMPLES = 200,
	STACK_BYTES = 64 << 10, /* as the sampler copies */
	MAX_THREADS = 64,
	FRAMES_ABOVE_MAIN = 3, /* what libc calls main from */
};

/* --- a program under test ------------------------------------------------------------
 */

struct session {
	struct tracee tracee;
	struct unwinder *unwinder;
	struct live_unwinder *stock;
	struct snapshot *snapshot;
	struct callchain *chain, *stock_chain;
};

static int finish(void **state)
{
	struct session *session = *state;
	if (!session)
		return 0;
	free(session->stock_chain);
	free(session->chain);
	free(session->snapshot);
	live_unwinder_destroy(session->stock);
	unwinder_destroy(session->unwinder);
	tracee_finish(&session->tracee);
	free(session);
	*state = NULL;
	return 0;
}

/* Run ARGV, in place of the program before. The test's teardown ends it, come what may.
 */
static struct session *start(void **state, const char *const *argv)
{
	struct error err = {{0}};
	finish(state);
	struct session *session = *state = mem_zalloc(sizeof(*session));
	assert_true(tracee_start(&session->tracee, argv));
	assert_true(tracee_seize(&session->tracee, session->tracee.pid));
	session->unwinder = unwinder_create(session->tracee.space, &err);
	session->stock = live_unwinder_create(true, &err);
	assert_non_null(session->unwinder);
	assert_non_null(session->stock);
	session->snapshot = mem_zalloc(sizeof(*session->snapshot) + 16 * STACK_BYTES);
	session->chain = mem_zalloc(sizeof(*session->chain));
	session->stock_chain = mem_zalloc(sizeof(*session->chain));
	usleep(20000); /* let it get from "ready" to where it stays */
	return session;
}

/* A program built by this Makefile. */
static const char *target_path(const char *name)
{
	static char path[4096];
	const char *builddir = getenv("builddir");
	snprintf(path, sizeof(path), "%s/tests/targets/%s", builddir ? builddir : ".",
		name);
	return path;
}

static const char *source_path(const char *name)
{
	static char path[4096];
	const char *srcdir = getenv("srcdir");
	snprintf(path, sizeof(path), "%s/tests/targets/%s", srcdir ? srcdir : ".", name);
	return path;
}

/* Build a target by a shell command that makes $output; the test is skipped if that
   fails. */
static const char *build_or_skip(const char *name, const char *command)
{
	static char output[4096 + 32];
	snprintf(output, sizeof(output), "%s-built", target_path(name));
	setenv("output", output, 1);
	char *quiet = mem_printf("cd \"${srcdir:-.}\"/tests/targets && { %s; } "
				 ">/dev/null 2>&1",
		command);
	int status = system(quiet);
	free(quiet);
	if (status != 0) {
		print_message("# cannot build it here: %s\n", command);
		skip();
	}
	return output;
}

/* Stop TID, unwind both ways, let it go on. */
static void take(struct session *session, pid_t tid, size_t stack_bytes)
{
	struct tracee *tracee = &session->tracee;
	usleep((useconds_t)(rand() % 300));
	assert_true(tracee_stop(tracee, tid, session->snapshot, stack_bytes));
	live_unwinder_unwind(session->stock, tid, session->stock_chain);
	assert_true(tracee_resume(tracee, tid));
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
}

static bool is_like_stock(const struct session *session)
{
	const struct callchain *a = session->chain, *b = session->stock_chain;
	if (a->length != b->length)
		return false;
	for (uint32_t i = 0; i < a->length; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return true;
}

/* --- patterns ------------------------------------------------------------------------
 */

/* Do the frames from FRAME on match PATTERN: words for one frame each, leaf first; "x*"
   for any number of frames called x, "..." for any frames at all. The frames above those
   of a C program's main are few and have no names worth knowing, so a pattern that ends
   with "main" leaves them. */
static bool matches(struct session *session, uint32_t frame, const char *pattern)
{
	const struct callchain *chain = session->chain;
	pattern += strspn(pattern, " ");
	if (!*pattern)
		return frame == chain->length;
	size_t length = strcspn(pattern, " ");
	const char *rest = pattern + length;
	if (strncmp(pattern, "...", length) == 0) {
		for (uint32_t i = frame; i <= chain->length; i++)
			if (matches(session, i, rest))
				return true;
		return false;
	}
	bool many = pattern[length - 1] == '*';
	if (many && matches(session, frame, rest))
		return true;
	if (frame == chain->length)
		return false;
	size_t name_length = length - many;
	const char *name = tracee_symbol(&session->tracee, chain->frames[frame]);
	if (strlen(name) != name_length || strncmp(name, pattern, name_length) != 0)
		return false;
	if (!*rest && strncmp(pattern, "main", length) == 0)
		return frame + 1 < chain->length &&
		       chain->length <= frame + 1 + FRAMES_ABOVE_MAIN;
	return matches(session, frame + 1, many ? pattern : rest);
}

static void show(struct session *session)
{
	const struct callchain *chain = session->chain;
	print_message(
		"# %s after %u frames:", unwind_end_name(chain->end), chain->length);
	for (uint32_t i = 0; i < chain->length && i < 60; i++)
		print_message(" %s", tracee_symbol(&session->tracee, chain->frames[i]));
	print_message("\n");
}

/* What is asked of the samples of one thread. */
struct expectation {
	const char *pattern;
	enum unwind_end end;
	bool like_stock;
	size_t stack_bytes;
};

static bool is_expected(struct session *session, const struct expectation *expected)
{
	return session->chain->end == expected->end &&
	       matches(session, 0, expected->pattern) &&
	       (!expected->like_stock || is_like_stock(session));
}

/* At least 99 of 100 samples must be as expected. */
static void expect(struct session *session, pid_t tid, struct expectation expected)
{
	if (!expected.stack_bytes)
		expected.stack_bytes = STACK_BYTES;
	int right = 0;
	for (int i = 0; i < SAMPLES; i++) {
		take(session, tid, expected.stack_bytes);
		if (is_expected(session, &expected))
			right++;
		else if (i - right < 3)
			show(session);
	}
	print_message("# %d of %d as expected\n", right, SAMPLES);
	assert_true(right * 100 >= SAMPLES * 99);
}

static void expect_of(void **state, const char *const *argv, struct expectation expected)
{
	struct session *session = start(state, argv);
	expect(session, session->tracee.pid, expected);
}

#define ARGV(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* --- stacks that are known -----------------------------------------------------------
 */

/* "churn* spin exe_step lib_step exe_step ... main": 18 calls each way. */
static const char *calls_pattern(void)
{
	static char pattern[1024];
	strcpy(pattern, "churn* spin");
	for (int i = 0; i < 18; i++)
		strcat(pattern, " exe_step lib_step");
	return strcat(pattern, " exe_step main");
}

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

/* --- stacks that do not end well -----------------------------------------------------
 */

static void test_deeper_than_the_copy_is_truncated(void **state)
{
	expect_of(state, ARGV(target_path("stack-recursion"), "wide"),
		(struct expectation){"spin wide wide*", UNWIND_TRUNCATED});
}

static void test_too_many_frames(void **state)
{
	struct session *session =
		start(state, ARGV(target_path("stack-recursion"), "thin"));
	take(session, session->tracee.pid, 16 * STACK_BYTES);
	assert_int_equal(session->chain->end, UNWIND_TOO_DEEP);
	assert_int_equal(session->chain->length, CALLCHAIN_MAX);
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

/* --- snapshots that lack something ---------------------------------------------------
 */

/* Unwind the last sample again with the PC and the stack pointer alone. */
static void unwind_with_pc_and_sp(struct session *session)
{
	struct snapshot *snapshot = session->snapshot;
	assert_true(arch_decode_regset(&snapshot->regset, &snapshot->known));
	snapshot->known.known = 1u << arch_pc | 1u << arch_sp;
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

	/* ...but a table that wants the frame pointer wants it. */
	const char *path = build_or_skip("stack-frame-pointers",
		"${CC:-cc} -O0 -I../.. stack-calls.c stack-calls-lib.c -o $output");
	session = start(state, ARGV(path));
	take(session, session->tracee.pid, STACK_BYTES);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	unwind_with_pc_and_sp(session);
	assert_int_equal(session->chain->end, UNWIND_NO_REGISTER);
}

static void test_foreign_task(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	session->snapshot->regset.size = 68; /* a 32-bit task's */
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
	assert_int_equal(session->chain->end, UNWIND_FOREIGN);
	assert_int_equal(session->chain->length, 0);
}

static void test_mappings_are_read_again_for_an_unknown_pc(void **state)
{
	struct session *session = start(state, ARGV(target_path("stack-calls")));
	assert_true(address_space_parse(session->tracee.space, "", 0));
	usleep(150000); /* not more often than every 100 ms */
	take(session, session->tracee.pid, STACK_BYTES);
	assert_int_equal(session->chain->end, UNWIND_ROOT);
	assert_true(matches(session, 0, calls_pattern()));
}

/* --- other languages and linkers, if they are here -----------------------------------
 */

static void test_cpp_templates_and_sort(void **state)
{
	const char *path =
		build_or_skip("stack-sort", "${CXX:-c++} -O2 stack-sort.cc -o $output");
	expect_of(state, ARGV(path),
		(struct expectation){
			.pattern = "... _ZL13sort_for_everRSt6vectorIiSaIiEE main",
			.like_stock = true});
}

static void test_linked_by_lld(void **state)
{
	const char *path = build_or_skip("stack-lld",
		"${CC:-cc} -O2 -fomit-frame-pointer -I../.. -fuse-ld=lld stack-calls.c "
		"stack-calls-lib.c -o $output");
	expect_of(state, ARGV(path), (struct expectation){.pattern = calls_pattern()});
}

/* Linked without .eh_frame_hdr. */
static void test_static_program(void **state)
{
	const char *path = build_or_skip("stack-static",
		"${CC:-cc} -O2 -fomit-frame-pointer -I../.. -static stack-calls.c "
		"stack-calls-lib.c -o $output");
	expect_of(state, ARGV(path), (struct expectation){.pattern = calls_pattern()});
}

/* It has no unwind information at all, neither for the return from a signal handler nor
   for what calls main. */
static void test_signal_in_musl(void **state)
{
	const char *path = build_or_skip("stack-musl",
		"musl-gcc -O2 -fomit-frame-pointer -I../.. -static stack-signals.c "
		"-o $output");
	expect_of(state, ARGV(path, "first"),
		(struct expectation){"spin on_signal __restore_rt first_instruction "
				     "interrupted main"});
}

static void test_rust(void **state)
{
	const char *path = build_or_skip("stack-rust", "rustc -O stack.rs -o $output");
	expect_of(state, ARGV(path), (struct expectation){"... main ..."});
}

static void test_go(void **state)
{
	const char *path =
		build_or_skip("stack-go", "GOCACHE=$output.cache go build -o $output "
					  "stack.go && rm -rf $output.cache");
	struct session *session = start(state, ARGV(path));
	/* The scheduler moves the work between threads, and its own stacks, which the
	   others stand in, have no end that can be known. */
	int working = 0, right = 0;
	for (int i = 0; i < 20 * SAMPLES && working < SAMPLES; i++) {
		pid_t tids[MAX_THREADS];
		size_t count = tracee_threads(&session->tracee, tids, MAX_THREADS);
		pid_t tid = tids[(size_t)i % (count < MAX_THREADS ? count : MAX_THREADS)];
		tracee_seize(&session->tracee, tid); /* or it is already */
		take(session, tid, STACK_BYTES);
		if (!matches(session, 0, "... main.sum.run ..."))
			continue;
		working++;
		if (session->chain->end == UNWIND_ROOT &&
			matches(session, 0,
				"... main.sum.run main.main runtime.main "
				"runtime.goexit.abi0"))
			right++;
		else if (working - right < 3)
			show(session);
	}
	print_message("# %d of %d as expected\n", right, working);
	assert_true(working > 0);
	assert_true(right * 100 >= working * 99);
}

static void skip_unless(const char *command)
{
	if (system(command) == 0)
		return;
	print_message("# not here: %s\n", command);
	skip();
}

static void test_python(void **state)
{
	skip_unless("python3 -c pass >/dev/null 2>&1");
	expect_of(state, ARGV("python3", source_path("stack.py")),
		(struct expectation){"... _start", .like_stock = true});
}

static void test_node(void **state)
{
	skip_unless("node -e 0 >/dev/null 2>&1");
	expect_of(state, ARGV("node", source_path("stack.js")),
		(struct expectation){"... _start"});
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
		cmocka_unit_test_teardown(test_too_many_frames, finish),
		cmocka_unit_test_teardown(test_circles_end, finish),
		cmocka_unit_test_teardown(test_endless_expression_ends, finish),
		cmocka_unit_test_teardown(test_thread_that_was_not_stopped, finish),
		cmocka_unit_test_teardown(test_foreign_task, finish),
		cmocka_unit_test_teardown(
			test_mappings_are_read_again_for_an_unknown_pc, finish),
		cmocka_unit_test_teardown(test_cpp_templates_and_sort, finish),
		cmocka_unit_test_teardown(test_linked_by_lld, finish),
		cmocka_unit_test_teardown(test_static_program, finish),
		cmocka_unit_test_teardown(test_signal_in_musl, finish),
		cmocka_unit_test_teardown(test_rust, finish),
		cmocka_unit_test_teardown(test_go, finish),
		cmocka_unit_test_teardown(test_python, finish),
		cmocka_unit_test_teardown(test_node, finish),
	};
	return unit_run(tests);
}
