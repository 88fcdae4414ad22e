/* SPDX-License-Identifier: GPL-2.0-or-later */
/* B and D: what the screen compares with, what it asks the source for, and what it says. */

#include "tests/lib/play.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/count/difference/difference.h"

#include <stdlib.h>
#include <string.h>

/* The fixture's first five seconds are the baseline, its last five are shown. */
#define MARK                                                             \
	"key } [ [\nwait-report\nkey B\nwait-report\nkey z\nwait-report" \
	"\n"

static void nothing_to_compare_with(void **unused)
{
	(void)unused;
	expect_after("key D", "there is no baseline");
	expect_after("key %", "differences compare values as they are");
}

static void the_baseline_is_what_was_shown(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, MARK);
	assert_int_equal(fake.last.blocks, 0); /* not compared yet */
	expect_not_shown(screen, "against");
	free(screen);
	/* the baseline itself was counted when it was marked */
	free(play(&fake, "key } [ [\nwait-report\nkey B"));
	assert_int_equal(fake.last.blocks, DIFFERENCE_BLOCKS);
	assert_int_equal(fake.last.until_ns, FIXTURE_START_NS + 5 * NS_PER_SEC);
	assert_int_equal(fake.last.window_ns, 5 * NS_PER_SEC);

	screen = play(&fake, MARK "key D\nwait-report");
	assert_int_equal(fake.last.blocks, DIFFERENCE_BLOCKS);
	assert_int_equal(fake.last.until_ns, 0);
	assert_int_equal(fake.last.since_ns, FIXTURE_START_NS + 5 * NS_PER_SEC);
	expect_shown(screen, "changed* against 5 s");
	expect_shown(screen, "Self +-");
	expect_shown(screen, "ms/s*");
	expect_shown(screen, "is_prime_by_sieve");
	free(screen);

	screen = play(&fake, MARK "key D\nwait-report\nkey D\nwait-report");
	expect_not_shown(screen, "Self +-");
	expect_shown(screen, "Self%");
	assert_int_equal(fake.last.since_ns, 0);
	free(screen);
	fake_source_finish(&fake);
}

/* A filter is for both; the numbers of what it leaves are those of before. */
static void the_baseline_is_counted_anew(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	free(play(&fake, MARK "key D\nwait-report"));
	unsigned before = fake.requests;
	char *screen =
		play(&fake, MARK "key D\nwait-report\nkeys \\fib<Enter>\nwait-report");
	assert_string_equal(fake.last.filter, "fib");
	assert_int_equal(fake.last.since_ns, FIXTURE_START_NS + 5 * NS_PER_SEC);
	assert_in_range(fake.requests - before, before + 2, 100);
	expect_shown(screen, "changed* against 5 s");
	expect_not_shown(screen, "is_prime_by_sieve");
	free(screen);
	fake_source_finish(&fake);
}

/* Function ids differ in each report of two: cursors and zooms follow their names. */
static void places_stay(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen =
		play(&fake, MARK "keys /fib<Enter>\nkey D\nwait-report\nwait-report\nkey "
				 "Enter\nwait-report");
	expect_shown(screen, "total ");
	expect_shown(screen, "fibonacci");
	expect_shown(screen, " before, ");
	free(screen);
	screen = play(&fake,
		MARK "key F5\nkey D\nkey J Enter\nwait-report\nkey D\nwait-report");
	expect_shown(screen, "Zoom");
	free(screen);
	fake_source_finish(&fake);
}

static void all_views_show_it(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, MARK "key D\nkey F5\nwait-report");
	expect_shown(screen, "all  total ");
	expect_shown(screen, "ms/s before, ");
	free(screen);
	screen = play(
		&fake, MARK "key D\nkey F5\nwait-report\nkey % % Down Up\nwait-report");
	expect_shown(screen, "all  total 100.00% before, 100.00% now: no change");
	free(screen);
	screen = play(&fake, MARK "key D\nkey F5 F5\nwait-report");
	expect_shown(screen, "Now");
	expect_shown(screen, "+-");
	free(screen);
	screen = play(&fake, MARK "key D\nwait-report\nkey %");
	expect_shown(screen, "differences compare values as they are");
	expect_not_shown(screen, "Self%");
	free(screen);
	fake_source_finish(&fake);
}

/* Code is of one of the two. */
static void the_source_says_what_to_do(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(
		&fake, MARK "key D\nwait-report\nkeys /fib<Enter>\nkey a\nwait-report");
	expect_shown(screen, "Two profiles are compared here");
	expect_not_shown(screen, "in no file");
	free(screen);
	screen = play(&fake, MARK "key D\nwait-report\nkeys /fib<Enter>\nkey a D\n"
				  "wait-report\nwait-report");
	expect_not_shown(screen, "Two profiles are compared here");
	expect_shown(screen, "fibonacci");
	free(screen);
	fake_source_finish(&fake);
}

static void both_are_written(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, MARK "key D\nwait-report\nkey x\nkey Down Enter\n"
					"key Ctrl-U\nkeys x.folded<Enter>");
	expect_shown(screen, "wrote both: cproftop diff x-before.folded x.folded");
	free(screen);
	char *before = read_text("x-before.folded"), *after = read_text("x.folded");
	assert_true(strlen(before) > 100 && strlen(after) > 100);
	assert_string_not_equal(before, after);
	free(before);
	free(after);
	fake_source_finish(&fake);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_compare_with),
		cmocka_unit_test(the_baseline_is_what_was_shown),
		cmocka_unit_test(the_baseline_is_counted_anew),
		cmocka_unit_test(places_stay),
		cmocka_unit_test(all_views_show_it),
		cmocka_unit_test(the_source_says_what_to_do),
		cmocka_unit_test(both_are_written),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
