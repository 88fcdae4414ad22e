/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nothing: why a recording has no samples. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/run/session/nothing.h"

#include <string.h>

static void assert_why(const struct nothing *nothing, const char *words)
{
	char text[512] = "";
	assert_true(nothing_explain(nothing, text, sizeof(text)));
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
}

static void test_a_recording_without_samples_says_why(void **state)
{
	struct summary summary = {.frequency_hz = 99};
	struct nothing nothing = {.summary = &summary, .pid = 12};
	char text[512];
	(void)state;
	assert_why(&nothing, "-m wall");
	nothing.ended = true;
	assert_why(&nothing, "-F a higher rate");
	nothing.children_cpu_ns = NS_PER_SEC;
	assert_why(&nothing, "children, which used 1.00 s of CPU: --children");
	nothing.children = true;
	assert_why(&nothing, "too briefly");
	nothing.stopped = true;
	assert_why(&nothing, "kill -CONT 12");
	summary.samples_refused = 3;
	assert_why(&nothing, "traces process 12");
	nothing.was_paused = true;
	assert_why(&nothing, "ctl start");
	summary.samples = 5;
	nothing.focus = "f(o)*";
	assert_why(&nothing, "none of the 5 samples");
	summary.samples = 0; /* as with -m wall: those that were counted */
	summary.samples_unfiltered = 6;
	assert_why(&nothing, "none of the 6 samples has a function that matches");
	nothing.focus = NULL;
	nothing.threads = "^w";
	assert_why(&nothing, "none of the 6 samples is of a thread that matches -t '^w'");
	summary.health.ends[UNWIND_NO_CFI] = 1;
	assert_false(nothing_explain(&nothing, text, sizeof(text)));
	summary = (struct summary){.frequency_hz = 99, .cpu_kernel_ns = NS_PER_SEC};
	nothing = (struct nothing){.summary = &summary, .pid = 12};
	assert_why(&nothing, "used 1.00 s of CPU, but");
	summary_print_line(&summary, text, sizeof(text));
	assert_null(strstr(text, "complete"));
}

static void test_samples_that_are_missing_are_an_error(void **state)
{
	struct summary summary = {.samples_taken = 24955, .samples_unfiltered = 24955};
	struct error err;
	(void)state;
	assert_true(summary_is_complete(&summary, &err));
	summary.samples_unfiltered++; /* a sleeper's stack that was met again */
	assert_true(summary_is_complete(&summary, &err));
	summary.samples_unfiltered = 0;
	assert_false(summary_is_complete(&summary, &err));
	assert_non_null(strstr(err.text, "24955 of 24955 samples"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_that_are_missing_are_an_error),
		cmocka_unit_test(test_a_recording_without_samples_says_why),
	};
	return unit_run(tests);
}
