/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwound: programs whose stacks are known, unwound from snapshots by us and from the
 * same stop of the same thread by libunwind-ptrace as it is.
 *
 * A test has one program at a time, in its cmocka state; its teardown is finish. One test
 * thread.
 */
#ifndef CPROFTOP_TESTS_UNWOUND_H
#define CPROFTOP_TESTS_UNWOUND_H

#include "ptrace/unwind-live.h"
#include "src/unwind/unwinder.h"
#include "tests/lib/tracee.h"

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

/* Run ARGV, in place of the program before. The test's teardown ends it, come what
   may. */
struct session *start(void **state, const char *const *argv);
int finish(void **state);

/* A program built by the Makefile; a source in tests/targets. */
const char *target_path(const char *name);
const char *source_path(const char *name);

/* Build a target by a shell command that makes $output; the test is skipped if that
   fails. */
const char *build_or_skip(const char *name, const char *command);

/* Stop TID, unwind both ways, let it go on. */
void take(struct session *session, pid_t tid, size_t stack_bytes);

/* Are the two stacks the same? */
bool is_like_stock(const struct session *session);

/* Do the frames from FRAME on match PATTERN: words for one frame each, leaf first; "x*"
   for any number of frames called x, "..." for any frames at all. The frames above those
   of a C program's main are few and have no names worth knowing, so a pattern that ends
   with "main" leaves them. */
bool matches(struct session *session, uint32_t frame, const char *pattern);

/* Print the stack, as a remark. */
void show(struct session *session);

/* What is asked of the samples of one thread. */
struct expectation {
	const char *pattern;
	enum unwind_end end;
	bool like_stock;
	size_t stack_bytes;
};

/* At least 99 of 100 samples must be as expected; of a program's first thread. */
void expect(struct session *session, pid_t tid, struct expectation expected);
void expect_of(void **state, const char *const *argv, struct expectation expected);

#define ARGV(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* What tests/targets/stack-calls stands in: 18 calls each way. */
const char *calls_pattern(void);

#endif
