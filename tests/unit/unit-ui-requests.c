/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys ask of the source and of its reports, and what the screen then says. */

#include "tests/lib/play.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_search_finds_counts_and_shows_errors(void **unused)
{
	(void)unused;
	expect_after("keys /prime", "Search: prime");
	expect_after("keys /prime<Enter>", "/prime: 2 functions, ");
	expect_after("keys /prime<Enter>\nkeys /fib<Esc>", "/prime: 2 functions, ");
	expect_after(
		"keys /prime(<Enter>", "Search: prime(  missing closing parenthesis");
	expect_after("keys /nothing such<Enter>", "nothing matches /nothing such");
	expect_after("key n", "nothing to search");
}

static void a_filter_goes_into_the_request(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "keys \\fib<Enter>\nwait-report");
	assert_string_equal(fake.last.filter, "fib");
	expect_shown(screen, "filter fib");
	expect_not_shown(screen, "is_prime_by_sieve");
	free(screen);

	screen = play(&fake, "keys \\!fib<Enter>\nwait-report");
	assert_string_equal(fake.last.filter, "!fib");
	expect_not_shown(screen, "fibonacci");
	free(screen);

	screen = play(&fake, "keys \\fib<Enter>\nwait-report\nkey Esc\nwait-report");
	assert_string_equal(fake.last.filter, "");
	free(screen);

	screen = play(&fake, "keys \\fib(<Enter>");
	expect_shown(screen, "missing closing parenthesis");
	assert_string_equal(fake.last.filter, "");
	free(screen);
	fake_source_finish(&fake);
}

static void a_mark_is_of_the_instant_of_its_key(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "keys !load test<Enter>");
	assert_string_equal(fake.mark.text, "load test");
	assert_true(fake.mark.time_ns > 0);
	expect_shown(screen, "marked");
	free(screen);
	free(play(&fake, "keys !nothing<Esc>"));
	assert_string_equal(fake.mark.text, "load test");
	free(play(&fake, "keys !<Enter>"));
	assert_string_equal(fake.mark.text, "mark");
	fake_source_finish(&fake);
}

static void the_window_has_steps(void **unused)
{
	struct app_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	options.window_ns = 30 * NS_PER_SEC;
	fake_source_init(&fake);
	free(play_with(&fake, &options, "key }"));
	assert_int_equal(fake.last.window_ns, 10 * NS_PER_SEC);
	free(play_with(&fake, &options, "key } } } }"));
	assert_int_equal(fake.last.window_ns, 1 * NS_PER_SEC);
	free(play_with(&fake, &options, "key {"));
	assert_int_equal(fake.last.window_ns, 60 * NS_PER_SEC);
	free(play_with(&fake, &options, "key { { { { {"));
	assert_int_equal(fake.last.window_ns, 0);
	/* of what is kept, less than all */
	free(play_with(&fake, &options, "key { { { { { { }"));
	assert_int_equal(fake.last.window_ns, 5 * NS_PER_SEC);
	fake_source_finish(&fake);
}

static void a_frozen_picture_keeps_its_end(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "key z\nkey }\nwait-report");
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS);
	expect_shown(screen, "FROZEN");
	free(screen);
	screen = play(&fake, "key z\nkey Space\nwait-report");
	assert_int_equal(fake.last.until_ns, 0);
	expect_not_shown(screen, "FROZEN");
	free(screen);

	/* A target that has ended keeps its last window. */
	meter_set(&fake.meter.ended_ns, FIXTURE_END_NS - 7);
	free(play(&fake, "wait-report"));
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS - 7);
	fake_source_finish(&fake);
}

/* By half a window at a time, as far as samples are kept, and back to now. */
static void what_was_earlier_can_be_shown(void **unused)
{
	static const char all[] = "key [\nwait-report", now[] = "key ]",
			  once[] = "key } [\nwait-report",
			  twice[] = "key } [ [\nwait-report",
			  thrice[] = "key } [ [\nwait-report\nkey [",
			  and_back[] = "key } [ [ ]\nwait-report",
			  to_now[] = "key } [ ]\nwait-report";
	struct fake_source fake;
	uint64_t half_ns = 5 * NS_PER_SEC / 2;

	(void)unused;
	fake_source_init(&fake);
	expect_played(&fake, all, "all that is kept is shown");
	assert_int_equal(fake.last.until_ns, 0);
	expect_played(&fake, now, "this is now");
	expect_played(&fake, once, "FROZEN 2 s ago");
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS - half_ns);
	expect_played(&fake, twice, "5 s that ended 5 s ago");
	assert_int_equal(fake.last.until_ns, FIXTURE_START_NS + 5 * NS_PER_SEC);
	expect_played(&fake, thrice, "nothing earlier is kept");
	expect_played(&fake, and_back, "FROZEN 2 s ago");
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS - half_ns);
	expect_played(&fake, to_now, "back to now");
	assert_int_equal(fake.last.until_ns, 0);
	fake_source_finish(&fake);
}

/* At once, and what was looked at stays: the zoom, the cursor of each view. */
static void names_change_and_places_stay(void **unused)
{
	struct app_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	options.view = "flame";
	/* Into worker(void*), on the operator that is inlined into. */
	const char *zoomed = "keys /^worker<Enter>\nkey n Enter Down";
	char *screen = play_with(&fake, &options, zoomed);
	expect_shown(screen, "zoom worker(void*)");
	free(screen);
	char script[1024];
	static const char *const shown[] = {"zoom worker\n", "zoom worker\n",
		"zoom _Z6workerPv", "zoom worker(void*)"};
	snprintf(script, sizeof(script), "%s", zoomed);
	for (size_t i = 0; i < 4; i++) {
		strcat(script, "\nkey M\nwait-report");
		screen = play_with(&fake, &options, script);
		assert_int_equal(fake.last.naming.style, (i + 1) % DEMANGLE_STYLES);
		expect_shown(screen, shown[i]);
		free(screen);
	}
	options.view = "table";
	screen = play_with(
		&fake, &options, "keys /^Matrix<Enter>\nkey M M\nwait-report\nkey y y");
	expect_shown(screen, "Matrix::operator*");
	expect_shown(screen, "_ZNK6MatrixIdEmlERKS0_");
	free(screen);
	fake_source_finish(&fake);
}

