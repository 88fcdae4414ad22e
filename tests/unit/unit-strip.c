/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline below the header: how it looks, and what keys and mouse do with what is
   shown of it. */

#include "tests/lib/golden.h"
#include "tests/lib/invented.h"
#include "tests/lib/play.h"
#include "tests/lib/unit.h"
#include "ui/timeline/strip.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_NS (5000 * NS_PER_SEC)

static const struct {
	int rows, columns;
} sizes[] = {{24, 80}, {40, 120}, {50, 200}, {16, 60}};

static void check_pictures(const char *variant, const struct strip_input *input)
{
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		int rows = sizes[i / 2].rows, columns = sizes[i / 2].columns;
		struct grid grid;
		char name[128];

		grid_init(&grid, strip_rows(rows, columns), columns, i % 2);
		strip_draw(input, &grid);
		snprintf(name, sizeof(name), "timeline%s-%dx%d%s", variant, columns, rows,
			i % 2 ? "-ascii" : "");
		golden_check(name, &grid);
		grid_finish(&grid);
	}
}

static void pictures(void **state)
{
	(void)state;
	struct strip_input input = {
		.timeline = invented_timeline(END_NS, 600),
		.kind = VALUE_TIME,
		.from_ns = END_NS - 200 * NS_PER_SEC,
		.to_ns = END_NS - 100 * NS_PER_SEC,
	};

	check_pictures("", &input);
	input.from_ns = END_NS - 5 * NS_PER_SEC;
	input.to_ns = END_NS - 5 * NS_PER_SEC + TIMELINE_CELL_NS;
	check_pictures("-short", &input);
	timeline_destroy((struct timeline *)input.timeline);
	assert_int_equal(strip_rows(10, 40), 0); /* left out */
}

static void a_file_without_times_says_so(void **state)
{
	(void)state;
	const struct strip_input input = {.has_no_times = true};
	check_pictures("-none", &input);
}

static void every_size_can_be_drawn(void **state)
{
	(void)state;
	for (unsigned seconds = 1; seconds < 5000; seconds *= 9) {
		struct strip_input input = {
			.timeline = invented_timeline(END_NS, seconds),
			.from_ns = END_NS - NS_PER_SEC / 2,
			.to_ns = END_NS + NS_PER_SEC,
		};
		for (int rows = 0; rows < 6; rows++)
			for (int columns = 0; columns < 300; columns++) {
				struct grid grid;
				grid_init(&grid, rows, columns, rows % 2);
				input.kind = (enum value_kind)(columns % 3);
				strip_draw(&input, &grid);
				grid_finish(&grid);
			}
		timeline_destroy((struct timeline *)input.timeline);
	}
}

/* Each column is as long as any other, and the times of all are what is kept. */
static void columns_cover_what_is_kept(void **state)
{
	(void)state;
	for (int columns = 20; columns < 300; columns += 7) {
		struct timeline *timeline = invented_timeline(END_NS + 123456789, 61);
		struct time_scale scale = strip_scale(timeline, columns);
		assert_true(time_scale_time(&scale, scale.left) <= timeline->start_ns);
		assert_true(time_scale_time(&scale, scale.left + 1) > timeline->start_ns);
		assert_true(time_scale_time(&scale, columns) >= timeline->end_ns);
		assert_true(time_scale_time(&scale, columns - 1) < timeline->end_ns);
		for (int x = scale.left; x < columns; x++) {
			uint64_t time_ns = time_scale_time(&scale, x);
			assert_int_equal(time_ns % scale.column_ns, 0);
			assert_int_equal(time_scale_column(&scale, time_ns), x);
			assert_int_equal(
				time_scale_column(&scale, time_ns + scale.column_ns - 1),
				x);
		}
		timeline_destroy(timeline);
	}
}

/* Where the file of a trigger ends is its own mark, and behind it there is no room for a text. */
static void a_mark_at_the_end_is_seen(void **state)
{
	(void)state;
	struct timeline *timeline = invented_timeline(END_NS, 30);
	struct strip_input input = {
		.timeline = timeline,
		.kind = VALUE_TIME,
		.from_ns = timeline->start_ns,
		.to_ns = timeline->end_ns,
	};
	assert_true(timeline->n_notes > 0);
	timeline->n_notes = 1;
	timeline->notes[0].time_ns = timeline->end_ns - 1;
	check_pictures("-mark-at-end", &input);
	timeline_destroy(timeline);
}

