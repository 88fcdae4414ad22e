/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the views do: keys, mouse, search, and how the cursor lives through reports; what
   the flame graph does is in unit-flame-keys.c. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "tests/lib/view-screen.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* --- the table's keys --------------------------------------------------------------- */

static void assert_first_rows(
	struct view_screen *screen, const char *first, const char *second)
{
	char *text = view_screen_text(screen);
	char *line = strchr(text, '\n') + 1, *next = strchr(line, '\n') + 1;
	next[strcspn(next, "\n")] = '\0';
	next[-1] = '\0';
	if (!strstr(line, first) || !strstr(next, second))
		fail_msg("rows are `%s' and `%s'", line, next);
	free(text);
}

static void test_table_sorts_by_every_column(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_table, 24, 120, false);
	assert_first_rows(&screen, "dot", "is_prime_by_division");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT));
	assert_first_rows(&screen, "__libc_start_main", "_start");
	assert_true(view_screen_act(&screen, ACTION_SORT_REVERSE));
	assert_first_rows(&screen, "__vdso_clock_gettime", "[bad memory]");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT));
	assert_first_rows(&screen, "dot", "is_prime_by_division");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT));
	assert_first_rows(&screen, "__libc_start_main", "_start");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT)); /* samples */
	assert_first_rows(&screen, "550 dot", "450 is_prime_by_division");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT)); /* name, from A */
	assert_first_rows(&screen, "next::{{closure}}", "operator*");
	assert_true(view_screen_act(&screen, ACTION_SORT_REVERSE));
	assert_first_rows(&screen, "\346\225\260", "worker(void*)");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT)); /* module */
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT)); /* round to self */
	assert_first_rows(&screen, "dot", "is_prime_by_division");
	assert_true(screen.view->click(screen.data, &screen.state, screen.report, 0, 9,
		CLICK_SELECT)); /* the heading of total % */
	assert_first_rows(&screen, "__libc_start_main", "_start");
	view_screen_close(&screen);
}

static void test_table_cursor_follows_its_function(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_table, 10, 80, false);
	assert_string_equal(view_screen_selected(&screen), "dot");
	for (int i = 0; i < 3; i++)
		assert_true(view_screen_act(&screen, ACTION_DOWN));
	assert_string_equal(view_screen_selected(&screen), "fibonacci");
	/* The last four seconds have another order; the function keeps the cursor. */
	screen.state.request.window_ns = 4 * NS_PER_SEC;
	view_screen_report(&screen);
	assert_string_equal(view_screen_selected(&screen), "fibonacci");
	assert_true(view_screen_act(&screen, ACTION_SORT_NEXT));
	assert_string_equal(view_screen_selected(&screen), "fibonacci");
	/* It never ran in the first four: the row stays. */
	screen.state.request.until_ns = FIXTURE_START_NS + 4 * NS_PER_SEC;
	view_screen_report(&screen);
	assert_string_not_equal(view_screen_selected(&screen), "fibonacci");
	/* From the top the cursor follows nothing: it is on whatever is hottest. */
	assert_true(view_screen_act(&screen, ACTION_SORT_PREVIOUS));
	assert_true(view_screen_act(&screen, ACTION_FIRST));
	screen.state.request.until_ns = FIXTURE_END_NS;
	screen.state.request.tids[screen.state.request.n_tids++] = 4714;
	view_screen_report(&screen);
	assert_string_equal(view_screen_selected(&screen),
		"\346\225\260\343\202\222\346\225\260\343\201\210\343\202\213");
	view_screen_close(&screen);
}

static void test_table_scrolls_and_finds(void **state)
{
	(void)state;
	struct view_screen screen;
	char *text;

	view_screen_open(&screen, &view_table, 10, 80, false);
	text = view_screen_text(&screen);
	assert_non_null(strstr(text, "14 more")); /* of 23, nine are shown */
	free(text);

	search_set(&screen.state.search, "^compute$");
	view_screen_draw(&screen);
	assert_true(screen.view->find(
		screen.data, &screen.state, screen.report, FIND_FROM_HERE));
	assert_string_equal(view_screen_selected(&screen), "compute");
	assert_true(
		screen.view->find(screen.data, &screen.state, screen.report, FIND_NEXT));
	assert_string_equal(view_screen_selected(&screen), "compute"); /* the only one */
	search_set(&screen.state.search, "start");
	view_screen_draw(&screen);
	assert_true(screen.view->find(
		screen.data, &screen.state, screen.report, FIND_PREVIOUS));
	assert_string_equal(view_screen_selected(&screen), "start_thread");
	assert_true(screen.view->find(
		screen.data, &screen.state, screen.report, FIND_PREVIOUS));
	assert_string_equal(view_screen_selected(&screen), "_start");
	search_set(&screen.state.search, "no such function");
	view_screen_draw(&screen);
	assert_false(
		screen.view->find(screen.data, &screen.state, screen.report, FIND_NEXT));

	screen.state.min_share = 0.02;
	view_screen_draw(&screen);
	assert_true(view_screen_act(&screen, ACTION_LAST));
	assert_string_equal(view_screen_selected(&screen), "qsort_r"); /* 5.2 % */
	assert_non_null(strstr(view_screen_status(&screen), "total 5.2%"));
	view_screen_close(&screen);
}

