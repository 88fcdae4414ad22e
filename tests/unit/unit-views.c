/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views: golden screens of each at several sizes, and what holds at any size. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "tests/lib/golden.h"
#include "tests/lib/view-screen.h"
#include "ui/header/header.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the list of views -------------------------------------------------------------- */

/* Of a new one, too: the screen asks all of them for these, without looking. */
static void test_every_view_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; view_list[i]; i++) {
		const struct view_ops *view = view_list[i];
		assert_non_null(view->name);
		assert_non_null(view->title);
		assert_non_null(view->prepare);
		assert_non_null(view->draw);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(view->name, view_list[k]->name);
	}
}

/* --- golden screens ----------------------------------------------------------------- */

static const struct {
	int rows, columns;
	bool ascii;
} sizes[] = {{24, 80, false}, {24, 80, true}, {50, 200, false}, {50, 200, true},
	{10, 40, false}, {10, 40, true}};

static void check_size(const struct view_ops *view, const char *variant,
	void (*set_up)(struct view_screen *screen), int rows, int columns, bool ascii)
{
	struct view_screen screen;
	char name[128];

	view_screen_open(&screen, view, rows, columns, ascii);
	view_screen_prepare(&screen);
	if (set_up)
		set_up(&screen);
	view_screen_draw(&screen);
	snprintf(name, sizeof(name), "%s%s-%dx%d%s", view->name, variant, columns, rows,
		ascii ? "-ascii" : "");
	golden_check(name, &screen.grid);
	view_screen_close(&screen);
}

static void check_sizes(const struct view_ops *view, const char *variant,
	void (*set_up)(struct view_screen *screen))
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_size(view, variant, set_up, sizes[i].rows, sizes[i].columns,
			sizes[i].ascii);
}

/* As each view is before any key; the output view has nothing to show here. */
static void test_all_views(void **state)
{
	(void)state;
	for (size_t i = 0; view_list[i]; i++)
		if (!view_list[i]->available)
			check_sizes(view_list[i], "", NULL);
}

/* Walk from the top function to its heaviest caller and on. */
static void walk_up(struct view_screen *screen)
{
	for (int i = 0; i < 3; i++) {
		assert_true(view_screen_act(screen, ACTION_DOWN));
		assert_true(view_screen_act(screen, ACTION_ZOOM));
	}
}

static void test_callers_walked(void **state)
{
	(void)state;
	check_sizes(&view_callers, "-walked", walk_up);
	check_size(&view_callers, "-walked", walk_up, 40, 120, false);
	check_size(&view_callers, "-walked", walk_up, 40, 120, true);
}

static void zoom_flipped(struct view_screen *screen)
{
	screen->state.flipped = true;
	search_set(&screen->state.search, "prime");
	assert_true(view_screen_act(screen, ACTION_UP)); /* flipped: towards the leaf */
	assert_true(view_screen_act(screen, ACTION_ZOOM));
}

static void test_flame_zoomed_flipped_searched(void **state)
{
	(void)state;
	check_sizes(&view_flame, "-zoomed", zoom_flipped);
}

static void test_threads_pools_screens(void **state)
{
	(void)state;
	check_sizes(&view_threads, "-pools", view_screen_open_pool);
}

static void by_module(struct view_screen *screen)
{
	screen->state.request.naming.granularity = NAMING_MODULE;
	view_screen_report(screen);
	char *text = view_screen_text(screen);
	assert_null(strstr(text, "libc.so.6  ")
			    ? strstr(strstr(text, "libc.so.6") + 1, "libc.so.6")
			    : NULL);
	free(text);
	const char *status = view_screen_status(screen);
	assert_null(strstr(strstr(status, "primes") + 1, "primes"));
}

/* A row is a module then, and it is named once. */
static void test_modules_screens(void **state)
{
	(void)state;
	check_sizes(&view_table, "-modules", by_module);
}

/* --- headers ------------------------------------------------------------------------ */

static void show_header(struct view_screen *screen, const struct gauges *gauges,
	const char *command, const char *variant)
{
	const struct source_facts facts = {
		.pid = FIXTURE_PID, .command = command, .path = "/opt/primes/primes"};
	const struct header_input input = {
		&facts, gauges, &screen->state, screen->report, &(struct activity){{0}}};

	/* Saw teeth, and nothing in the last third. */
	for (uint64_t i = 0; i < REPORT_TIMELINE; i++)
		screen->report->timeline[i].kernel_cpu_ns =
			i < 80 ? (i % 20) * 4000000 : 0;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char name[128];
		struct grid grid;
		int rows = header_rows(sizes[i].rows, sizes[i].columns, false);

		grid_init(&grid, rows, sizes[i].columns, sizes[i].ascii);
		header_draw(&input, &grid);
		snprintf(name, sizeof(name), "header%s-%dx%d%s", variant,
			sizes[i].columns, sizes[i].rows, sizes[i].ascii ? "-ascii" : "");
		golden_check(name, &grid);
		grid_finish(&grid);
	}
}