/* Each report of another profile, as when names are forgotten: nothing of it is seen. */
static void places_outlive_a_profile(void **unused)
{
	static const struct {
		const char *view, *script;
	} cases[] = {
		{"flame", "keys /^worker<Enter>\nkey n Enter Down"},
		{"flame", "key M\nwait-report\nkeys /^worker<Enter>\nkey n Enter Down"},
		{"flame", "key L\nwait-report\nkey End End Enter Down"},
		{"table", "keys /^Matrix<Enter>\nkey Down Down y y"},
		{"table", "key Down Down Enter\nwait-report\nkey Down"},
		{"threads", "key Down Down"},
	};
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct app_options options = plain_options;
		char script[1024];
		options.view = cases[i].view;
		snprintf(script, sizeof(script), "%s\nwait-report\nwait-report",
			cases[i].script);
		fake.renews = false;
		char *same = play_with(&fake, &options, script);
		fake.renews = true;
		char *renewed = play_with(&fake, &options, script);
		assert_string_equal(renewed, same);
		free(renewed);
		free(same);
	}
	assert_true(fake.fixture.renewals > 12);
	fake_source_finish(&fake);
}

static void what_is_counted_as_one_can_be_changed(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "size 140 30\nkeys /^compute<Enter>\nkey "
				   "L\nwait-report\nkey i\nwait-report");
	assert_int_equal(fake.last.naming.granularity, NAMING_LINE);
	assert_true(fake.last.naming.fold_inlines);
	expect_shown(screen, "by line  inlines folded");
	expect_shown(screen, "compute main.c:23");
	expect_shown(screen, "is_prime_by_division prime.c:12");
	expect_not_shown(screen, "matrix.h:33");
	free(screen);
	/* The cursor went along. */
	expect_played(&fake,
		"size 140 30\nkeys /^compute<Enter>\nkey L\nwait-report\nkey y y",
		"Name    compute main.c:23");
	screen = play(&fake, "size 140 30\nkey L L\nwait-report");
	expect_shown(screen, "by module");
	expect_shown(screen, "libc.so.6");
	expect_not_shown(screen, "qsort_r");
	free(screen);
	expect_played(&fake, "size 140 30\nkey L L L\nwait-report",
		"is_prime_by_division 0x555555556304");
	screen = play(&fake, "size 140 30\nkey L L L L\nwait-report");
	assert_int_equal(fake.last.naming.granularity, NAMING_FUNCTION);
	free(screen);
	fake_source_finish(&fake);
}

/* The source samples it, and the next report counts it; from the start, if it did
   then. */
static void wall_clock_is_asked_of_source_and_report(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	free(play(&fake, "key m"));
	assert_true(fake.wall);
	assert_true(fake.last.wall);
	free(play(&fake, "key m m"));
	assert_false(fake.wall);
	assert_false(fake.last.wall);
	fake.source.facts.wall = true;
	free(play(&fake, ""));
	assert_true(fake.last.wall);
	fake_source_finish(&fake);
}

/* Where only native functions run, there is nothing to choose. */
static void native_frames_are_asked_of_the_source(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "wait-report\nkey o");
	assert_int_equal(fake.native, NATIVE_MERGED);
	expect_shown(screen, "only native functions run here");
	free(screen);
	fake.languages = "Python 3.11";
	free(play(&fake, "wait-report\nkey o"));
	assert_int_equal(fake.native, NATIVE_FULL);
	free(play(&fake, "wait-report\nkey o o"));
	assert_int_equal(fake.native, NATIVE_NONE);
	free(play(&fake, "wait-report\nkey o o o"));
	assert_int_equal(fake.native, NATIVE_MERGED);
	fake.source.facts.native = NATIVE_FULL;
	free(play(&fake, "wait-report\nkey o"));
	assert_int_equal(fake.native, NATIVE_NONE);
	fake_source_finish(&fake);
}

static void rates_and_clearing_reach_the_source(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	free(play(&fake, "key ."));
	assert_int_equal(fake.frequency_hz, 199);
	free(play(&fake, "key , ,"));
	assert_int_equal(fake.frequency_hz, 49);
	free(play(&fake, "key R"));
	assert_int_equal(fake.clears, 1);
	fake_source_finish(&fake);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_finds_counts_and_shows_errors),
		cmocka_unit_test(a_filter_goes_into_the_request),
		cmocka_unit_test(a_mark_is_of_the_instant_of_its_key),
		cmocka_unit_test(the_window_has_steps),
		cmocka_unit_test(a_frozen_picture_keeps_its_end),
		cmocka_unit_test(what_was_earlier_can_be_shown),
		cmocka_unit_test(names_change_and_places_stay),
		cmocka_unit_test(places_outlive_a_profile),
		cmocka_unit_test(what_is_counted_as_one_can_be_changed),
		cmocka_unit_test(wall_clock_is_asked_of_source_and_report),
		cmocka_unit_test(native_frames_are_asked_of_the_source),
		cmocka_unit_test(rates_and_clearing_reach_the_source),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
