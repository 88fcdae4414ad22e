/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heat map: how it looks, what a cell is, and how a range is chosen from it. */

#include "tests/lib/golden.h"
#include "tests/lib/invented.h"
#include "tests/lib/play.h"
#include "tests/lib/unit.h"
#include "tests/lib/view-screen.h"
#include "ui/timeline/heat-draw.h"
#include "ui/timeline/heat-map.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_NS (5000 * NS_PER_SEC)

/* --- the cells ---------------------------------------------------------------------- */

static void a_cell_is_a_fraction_of_a_second(void **state)
{
	(void)state;
	struct timeline *timeline = invented_timeline(END_NS, 600);
	struct heat_map map = {0};

	heat_map_make(&map, timeline, 1, 1);
	assert_int_equal(map.columns, 600);
	assert_int_equal(map.rows, 50);
	assert_int_equal(map.column_ns, NS_PER_SEC);
	assert_int_equal(map.row_ns, 20 * NS_PER_MS);
	/* The timer runs from 420 to 500 ms of each second, and ends 10 ms earlier, as the
	   weight of a sample is of the time before it. */
	for (size_t column = 1; column < map.columns; column += 13) {
		struct heat_place busy = {column, 22}, calm = {column, 40};
		assert_int_equal(heat_map_level(&map, busy), HEAT_LEVELS);
		assert_true(heat_map_level(&map, calm) < HEAT_LEVELS);
		assert_true(heat_map_level(&map, calm) > 0);
		assert_int_equal(heat_map_at(&map, busy)->samples, 2);
	}
	/* The pause. */
	assert_int_equal(heat_map_level(&map, (struct heat_place){200, 5}), 0);
	assert_true(map.samples_per_cell > 1.9 && map.samples_per_cell <= 2.1);
	uint64_t sum = 0;
	vec_each (&map.cells, cell)
		sum += cell->value;
	assert_int_equal(sum, timeline_sum(timeline, 0, UINT64_MAX).value);
	heat_map_finish(&map);
	timeline_destroy(timeline);
}

static void places_and_times_agree(void **state)
{
	(void)state;
	static const size_t merges[] = {1, 2, 5, 10, 25, 50, 3, 7};
	struct timeline *timeline = invented_timeline(END_NS + 12345678, 17);

	for (size_t m = 0; m < sizeof(merges) / sizeof(merges[0]); m++) {
		struct heat_map map = {0};
		uint64_t at_ns;
		heat_map_make(&map, timeline, 1, merges[m]);
		at_ns = map.first_ns;
		for (size_t column = 0; column < map.columns; column++)
			for (size_t row = 0; row < map.rows; row++) {
				struct heat_place place = {column, row};
				assert_int_equal(heat_map_from(&map, place), at_ns);
				at_ns = heat_map_to(&map, place);
				struct heat_place first = heat_map_place(&map,
							  heat_map_from(&map, place)),
						  last = heat_map_place(&map, at_ns - 1);
				assert_int_equal(first.column, column);
				assert_int_equal(first.row, row);
				assert_int_equal(last.column, column);
				assert_int_equal(last.row, row);
			}
		assert_true(at_ns >= timeline->end_ns);
		heat_map_finish(&map);
	}
	timeline_destroy(timeline);
}

/* --- how it looks ------------------------------------------------------------------- */

static void show(struct view_screen *screen, struct timeline *timeline)
{
	screen->state.timeline = timeline;
	screen->state.timeline_serial = 7;
	screen->report->start_ns = END_NS - 12 * NS_PER_SEC;
	screen->report->end_ns = END_NS - 9 * NS_PER_SEC;
	screen->state.frozen = true;
}

static void pictures(void **state)
{
	(void)state;
	static const struct {
		int rows, columns;
	} sizes[] = {{18, 80}, {32, 120}, {42, 200}, {6, 40}, {60, 200}};
	static const char *const names[] = {
		"80x24", "120x40", "200x50", "40x10", "200x66"};
	static const unsigned seconds[] = {600, 45};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t s = 0; s < 2; s++) {
			struct timeline *timeline = invented_timeline(END_NS, seconds[s]);
			struct view_screen screen;
			char name[128];
			view_screen_open(&screen, &view_heat, sizes[i / 2].rows,
				sizes[i / 2].columns, i % 2);
			show(&screen, timeline);
			view_screen_draw(&screen);
			snprintf(name, sizeof(name), "heat%s-%s%s",
				s ? "-short" : "-long", names[i / 2],
				i % 2 ? "-ascii" : "");
			golden_check(name, &screen.grid);
			view_screen_close(&screen);
			timeline_destroy(timeline);
		}
}

