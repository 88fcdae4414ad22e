/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwound: programs with known stacks, unwound in two ways at the same stop: from a
 * snapshot by our unwinder, and by unmodified libunwind-ptrace.
 *
 * A test has one program at a time, in its cmocka state; its teardown is finish. One test
 * thread.
 */
#ifndef CPROFTOP_TESTS_UNWOUND_H
#define CPROFTOP_TESTS_UNWOUND_H

#include "src/read/unwind/unwinder.h"
#include "tests/lib/tracee.h"
#include "tests/lib/unwind-live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SAMPLES = 200,
	STACK_BYTES = 64 << 10, /* as the sampler copies */
};

struct session {
	struct tracee tracee;
	struct unwinder *unwinder;
	struct live_unwinder *stock;
	struct snapshot *snapshot;
	struct callchain *chain, *stock_chain;
};

/* Run ARGV, and end the program that ran before. The test's teardown ends it in any
   case. */
struct session *start(void **state, const char *const *argv);
int finish(void **state);

/* The path of a program built by the Makefile, and of a source in tests/targets. */
const char *target_path(const char *name);
const char *source_path(const char *name);

/* Build a target by a shell command that makes $output; the test is skipped if that
   fails. */
const char *build_or_skip(const char *name, const char *command);

/* Stop TID, unwind in both ways, and let it continue. */
void take(struct session *session, pid_t tid, size_t stack_bytes);

/* Are the two stacks the same? */
bool is_like_stock(const struct session *session);

/* Do the frames from FRAME on match PATTERN: words for one frame each, leaf first; "x*"
   for any number of frames called x, "..." for any frames at all. If PATTERN ends with
   "main", the frames above main are not compared. */
bool matches(struct session *session, uint32_t frame, const char *pattern);

/* Print the stack as a TAP comment. */
void show(struct session *session);

/* What the samples of a thread must be. */
struct expectation {
	const char *pattern;
	enum unwind_end end;
	bool like_stock;
	size_t stack_bytes;
};

/* At least 99 % of the samples must be as expected. expect_of runs ARGV and samples its
   first thread. */
void expect(struct session *session, pid_t tid, struct expectation expected);
void expect_of(void **state, const char *const *argv, struct expectation expected);

#define ARGV(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* The pattern of tests/targets/stack-calls: 18 calls in the program and 18 in its
   library. */
const char *calls_pattern(void);

#endif