/* --- on the screen ------------------------------------------------------------------ */

/* The ten seconds of the fixture are in the columns 8 to 79 of the rows 2 and 3, 140 ms
   each; the first begins 120 ms before them. */
static uint64_t time_of(int column)
{
	const struct timeline whole = {
		.start_ns = FIXTURE_START_NS,
		.end_ns = FIXTURE_END_NS,
		.cell_ns = TIMELINE_CELL_NS,
	};
	struct time_scale scale = strip_scale(&whole, 80);
	return time_scale_time(&scale, column);
}

static uint64_t column_ns(void)
{
	return time_of(41) - time_of(40);
}

/* What is asked for after SCRIPT. */
static struct report_request asked_after(const char *script, const char *shown)
{
	struct fake_source fake;
	char whole[1024];

	fake_source_init(&fake);
	snprintf(whole, sizeof(whole), "%s\nwait-report", script);
	expect_played(&fake, whole, shown);
	struct report_request last = fake.last;
	fake_source_finish(&fake);
	return last;
}

static void a_drag_chooses_a_range(void **state)
{
	(void)state;
	struct report_request asked = asked_after(
		"mouse left 3 40\nmouse drag 3 45\nmouse release 3 49", "FROZEN");
	/* All is shown, so column 40 is inside the bracket, which cannot move. */
	assert_int_equal(asked.until_ns, FIXTURE_END_NS);
	asked = asked_after("key }\nwait-report\n"
			    "mouse left 2 10\nmouse drag 2 13\nmouse release 2 19",
		"held ");
	assert_int_equal(asked.until_ns, time_of(20));
	assert_int_equal(asked.window_ns, 10 * column_ns());
	/* To the left, and over the edge. */
	asked = asked_after("key }\nwait-report\n"
			    "mouse left 2 20\nmouse drag 2 15\nmouse release 23 0",
		"held ");
	assert_int_equal(asked.until_ns, time_of(21));
	assert_int_equal(asked.window_ns, time_of(21) - FIXTURE_START_NS);
}

static void the_bracket_is_moved_and_stretched(void **state)
{
	(void)state;
	static const char five[] = "key }\nwait-report\n";
	const struct timeline whole = {
		.start_ns = FIXTURE_START_NS,
		.end_ns = FIXTURE_END_NS,
		.cell_ns = TIMELINE_CELL_NS,
	};
	struct time_scale scale = strip_scale(&whole, 80);
	int begin = time_scale_column(&scale, FIXTURE_END_NS - 5 * NS_PER_SEC);
	char script[512];

	struct report_request asked = asked_after(five, "last 5 s");
	assert_int_equal(asked.until_ns, 0);
	snprintf(script, sizeof(script), "%smouse left 3 60\nmouse drag 3 50\n%s", five,
		"mouse release 3 50");
	asked = asked_after(script, "held 5 s");
	assert_int_equal(asked.window_ns, 5 * NS_PER_SEC);
	assert_int_equal(asked.until_ns, FIXTURE_END_NS - 10 * column_ns());
	/* Its begin: it stays live, with another length. */
	snprintf(script, sizeof(script), "%smouse left 3 %d\nmouse drag 3 30\n%s", five,
		begin, "mouse release 3 30");
	asked = asked_after(script, "window: the last");
	assert_int_equal(asked.until_ns, 0);
	assert_int_equal(asked.window_ns, FIXTURE_END_NS - time_of(30));
	/* Its end. */
	snprintf(script, sizeof(script), "%smouse left 3 79\nmouse release 3 59", five);
	asked = asked_after(script, "held ");
	assert_int_equal(asked.until_ns, time_of(60));
	assert_int_equal(
		asked.window_ns, time_of(60) - (FIXTURE_END_NS - 5 * NS_PER_SEC));
	/* A click beside it: its middle goes there. */
	snprintf(script, sizeof(script), "%smouse left 3 30\nmouse release 3 30", five);
	asked = asked_after(script, "held 5 s");
	assert_int_equal(asked.window_ns, 5 * NS_PER_SEC);
	assert_int_equal(
		asked.until_ns, time_of(30) + column_ns() / 2 + 5 * NS_PER_SEC / 2);
}