static void test_table_flashes_what_has_jumped(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_table, 24, 80, false);
	screen.state.request.window_ns = 2 * NS_PER_SEC;
	screen.state.request.until_ns = FIXTURE_START_NS + 5900 * NS_PER_MS;
	view_screen_report(&screen);
	view_screen_draw(&screen);
	screen.state.request.until_ns += 2 * NS_PER_SEC; /* fibonacci begins */
	view_screen_report(&screen);
	view_screen_draw(&screen);
	bool flashed = false, calm = true;
	for (int row = 0; row < 24; row++)
		flashed = flashed ||
			  grid_cell(&screen.grid, row, 28)->style.role == ROLE_FLASH;
	assert_true(flashed);
	screen.state.now_ns += 2 * NS_PER_SEC;
	view_screen_draw(&screen);
	for (int row = 0; row < 24; row++)
		calm = calm && grid_cell(&screen.grid, row, 28)->style.role != ROLE_FLASH;
	assert_true(calm);
	view_screen_close(&screen);
}

/* --- the threads' keys -------------------------------------------------------------- */

static void test_threads_narrow_all_views(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_threads, 20, 80, false);
	view_screen_act(&screen, ACTION_DOWN);
	assert_int_equal(screen.state.tid, 4712);
	view_screen_act(&screen, ACTION_ZOOM);
	assert_int_equal(screen.state.request.n_tids, 1);
	assert_int_equal(screen.state.request.tids[0], 4712);
	view_screen_act(&screen, ACTION_ZOOM); /* again: all */
	assert_int_equal(screen.state.request.n_tids, 0);
	view_screen_act(&screen, ACTION_TAG); /* 4712, and down */
	view_screen_act(&screen, ACTION_TAG); /* 4713 */
	view_screen_act(&screen, ACTION_ZOOM);
	assert_int_equal(screen.state.request.n_tids, 2);
	view_screen_report(&screen);
	assert_int_equal(screen.report->total.samples, 680);
	view_screen_close(&screen);
}

static void test_threads_pools(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_threads, 20, 80, false);
	view_screen_prepare(&screen);
	view_screen_open_pool(&screen);
	view_screen_act(&screen, ACTION_TAG); /* worker-2 is tagged: now worker-12, too */
	view_screen_act(&screen, ACTION_LEFT); /* up to the pool, and closed */
	view_screen_act(&screen, ACTION_LEFT);
	assert_int_equal(screen.state.tid, 0);
	assert_non_null(strstr(view_screen_status(&screen), "worker-*"));
	view_screen_act(&screen, ACTION_ZOOM);
	assert_int_equal(screen.state.request.n_tids, 2);
	view_screen_act(&screen, ACTION_ZOOM); /* none tagged: the whole pool */
	assert_int_equal(screen.state.request.n_tids, 3);
	view_screen_close(&screen);
}

/* --- the keys of the callers --------------------------------------------------------- */

static void reveal(struct view_screen *screen, const char *name)
{
	for (size_t i = 0; i < screen->report->n_functions; i++) {
		uint32_t function = screen->report->functions[i].function;
		if (strcmp(profile_function(screen->report->profile, function)->name,
			    name) == 0)
			screen->state.reveal = function;
	}
	view_screen_prepare(screen);
	assert_int_equal(screen->state.reveal, PROFILE_NONE);
	assert_string_equal(view_screen_selected(screen), name);
}

static void expect_row(struct view_screen *screen, const char *row, bool is_there)
{
	char *text = view_screen_text(screen);
	if (!strstr(text, row) == is_there)
		fail_msg("`%s' in\n%s", row, text);
	free(text);
}

static void test_callers_are_a_tree(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_callers, 24, 80, false);
	/* A caller that is the program's own is not open by itself; a library's is. */
	reveal(&screen, "qsort_r");
	expect_row(&screen, " \342\226\262 worker(void*) \342\226\266", true);
	assert_true(view_screen_act(&screen, ACTION_DOWN)); /* its caller */
	assert_string_equal(view_screen_selected(&screen), "worker(void*)");
	assert_non_null(
		strstr(view_screen_status(&screen), "was called by worker(void*)"));
	assert_true(view_screen_act(&screen, ACTION_RIGHT));
	expect_row(&screen, "   \342\226\262 start_thread", true);
	expect_row(&screen, "     \342\226\262 clone3", true);
	assert_true(view_screen_act(&screen, ACTION_RIGHT)); /* into it */
	assert_string_equal(view_screen_selected(&screen), "start_thread");
	assert_non_null(strstr(view_screen_status(&screen), "on behalf of start_thread"));
	/* It stays open with the next report. */
	screen.state.request.window_ns = 9 * NS_PER_SEC;
	view_screen_report(&screen);
	expect_row(&screen, "   \342\226\262 start_thread", true);
	assert_true(view_screen_act(&screen, ACTION_LEFT)); /* closed */
	expect_row(&screen, "clone3", false);
	assert_true(view_screen_act(&screen, ACTION_LEFT)); /* back to worker(void*) */
	assert_string_equal(view_screen_selected(&screen), "worker(void*)");
	assert_true(view_screen_act(&screen, ACTION_LEFT)); /* closed */
	expect_row(&screen, "start_thread", false);
	view_screen_close(&screen);
}

