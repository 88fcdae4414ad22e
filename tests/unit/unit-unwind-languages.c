/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding programs of other languages and linkers, as far as they can be built or run
   here. */

#include "tests/lib/unit.h"
#include "tests/lib/unwound.h"

#include "src/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_THREADS = 64,
};

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
	const char *path = build_or_skip("stack-go",
		"GOCACHE=${GOCACHE:-$output.cache} go build -o $output "
		"stack.go");
	struct session *session = start(state, ARGV(path));
	/* The scheduler moves the work between threads, and its own stacks, which the
	   others stand in, have no end that can be known. */
	int working = 0, right = 0;
	/* A busy machine may not begin with the work for a while. */
	uint64_t until_ns = clock_monotonic_ns() + 30 * NS_PER_SEC;
	for (size_t i = 0; working < SAMPLES && clock_monotonic_ns() < until_ns; i++) {
		pid_t tids[MAX_THREADS];
		size_t count = tracee_threads(&session->tracee, tids, MAX_THREADS);
		pid_t tid = tids[i % (count < MAX_THREADS ? count : MAX_THREADS)];
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
	if (!working)
		show(session);
	assert_true(working > 0);
	assert_true(right * 100 >= working * 99);
}

/* A function too long to be followed to its end, by Go's own table of frames. */
static void test_go_assembly(void **state)
{
	const char *path = build_or_skip("stack-hash-go",
		"GOCACHE=${GOCACHE:-$output.cache} go build -o $output "
		"stack-hash.go");
	struct session *session = start(state, ARGV(path));
	int hashing = 0, right = 0;
	/* On a busy machine it may take long until it is met there at all. */
	for (int i = 0; hashing < SAMPLES && i < (hashing ? 20 : 1000) * SAMPLES; i++) {
		pid_t tids[MAX_THREADS];
		size_t count = tracee_threads(&session->tracee, tids, MAX_THREADS);
		pid_t tid = tids[(size_t)i % (count < MAX_THREADS ? count : MAX_THREADS)];
		tracee_seize(&session->tracee, tid); /* or it is already */
		take(session, tid, STACK_BYTES);
		const char *leaf =
			tracee_symbol(&session->tracee, session->chain->frames[0]);
		if (!strstr(leaf, "sha256") || !strstr(leaf, "block"))
			continue;
		hashing++;
		if (session->chain->end == UNWIND_ROOT &&
			matches(session, 0,
				"... main.hash main.main runtime.main "
				"runtime.goexit.abi0"))
			right++;
		else if (hashing - right < 3)
			show(session);
	}
	print_message("# %d of %d as expected\n", right, hashing);
	assert_true(hashing > 0);
	assert_true(right * 100 >= hashing * 99);
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
		cmocka_unit_test_teardown(test_cpp_templates_and_sort, finish),
		cmocka_unit_test_teardown(test_linked_by_lld, finish),
		cmocka_unit_test_teardown(test_static_program, finish),
		cmocka_unit_test_teardown(test_signal_in_musl, finish),
		cmocka_unit_test_teardown(test_rust, finish),
		cmocka_unit_test_teardown(test_go, finish),
		cmocka_unit_test_teardown(test_go_assembly, finish),
		cmocka_unit_test_teardown(test_python, finish),
		cmocka_unit_test_teardown(test_node, finish),
	};
	return unit_run(tests);
}
