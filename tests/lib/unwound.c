/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/unwound.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FRAMES_ABOVE_MAIN = 3, /* what libc calls main from */
};

int finish(void **state)
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

/* Wait for US, and until the process has run for so long as well, unless TID sleeps. On a busy
   machine it would often be found where it was before, and a rare place would count ten
   times. */
static void let_run(const struct session *session, pid_t tid, unsigned us)
{
	enum {
		TRIES = 20 /* of a millisecond: there are many samples */
	};
	clockid_t clock;
	assert_int_equal(clock_getcpuclockid(session->tracee.pid, &clock), 0);
	uint64_t wanted_ns = clock_read_ns(clock) + us * NS_PER_US;
	usleep(us);
	for (int i = 0;
		i < TRIES && task_state(tid) == 'R' && clock_read_ns(clock) < wanted_ns;
		i++)
		usleep(1000);
}

struct session *start(void **state, const char *const *argv)
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
	for (int i = 0; i < 20; i++) /* from "ready" to where it stays */
		let_run(session, session->tracee.pid, 1000);
	return session;
}

const char *target_path(const char *name)
{
	static char path[4096];
	const char *builddir = getenv("builddir");
	snprintf(path, sizeof(path), "%s/tests/targets/%s", builddir ? builddir : ".",
		name);
	return path;
}

const char *source_path(const char *name)
{
	static char path[4096];
	const char *srcdir = getenv("srcdir");
	snprintf(path, sizeof(path), "%s/tests/targets/%s", srcdir ? srcdir : ".", name);
	return path;
}

void take(struct session *session, pid_t tid, size_t stack_bytes)
{
	struct tracee *tracee = &session->tracee;
	let_run(session, tid, (unsigned)rand() % 300);
	assert_true(tracee_stop(tracee, tid, session->snapshot, stack_bytes));
	live_unwinder_unwind(session->stock, tid, session->stock_chain);
	assert_true(tracee_resume(tracee, tid));
	unwinder_unwind(session->unwinder, session->snapshot, session->chain);
}

bool is_like_stock(const struct session *session)
{
	const struct callchain *a = session->chain, *b = session->stock_chain;
	if (a->length != b->length)
		return false;
	for (uint32_t i = 0; i < a->length; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return true;
}

bool matches(struct session *session, uint32_t frame, const char *pattern)
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

void show(struct session *session)
{
	const struct callchain *chain = session->chain;
	print_message(
		"# %s after %u frames:", unwind_end_name(chain->end), chain->length);
	for (uint32_t i = 0; i < chain->length && i < 60; i++)
		print_message(" %s", tracee_symbol(&session->tracee, chain->frames[i]));
	print_message("\n");
}

static bool is_expected(struct session *session, const struct expectation *expected)
{
	return session->chain->end == expected->end &&
	       matches(session, 0, expected->pattern) &&
	       (!expected->like_stock || is_like_stock(session));
}

void expect(struct session *session, pid_t tid, struct expectation expected)
{
	if (!expected.stack_bytes)
		expected.stack_bytes = STACK_BYTES;
	struct arch_regset last = {0};
	int right = 0, again = 0;
	for (int i = 0; i < SAMPLES; i++) {
		take(session, tid, expected.stack_bytes);
		const struct arch_regset *now = &session->snapshot->regset;
		/* Where there is no CPU for it the thread is found where it was: the same
		   sample once more. */
		bool has_run = memcmp(&last, now, sizeof(last)) != 0;
		last = *now;
		if (is_expected(session, &expected))
			right++;
		else if (!has_run)
			again++;
		else if (i - right < 3)
			show(session);
	}
	print_message("# %d of %d as expected\n", right, SAMPLES - again);
	assert_true(right * 100 >= (SAMPLES - again) * 99);
}

void expect_of(void **state, const char *const *argv, struct expectation expected)
{
	struct session *session = start(state, argv);
	expect(session, session->tracee.pid, expected);
}

/* "churn* spin exe_step lib_step exe_step ... main": 18 calls each way. */
const char *calls_pattern(void)
{
	static char pattern[1024];
	strcpy(pattern, "churn* spin");
	for (int i = 0; i < 18; i++)
		strcat(pattern, " exe_step lib_step");
	return strcat(pattern, " exe_step main");
}

const char *build_or_skip(const char *name, const char *command)
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