static void it_says_how_few_samples_a_cell_has(void **state)
{
	(void)state;
	struct timeline *timeline = invented_timeline(END_NS, 60);
	struct view_screen screen;

	setenv("TZ", "UTC", 1);
	view_screen_open(&screen, &view_heat, 20, 100, false);
	show(&screen, timeline);
	char *text = view_screen_text(&screen);
	expect_shown(text, "column 1 s, row 60.0 ms, █ 100.0% of a CPU, only 2.0 samples "
			   "in 20.0 ms");
	free(text);
	expect_shown(view_screen_status(&screen), "of a CPU, 4 samples");
	expect_shown(view_screen_status(&screen), "2026-01-02 03:05:04.960 +40.0 ms: ");
	/* With ten times as many it says so without complaint. */
	for (size_t i = 0; i < timeline->n_cells; i++)
		timeline->cells[i].samples *= 10;
	screen.state.timeline_serial++;
	text = view_screen_text(&screen);
	expect_shown(text, ", 20.0 samples in 20.0 ms");
	expect_not_shown(text, "only");
	free(text);
	view_screen_close(&screen);
	timeline_destroy(timeline);
}

static void the_newest_column_is_now(void **state)
{
	(void)state;
	struct timeline *timeline = invented_timeline(END_NS + NS_PER_SEC / 2, 30);
	struct view_screen screen;

	view_screen_open(&screen, &view_heat, 20, 100, false);
	show(&screen, timeline);
	timeline->n_strains = timeline->n_notes = 0;
	char *text = view_screen_text(&screen);
	expect_shown(text, "│-10 s ");
	expect_shown(text, "│now");
	free(text);
	view_screen_close(&screen);
	timeline_destroy(timeline);
}

/* Ten minutes of cells of 20 ms are counted once for a timeline. Whatever is drawn after
   that reads no more cells of the map than the screen shows. */
static void drawing_counts_no_cell_again(void **state)
{
	(void)state;
	struct timeline *timeline = invented_timeline(END_NS, 600);
	struct heat_map map = {0};
	struct grid grid;

	heat_map_make(&map, timeline, 1, 1);
	assert_int_equal(map.counted, 30000);
	heat_map_make(&map, timeline, 1, 1);
	assert_int_equal(map.counted, 30000);
	uint64_t began_ns = clock_monotonic_ns();
	const int frames = 20;
	grid_init(&grid, 60, 200, false);
	for (int i = 0; i < frames; i++) {
		const struct heat_picture picture = {
			.map = &map,
			.timeline = timeline,
			.kind = VALUE_TIME,
			.left = (size_t)i * 20,
		};
		heat_map_make(&map, timeline, (uint64_t)i + 2, 1);
		heat_draw(&picture, &grid);
	}
	printf("# a frame of 200x60, with a new timeline of ten minutes: %.2f ms\n",
		(double)(clock_monotonic_ns() - began_ns) / frames / NS_PER_MS);
	assert_int_equal(map.counted, 30000 * (frames + 1));
	grid_finish(&grid);
	heat_map_finish(&map);
	timeline_destroy(timeline);
}

static void every_size_and_key(void **state)
{
	(void)state;
	static const enum action actions[] = {ACTION_LEFT, ACTION_UP, ACTION_MIN_MORE,
		ACTION_PAGE_UP, ACTION_ZOOM, ACTION_RIGHT, ACTION_DOWN, ACTION_MIN_LESS,
		ACTION_LAST, ACTION_FIRST, ACTION_ZOOM, ACTION_HALF_DOWN, ACTION_POP};
	struct timeline *timelines[] = {invented_timeline(END_NS, 3),
		invented_timeline(END_NS, 77), invented_timeline(END_NS, 4999)};
	struct view_screen screen;
	unsigned step = 0;

	view_screen_open(&screen, &view_heat, 24, 80, false);
	for (int rows = 0; rows < 70; rows += rows < 7 ? 1 : 9)
		for (int columns = 0; columns < 150; columns += columns < 30 ? 1 : 13) {
			screen.state.timeline = timelines[step % 3];
			screen.state.timeline_serial = step++ % 3 + 2;
			screen.state.rows = rows;
			screen.state.columns = columns;
			view_screen_draw(&screen);
			view_screen_act(&screen,
				actions[step % (sizeof(actions) / sizeof(actions[0]))]);
			view_screen_status(&screen);
			screen.view->click(screen.data, &screen.state, screen.report,
				rows / 2, columns / 2, (enum view_click)(step % 4));
		}
	screen.state.timeline = NULL;
	view_screen_draw(&screen);
	assert_false(view_screen_act(&screen, ACTION_ZOOM));
	view_screen_close(&screen);
	for (size_t i = 0; i < 3; i++)
		timeline_destroy(timelines[i]);
}