static void keys_stretch_it(void **state)
{
	(void)state;
	struct report_request asked = asked_after("key }", "window: the last 5 s");
	assert_int_equal(asked.window_ns, 5 * NS_PER_SEC);
	asked = asked_after("key }\nwait-report\nkey {", "window: the last 10 s");
	asked = asked_after("key z\nkey { {", "nothing earlier is kept");
	assert_int_equal(asked.window_ns, 0);
	asked = asked_after(
		"key z }\nwait-report\nkey }\nwait-report\nmouse wheel-down 3 40",
		"held ");
	assert_int_equal(asked.until_ns, FIXTURE_END_NS);
	assert_int_equal(asked.window_ns, 3750 * NS_PER_MS);
	/* Back at now, the window is what it was before. */
	asked = asked_after("key z } } }\nwait-report\nkey z", "last 10 s");
	assert_int_equal(asked.window_ns, 0);
	assert_int_equal(asked.until_ns, 0);
}

/* Every figure is of the range, or says that it is live. */
static void frozen_is_frozen(void **state)
{
	(void)state;
	struct fake_source fake;

	fake_source_init(&fake);
	char *live = play(&fake, "");
	expect_not_shown(live, "live");
	expect_shown(live, "CPU 100.0%");
	free(live);
	meter_set(&fake.meter.frequency_hz, 999);
	char *frozen = play(&fake, "size 140 24\nkey } z\nwait-report");
	expect_shown(frozen, "live: running   live threads 3/5");
	expect_shown(frozen, "CPU 128.0%"); /* by the marks of the fixture */
	expect_shown(frozen, "held 5 s");
	expect_shown(frozen, "live rate 99/999 Hz");
	free(frozen);
	fake_source_finish(&fake);
}

static uint64_t passing_ns(void)
{
	static uint64_t now_ns = FIXTURE_END_NS;

	return now_ns += 200 * NS_PER_MS;
}

/* Names and lines of the same samples go on coming, as the file that is written will have
   them. */
static void a_frozen_picture_gets_late_names(void **state)
{
	(void)state;
	struct fake_source fake;
	struct app_options options = plain_options;

	options.clock_ns = passing_ns;
	for (int late = 0; late <= 1; late++) {
		fake_source_init(&fake);
		fake.names_are_late = late;
		char *page = play_with(&fake, &options, "key z\nwait-report\nsleep 3");
		expect_shown(page, "FROZEN");
		assert_true(fake.timelines > 1);
		/* The script's own request is before the first of them. */
		assert_int_equal(fake.asked_after, late);
		free(page);
		fake_source_finish(&fake);
	}
}

static void the_rest_is_on_a_page(void **state)
{
	(void)state;
	struct fake_source fake;

	fake_source_init(&fake);
	char *page = play(&fake, "size 100 40\nkey S");
	expect_shown(page, "99/100 Hz");
	expect_shown(page, "us p50, ");
	expect_shown(page, "0 samples: taken, but dropped");
	expect_shown(page, "80.0K of samples");
	free(page);
	fake_source_finish(&fake);
}

/* What is narrowed is narrowed here, too. */
static void the_timeline_is_of_what_is_counted(void **state)
{
	(void)state;
	struct fake_source fake;

	fake_source_init(&fake);
	char *all = play(&fake, ""),
	     *part = play(&fake, "keys \\fibonacci<Enter>\nwait-report");
	expect_shown(all, "  200% ");
	expect_shown(part, "  100% ");
	free(all);
	free(part);
	fake_source_finish(&fake);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures),
		cmocka_unit_test(a_file_without_times_says_so),
		cmocka_unit_test(every_size_can_be_drawn),
		cmocka_unit_test(columns_cover_what_is_kept),
		cmocka_unit_test(a_mark_at_the_end_is_seen),
		cmocka_unit_test(a_drag_chooses_a_range),
		cmocka_unit_test(the_bracket_is_moved_and_stretched),
		cmocka_unit_test(keys_stretch_it),
		cmocka_unit_test(frozen_is_frozen),
		cmocka_unit_test(a_frozen_picture_gets_late_names),
		cmocka_unit_test(the_rest_is_on_a_page),
		cmocka_unit_test(the_timeline_is_of_what_is_counted),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
