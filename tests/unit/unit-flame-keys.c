/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the flame graph does: keys, mouse, search, and how cursor and zoom live through
   reports. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "tests/lib/view-screen.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void test_flame_walks_the_tree(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_flame, 20, 80, false);
	assert_string_equal(view_screen_selected(&screen), "(none)"); /* all */
	view_screen_act(&screen, ACTION_DOWN);
	assert_string_equal(
		view_screen_selected(&screen), "_start"); /* the widest child */
	view_screen_act(&screen, ACTION_RIGHT);
	assert_string_equal(view_screen_selected(&screen), "clone3");
	view_screen_act(&screen, ACTION_HOT_DOWN);
	assert_string_equal(view_screen_selected(&screen), "dot");
	view_screen_act(&screen, ACTION_UP);
	assert_string_equal(view_screen_selected(&screen),
		"Matrix<double>::operator*(Matrix<double> const&) const");
	view_screen_act(&screen, ACTION_HOT_UP);
	assert_string_equal(view_screen_selected(&screen), "(none)");
	view_screen_act(&screen, ACTION_LAST);
	assert_string_equal(view_screen_selected(&screen), "is_prime_by_division");
	assert_non_null(strstr(view_screen_status(&screen), "35.3% of all"));
	assert_true(screen.view->click(
		screen.data, &screen.state, screen.report, 1, 60, CLICK_SELECT));
	assert_string_equal(view_screen_selected(&screen), "clone3");
	view_screen_close(&screen);
}

static void test_flame_zoom_outlives_its_stack(void **state)
{
	(void)state;
	struct view_screen screen;
	char *text;

	view_screen_open(&screen, &view_flame, 20, 80, false);
	view_screen_prepare(&screen);
	search_set(&screen.state.search, "fibonacci");
	view_screen_draw(&screen);
	assert_true(screen.view->find(
		screen.data, &screen.state, screen.report, FIND_FROM_HERE));
	view_screen_act(&screen, ACTION_ZOOM);
	assert_int_equal(screen.state.zooms.len, 1);
	assert_non_null(strstr(view_screen_status(&screen), "100.0% of zoom"));

	/* fibonacci did not run in the first two seconds. */
	screen.state.request.window_ns = 2 * NS_PER_SEC;
	screen.state.request.until_ns = FIXTURE_START_NS + 2 * NS_PER_SEC;
	view_screen_report(&screen);
	text = view_screen_text(&screen);
	assert_non_null(strstr(text, "fibonacci has not run in this window"));
	free(text);
	assert_false(view_screen_act(&screen, ACTION_DOWN));

	screen.state.request.window_ns = 10 * NS_PER_SEC;
	screen.state.request.until_ns = FIXTURE_END_NS;
	view_screen_report(&screen);
	assert_string_equal(view_screen_selected(&screen), "fibonacci");
	assert_true(view_zoom_pop(&screen.state));
	assert_string_equal(
		view_screen_selected(&screen), "fibonacci"); /* the cursor stays */
	view_screen_close(&screen);
}

static void test_flame_reaches_what_is_too_narrow(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_flame, 20, 30, false);
	search_set(&screen.state.search, "\\[bad memory\\]");
	view_screen_draw(&screen);
	assert_true(screen.view->find(
		screen.data, &screen.state, screen.report, FIND_FROM_HERE));
	assert_string_equal(
		view_screen_selected(&screen), "(none)"); /* an "other" cell */
	assert_non_null(strstr(view_screen_status(&screen), "[bad memory]"));
	view_screen_act(&screen, ACTION_LEFT); /* and away, to the neighbour */
	assert_string_equal(view_screen_selected(&screen), "clone3");
	view_screen_act(&screen, ACTION_RIGHT);
	assert_non_null(strstr(view_screen_status(&screen), "too narrow to show"));
	view_screen_close(&screen);
}

static void test_table_reveals_in_flame(void **state)
{
	(void)state;
	struct view_screen screen, flame;

	view_screen_open(&screen, &view_table, 20, 80, false);
	view_screen_act(&screen, ACTION_ZOOM);
	assert_string_equal(screen.state.go_to, "flame");
	view_screen_open(&flame, &view_flame, 20, 80, false);
	flame.state.reveal = screen.state.reveal;
	assert_string_equal(view_screen_selected(&flame), "dot");
	assert_int_equal(flame.state.reveal, PROFILE_NONE);
	/* A zoom that contains the place stays; another one is removed. */
	view_screen_act(&flame, ACTION_UP);
	view_screen_act(&flame, ACTION_ZOOM);
	flame.state.reveal = screen.state.reveal;
	assert_string_equal(view_screen_selected(&flame), "dot");
	assert_int_equal(flame.state.zooms.len, 1);
	view_screen_act(&screen, ACTION_DOWN);
	view_screen_act(&screen, ACTION_ZOOM);
	flame.state.reveal = screen.state.reveal;
	assert_string_equal(view_screen_selected(&flame), "is_prime_by_division");
	assert_int_equal(flame.state.zooms.len, 0);
	view_screen_close(&flame);
	view_screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flame_walks_the_tree),
		cmocka_unit_test(test_flame_zoom_outlives_its_stack),
		cmocka_unit_test(test_flame_reaches_what_is_too_narrow),
		cmocka_unit_test(test_table_reveals_in_flame),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