static const struct gauges busy = {
	.rate_hz = 98.7,
	.kernel_cpu_share = 1.873,
	.sampled_cpu_share = 1.869,
	.own_cpu_share = 0.012,
	.paused_share = 0.0041,
	.asked_hz = 99,
	.threads_now = 17,
	.threads_running = 3,
	.samples = 1389,
	.periods = 990,
	.stop_p50_ns = 12300,
	.stop_p99_ns = 38100,
	.stop_max_ns = 210000,
	.elapsed_ns = 10 * NS_PER_SEC,
};

static void test_header_screens(void **state)
{
	(void)state;
	struct view_screen screen;

	view_screen_open(&screen, &view_table, 24, 80, false);
	show_header(&screen, &busy, "primes --threads 5 --until 10000000", "");
	view_screen_close(&screen);
}

/* Threads that only sleep are counted, but who waits for a lock is not one of them. */
static void test_header_says_where_time_goes(void **state)
{
	(void)state;
	struct report_thread threads[] = {
		{.cpu_ns = 30,
			.runq_ns = 10,
			.blocked_ns = 60,
			.wait = TASK_WAITS_NETWORK},
		{.blocked_ns = 100, .wait = TASK_WAITS_LOCK},
		{.blocked_ns = 100, .wait = TASK_WAITS_NETWORK},
		{.blocked_ns = 100, .wait = TASK_WAITS_WORK},
	};
	struct report report = {.threads = threads, .n_threads = 4};
	struct activity activity = {{0}};
	char text[80];

	activity_describe(&activity, &report, text, sizeof(text));
	assert_string_equal(text, "15% running, 5% wants a CPU, 80% waits, 2 idle");
	activity_look(&activity, &report);
	activity_describe(&activity, &report, text, sizeof(text));
	assert_string_equal(
		text, "15% running, 5% wants a CPU, 30% network, 50% locks, 2 idle");
	/* what is seen now counts more than what was */
	threads[1].wait = TASK_WAITS_DISK;
	for (int i = 0; i < 100; i++)
		activity_look(&activity, &report);
	activity_describe(&activity, &report, text, sizeof(text));
	assert_string_equal(
		text, "15% running, 5% wants a CPU, 30% network, 50% disk, 2 idle");
	/* if all do nothing else, that is what they do */
	report.threads = threads + 2;
	report.n_threads = 2;
	activity = (struct activity){{0}};
	activity_look(&activity, &report);
	activity_describe(&activity, &report, text, sizeof(text));
	assert_string_equal(
		text, "0% running, 0% wants a CPU, 50% network, 50% waits for work");
	assert_int_equal(task_parse_wait("futex_do_wait"), TASK_WAITS_LOCK);
	assert_int_equal(task_parse_wait("ep_poll"), TASK_WAITS_NETWORK);
	assert_int_equal(task_parse_wait("0"), TASK_RUNS);
	assert_int_equal(task_parse_wait("msleep"), TASK_WAITS_OTHER);
}

static void test_header_says_what_is_wrong(void **state)
{
	(void)state;
	struct view_screen screen;
	struct gauges gauges = busy;

	gauges.lost = 1234;
	gauges.rate_hz = 61;
	gauges.paused_share = 0.083;
	gauges.held_by = METER_HELD_OVERHEAD;
	gauges.target_exited = true;
	view_screen_open(&screen, &view_table, 24, 80, false);
	screen.state.frozen = true;
	show_header(&screen, &gauges,
		"/usr/bin/a-program-with-a-rather-long-name --and --a-lot-of-arguments "
		"--which --do --not --fit --into --any --line",
		"-trouble");
	view_screen_close(&screen);
}

/* What a person reads when there is nothing to see. */
static void test_header_names_the_state(void **state)
{
	(void)state;
	struct view_screen screen;
	const struct source_facts facts = {.pid = 1, .command = "x"};
	static const struct {
		struct gauges gauges;
		bool report;
		const char *words;
	} cases[] = {
		{{.asked_hz = 99, .threads_running = 1}, true, "running"},
		{{.asked_hz = 99, .kernel_cpu_share = 0.2}, true, "running"},
		{{.asked_hz = 99}, true, "sleeping"},
		{{.asked_hz = 99}, false, "starting"},
		{{.asked_hz = 0}, true, "sampling is paused"},
		{{.asked_hz = 99, .target_stopped = true}, true, "stopped by a signal"},
		{{.asked_hz = 99, .sampling_ended = true}, true, "sampling has ended"},
		{{.asked_hz = 99, .sampling_ended = true, .gave_up = true}, true,
			"sampling ended: tracers died"},
		{{.asked_hz = 99, .target_exited = true}, true, "has ended"},
	};

	view_screen_open(&screen, &view_table, 24, 80, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct header_input input = {&facts, &cases[i].gauges, &screen.state,
			cases[i].report ? screen.report : NULL, &(struct activity){{0}}};
		for (int columns = 30; columns <= 200; columns += 17) {
			char *text = NULL;
			size_t size;
			struct grid grid;
			FILE *file = open_memstream(&text, &size);

			grid_init(&grid, 1, columns, false);
			header_draw(&input, &grid);
			grid_dump(&grid, file);
			assert_int_equal(fclose(file), 0);
			assert_non_null(strstr(text, cases[i].words));
			grid_finish(&grid);
			free(text);
		}
	}
	view_screen_close(&screen);
}