/* --- choosing a range --------------------------------------------------------------- */

/* At 80x24 the ten seconds of the fixture, the seconds 1000 to 1009, are four cells wide
   each, from column 5 on; the rows from 6 on are 80 ms each. */
static struct report_request asked_after(const char *script, const char *shown)
{
	struct app_options options = plain_options;
	struct fake_source fake;
	char whole[1024];

	options.view = "time";
	fake_source_init(&fake);
	snprintf(whole, sizeof(whole), "%s\nwait-report", script);
	char *screen = play_with(&fake, &options, whole);
	expect_shown(screen, shown);
	free(screen);
	struct report_request last = fake.last;
	fake_source_finish(&fake);
	return last;
}

static void a_drag_chooses_what_all_views_show(void **state)
{
	(void)state;
	struct report_request asked = asked_after(
		"mouse left 8 14\nmouse drag 9 17\nmouse release 11 22", "FROZEN");
	assert_int_equal(
		asked.until_ns - asked.window_ns, FIXTURE_START_NS + 2160 * NS_PER_MS);
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + 4480 * NS_PER_MS);
	/* Backwards, and over the edges. */
	asked = asked_after(
		"mouse left 8 14\nmouse drag 3 5\nmouse release 1 1", "FROZEN");
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + 2240 * NS_PER_MS);
	assert_int_equal(asked.window_ns, 2240 * NS_PER_MS);
	/* All views: the table of the fixture's end does not have the sieve. */
	asked = asked_after("mouse left 6 5\nmouse release 18 5\nwait-report\n"
			    "key Tab",
		"is_prime_by_division");
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + NS_PER_SEC);
	/* A click is no range; a double click is a second. */
	asked = asked_after("mouse left 8 14\nmouse release 8 14", "+80.0 ms: ");
	assert_int_equal(asked.until_ns, 0);
	asked = asked_after("mouse double 8 14", "FROZEN");
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + 3 * NS_PER_SEC);
	assert_int_equal(asked.window_ns, NS_PER_SEC);
}

static void keys_choose_it_too(void **state)
{
	(void)state;
	struct report_request asked = asked_after(
		"key Home Right Right Down Down Enter\nkey Right Down Enter", "FROZEN");
	assert_int_equal(
		asked.until_ns - asked.window_ns, FIXTURE_START_NS + 2160 * NS_PER_MS);
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + 3320 * NS_PER_MS);
	asked = asked_after("key Home Enter Right Esc", "+80.0 ms: ");
	assert_int_equal(asked.until_ns, 0);
	/* Rows of 20 ms do not fit: it scrolls. */
	asked = asked_after("key + + +\nkey Home Down Enter Enter", "row 20.0 ms");
	assert_int_equal(asked.window_ns, 20 * NS_PER_MS);
	assert_int_equal(asked.until_ns, FIXTURE_START_NS + 40 * NS_PER_MS);
	/* And back. */
	asked = asked_after("key Home Enter Enter\nwait-report\nkey z", "last 10 s");
	assert_int_equal(asked.until_ns, 0);
	assert_int_equal(asked.window_ns, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_a_fraction_of_a_second),
		cmocka_unit_test(places_and_times_agree),
		cmocka_unit_test(pictures),
		cmocka_unit_test(it_says_how_few_samples_a_cell_has),
		cmocka_unit_test(the_newest_column_is_now),
		cmocka_unit_test(drawing_counts_no_cell_again),
		cmocka_unit_test(every_size_and_key),
		cmocka_unit_test(a_drag_chooses_what_all_views_show),
		cmocka_unit_test(keys_choose_it_too),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