static void test_callers_are_walked(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_callers, 24, 80, false);
	reveal(&screen, "compute");
	assert_true(view_screen_act(&screen, ACTION_DOWN));
	assert_true(view_screen_act(&screen, ACTION_ZOOM));
	view_screen_draw(&screen);
	assert_string_equal(view_screen_selected(&screen), "main");
	expect_row(&screen, "_start", true); /* who calls main */
	/* Esc goes back, and from the first one to where it began. */
	screen.state.came_from = "flame";
	assert_true(view_screen_act(&screen, ACTION_POP));
	view_screen_draw(&screen);
	assert_string_equal(view_screen_selected(&screen), "compute");
	assert_true(view_screen_act(&screen, ACTION_POP));
	assert_string_equal(screen.state.go_to, "flame");
	screen.state.go_to = NULL;
	assert_false(view_screen_act(&screen, ACTION_POP)); /* the screen's own Esc */
	/* A double click walks on, as Enter. */
	assert_true(screen.view->click(
		screen.data, &screen.state, screen.report, 2, 30, CLICK_ZOOM));
	view_screen_draw(&screen);
	assert_string_equal(view_screen_selected(&screen), "main");
	view_screen_close(&screen);
}

/* --- all together ------------------------------------------------------------------- */

static bool shows_cursor(struct view_screen *screen)
{
	for (int row = 0; row < screen->grid.rows; row++) {
		for (int column = 0; column < screen->grid.columns; column++) {
			if (grid_cell(&screen->grid, row, column)->style.role ==
				ROLE_CURSOR)
				return true;
		}
	}
	return false;
}

static uint32_t draw_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Whatever is pressed while reports come and the terminal changes, the cursor stays on
   the screen; only what has no samples has none. */
static void play_at_random(const struct view_ops *view, uint64_t seed)
{
	struct view_screen screen;

	view_screen_open(&screen, view, 24, 80, false);
	for (int i = 0; i < 3000; i++) {
		uint32_t what = draw_number(&seed) % 100;
		enum action action = 1 + draw_number(&seed) % (ACTION_COUNT - 1);

		if (what < 5) {
			screen.state.request.window_ns =
				(1 + draw_number(&seed) % 9) * NS_PER_SEC;
			screen.state.request.until_ns =
				FIXTURE_START_NS +
				(1 + draw_number(&seed) % 9) * NS_PER_SEC;
			view_screen_report(&screen);
		} else if (what < 10) {
			screen.state.rows = 2 + (int)draw_number(&seed) % 20;
			screen.state.columns = 8 + (int)draw_number(&seed) % 100;
			screen.state.flipped = draw_number(&seed) % 2;
			screen.state.pools = draw_number(&seed) % 2;
			screen.state.min_share = draw_number(&seed) % 4 ? 0 : 0.03;
		} else if (what < 13) {
			view_zoom_pop(&screen.state);
		} else {
			view_screen_act(&screen, action);
			screen.state.request.n_tids = 0; /* as Enter in threads sets */
		}
		view_screen_draw(&screen);
		const struct zoom *zoom = view_zoom(&screen.state);
		size_t found = 0;
		if (zoom)
			view_find_path(screen.report, zoom->path, zoom->length, &found);
		if (screen.report->total.samples > 0 && (!zoom || found == zoom->length))
			assert_true(shows_cursor(&screen));
	}
	view_screen_close(&screen);
}

static void test_the_cursor_never_leaves_the_screen(void **state)
{
	(void)state;
	play_at_random(&view_table, 1);
	play_at_random(&view_flame, 2);
	play_at_random(&view_threads, 3);
	play_at_random(&view_callers, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_sorts_by_every_column),
		cmocka_unit_test(test_table_cursor_follows_its_function),
		cmocka_unit_test(test_table_scrolls_and_finds),
		cmocka_unit_test(test_table_flashes_what_has_jumped),
		cmocka_unit_test(test_threads_narrow_all_views),
		cmocka_unit_test(test_threads_pools),
		cmocka_unit_test(test_callers_are_a_tree),
		cmocka_unit_test(test_callers_are_walked),
		cmocka_unit_test(test_the_cursor_never_leaves_the_screen),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