static void test_header_names_what_is_fetched(void **state)
{
	(void)state;
	struct view_screen screen;
	struct grid grid;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	view_screen_open(&screen, &view_table, 24, 100, false);
	strcpy(screen.report->fetching, "libfoo.so 1.5M");
	grid_init(&grid, header_rows(24, 100, false), 100, false);
	header_draw(&(struct header_input){&(struct source_facts){.command = "x"}, &busy,
			    &screen.state, screen.report, &(struct activity){{0}}},
		&grid);
	grid_dump(&grid, file);
	assert_int_equal(fclose(file), 0);
	assert_non_null(strstr(text, "fetching libfoo.so 1.5M"));
	grid_finish(&grid);
	free(text);
	view_screen_close(&screen);
}

/* --- nothing to show ---------------------------------------------------------------- */

static void nothing_matches(struct view_screen *screen)
{
	snprintf(screen->state.request.filter, REPORT_TEXT_MAX, "no_such_function");
	view_screen_report(screen);
}

static void nothing_ran(struct view_screen *screen)
{
	screen->state.request.until_ns = FIXTURE_START_NS - 20 * NS_PER_SEC;
	view_screen_report(screen);
}

static void test_empty_screens_say_why(void **state)
{
	(void)state;
	check_sizes(&view_table, "-filtered", nothing_matches);
	check_sizes(&view_flame, "-filtered", nothing_matches);
	check_sizes(&view_table, "-idle", nothing_ran);
	check_sizes(&view_threads, "-idle", nothing_ran);
}

/* --- styles ---------------------------------------------------------------------- */

static bool look_alike(enum role a, enum role b, const struct theme *theme)
{
	struct paint x = theme_paint(theme, a), y = theme_paint(theme, b);

	return x.foreground == y.foreground && x.background == y.background &&
	       x.attributes == y.attributes;
}

/* On any terminal: what is selected, what was found, and the cells around them. */
static void test_cells_can_be_told_apart_on_any_terminal(void **state)
{
	(void)state;

	for (enum theme_depth depth = DEPTH_NONE; depth <= DEPTH_RGB; depth++) {
		const struct theme theme = {depth, GROUND_DARK};
		for (int i = ROLE_HUE - 1; i < ROLE_COUNT; i++) {
			enum role role = i < ROLE_HUE ? ROLE_OTHER : (enum role)i;
			assert_false(look_alike(ROLE_CURSOR, role, &theme));
			assert_false(look_alike(ROLE_MATCH, role, &theme));
			assert_false(look_alike(ROLE_CURSOR_BESIDE, role, &theme));
		}
		assert_false(look_alike(ROLE_MATCH, ROLE_CURSOR, &theme));
		assert_false(look_alike(ROLE_MATCH, ROLE_CURSOR_BESIDE, &theme));
		assert_false(look_alike(ROLE_CURSOR, ROLE_CURSOR_BESIDE, &theme));
	}
}

/* --- any size ----------------------------------------------------------------------- */

/* Nothing reads or writes outside; the sanitizers watch. */
static void test_every_size_can_be_drawn(void **state)
{
	(void)state;
	const struct source_facts facts = {.pid = 1, .command = "x"};

	for (size_t v = 0; view_list[v]; v++) {
		struct view_screen screen;
		if (view_list[v]->available)
			continue;
		view_screen_open(&screen, view_list[v], 24, 80, v % 2);
		search_set(&screen.state.search, "o");
		for (int rows = 0; rows < 30; rows += rows < 6 ? 1 : 7) {
			for (int columns = 0; columns < 130;
				columns += columns < 24 ? 1 : 13) {
				screen.state.rows = rows;
				screen.state.columns = columns;
				view_screen_draw(&screen);
				view_screen_act(&screen,
					columns % 3 ? ACTION_DOWN : ACTION_RIGHT);
				grid_resize(&screen.grid,
					header_rows(rows, columns, false), columns);
				header_draw(&(struct header_input){&facts, &busy,
						    &screen.state, screen.report,
						    &(struct activity){{0}}},
					&screen.grid);
			}
		}
		view_screen_close(&screen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_view_is_complete),
		cmocka_unit_test(test_all_views),
		cmocka_unit_test(test_flame_zoomed_flipped_searched),
		cmocka_unit_test(test_callers_walked),
		cmocka_unit_test(test_threads_pools_screens),
		cmocka_unit_test(test_modules_screens),
		cmocka_unit_test(test_header_screens),
		cmocka_unit_test(test_header_says_where_time_goes),
		cmocka_unit_test(test_header_says_what_is_wrong),
		cmocka_unit_test(test_header_names_the_state),
		cmocka_unit_test(test_header_names_what_is_fetched),
		cmocka_unit_test(test_cells_can_be_told_apart_on_any_terminal),
		cmocka_unit_test(test_every_size_can_be_drawn),
		cmocka_unit_test(test_empty_screens_say_why),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
