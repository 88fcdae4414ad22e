/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watchdog: what a second request to end does while main writes. What it does when the analyst
   hangs is in tests/e2e/e2e-ends. */
#include "tests/lib/unit.h"

#include "src/watch/watchdog.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STATUS_WROTE = 42,
	LONGER_THAN_PATIENCE_MS =
		5500, /* which is 5 s for a main that does something else */
	FOR_EVER_MS = 120 * 1000,
};

static struct watchdog *watch(void)
{
	const struct watchdog_duty duty = {.path = "big.pb.gz"};
	struct error err;
	struct watchdog *watchdog = watchdog_create(&duty, &err);
	if (!watchdog)
		_exit(EXIT_SUCCESS);
	return watchdog;
}

static _Noreturn void write_for(int ms)
{
	poll(NULL, 0, ms);
	_exit(STATUS_WROTE);
}

/* Run MAIN in a process of its own; its status, and in SAID what it says on standard error. */
static int run(void (*child_main)(void), char *said, size_t size)
{
	int fds[2], status;
	size_t used = 0;
	assert_int_equal(pipe(fds), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(fds[1], STDERR_FILENO);
		child_main();
	}
	close(fds[1]);
	for (ssize_t n; (n = read(fds[0], said + used, size - 1 - used)) > 0;)
		used += (size_t)n;
	said[used] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The first one asked it to finish. */
static void asked_again_while_it_writes(void)
{
	struct watchdog *watchdog = watch();
	watchdog_told_to_end(watchdog);
	watchdog_begin_writing(watchdog);
	watchdog_told_to_end(watchdog);
	write_for(FOR_EVER_MS);
}

static void test_asked_again_it_ends_and_says_what_is_there(void **state)
{
	char said[512];
	(void)state;
	assert_int_equal(
		run(asked_again_while_it_writes, said, sizeof(said)), EXIT_FAILURE);
	assert_non_null(
		strstr(said, "told to end again: ended while big.pb.gz was written"));
	assert_non_null(strstr(said, "whole, or not at all"));
}

/* The second one asked it to write at once what there is: that is not cut short. */
static void asked_twice_before_it_writes(void)
{
	struct watchdog *watchdog = watch();
	watchdog_told_to_end(watchdog);
	watchdog_told_to_end(watchdog);
	watchdog_begin_writing(watchdog);
	write_for(LONGER_THAN_PATIENCE_MS);
}

static void test_what_was_asked_for_is_written(void **state)
{
	char said[512];
	(void)state;
	assert_int_equal(
		run(asked_twice_before_it_writes, said, sizeof(said)), STATUS_WROTE);
	assert_string_equal(said, "");
}

static void asked_three_times(void)
{
	struct watchdog *watchdog = watch();
	watchdog_told_to_end(watchdog);
	watchdog_told_to_end(watchdog);
	watchdog_begin_writing(watchdog);
	watchdog_told_to_end(watchdog);
	write_for(FOR_EVER_MS);
}

static void test_a_third_one_ends_it(void **state)
{
	char said[512];
	(void)state;
	assert_int_equal(run(asked_three_times, said, sizeof(said)), EXIT_FAILURE);
	assert_non_null(strstr(said, "told to end again"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asked_again_it_ends_and_says_what_is_there),
		cmocka_unit_test(test_what_was_asked_for_is_written),
		cmocka_unit_test(test_a_third_one_ends_it),
	};
	return unit_run(tests);
}
