/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A zoom is one thing: it narrows reports, every view and every file. */

#include "tests/lib/play.h"
#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of the functions of PATH, as REPORT counts them. */
static void zoom_into(
	struct report_request *request, const struct report *report, const char *path)
{
	const struct report_node *at = world_node(report, path);
	request->zoom.names = report->profile;
	request->zoom.length = at->depth;
	for (uint32_t i = at->depth; i-- > 0; at = &report->nodes[at->parent])
		request->zoom.path[i] = at->function;
}

static void test_a_zoom_counts_what_is_below(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;parse;alloc", 20);
	world_sample(&world, 11, 2, "app", "main;parse", 30);
	world_sample(&world, 12, 1, "app", "main;alloc", 7);
	world_sample(&world, 13, 2, "app", "parse;alloc", 3);
	world_sample(&world, 14, 1, "app", "main", 1);
	struct report *all = world_report(&world, NULL);
	struct report_request request = {.moments = true};
	zoom_into(&request, all, "main;parse");
	struct report *report = world_report(&world, &request);
	assert_int_equal(report->total.cpu_ns, 50);
	assert_int_equal(report->around.cpu_ns, 61);
	assert_int_equal(report->everything.cpu_ns, 61);
	assert_int_equal(world_node(report, "main")->total.cpu_ns, 50);
	assert_int_equal(report->n_stacks, 2);
	assert_int_equal(report->n_moments, 2);
	report_destroy(report);

	/* Together with a filter: of what matches it, the part below. */
	strcpy(request.filter, "alloc");
	report = world_report(&world, &request);
	assert_int_equal(report->total.cpu_ns, 20);
	assert_int_equal(report->around.cpu_ns, 30);
	report_destroy(report);

	/* Ids of other names mean nothing. */
	request.filter[0] = '\0';
	request.zoom.names = NULL;
	report = world_report(&world, &request);
	assert_int_equal(report->total.cpu_ns, 61);
	assert_int_equal(report->request.zoom.length, 0);
	report_destroy(report);
	report_destroy(all);
	world_destroy(&world);
}

/* --- on the screen ------------------------------------------------------------------ */

static const char into_worker[] = "key Tab\nkeys /^worker<Enter>\nkey n Enter\n"
				  "wait-report\n";

/* What is below worker(void*): 570 of 1389 samples, by threads 4712 and 4713. */
static void every_view_shows_the_zoom(void **state)
{
	(void)state;
	struct fake_source fake;
	char script[256];

	fake_source_init(&fake);
	snprintf(script, sizeof(script), "%skey S-Tab", into_worker);
	char *screen = play(&fake, script);
	assert_int_equal(fake.last.zoom.length, 3);
	expect_shown(screen, "zoom worker(void*)");
	expect_shown(screen, "Self%");
	expect_not_shown(screen, "is_prime_by_division");
	free(screen);
	snprintf(script, sizeof(script), "%skey Tab", into_worker);
	screen = play(&fake, script);
	expect_shown(screen, "zoom worker(void*)");
	expect_shown(screen, "4712");
	expect_not_shown(screen, "is_prime_by_division");
	free(screen);
	/* "of all" is of what would be counted without the zoom. */
	snprintf(script, sizeof(script), "%ssize 120 30", into_worker);
	expect_played(&fake, script, "of all, 100.0% of zoom");
	snprintf(
		script, sizeof(script), "%skey Esc\nwait-report\nkey S-Tab", into_worker);
	screen = play(&fake, script);
	assert_int_equal(fake.last.zoom.length, 0);
	expect_shown(screen, "is_prime_by_division");
	free(screen);
	fake_source_finish(&fake);
}

static void a_file_has_what_is_zoomed_into(void **state)
{
	(void)state;
	struct fake_source fake;
	char script[256];

	fake_source_init(&fake);
	snprintf(script, sizeof(script), "%skey x", into_worker);
	expect_played(&fake, script,
		"writes 10.0 s; below clone3 > start_thread > worker(void*); ");
	snprintf(script, sizeof(script), "%skeys xf<Ctrl-U>zoomed.folded<Enter>",
		into_worker);
	expect_played(&fake, script, "wrote zoomed.folded");
	char *folded = read_text("zoomed.folded");
	expect_shown(folded, "start_thread;worker(void*);");
	expect_not_shown(folded, "is_prime_by_division");
	free(folded);
	snprintf(script, sizeof(script), "%skeys xt<Ctrl-U>zoomed.txt<Enter>",
		into_worker);
	expect_played(&fake, script, "wrote zoomed.txt");
	char *text = read_text("zoomed.txt");
	expect_shown(text, "; below clone3 > start_thread > worker(void*); ");
	free(text);
	fake_source_finish(&fake);
}

/* Two reports that are compared have names of their own, so only the flame graph can be
   zoomed: only there is the zoom shown, and x says that it writes more. */
static void a_difference_is_zoomed_in_one_view(void **state)
{
	(void)state;
	struct fake_source fake;
	char script[256];

	fake_source_init(&fake);
	snprintf(script, sizeof(script), "key B D\nwait-report\n%s", into_worker);
	char *screen = play(&fake, script);
	assert_int_equal(fake.last.zoom.length, 0);
	expect_shown(screen, "Zoom clone3");
	free(screen);
	strcat(script, "size 140 30\nkey x");
	expect_played(&fake, script, "writes both sides of 10.0 s; not only the zoom");
	strcat(script, "\nkey Esc S-Tab");
	screen = play(&fake, script);
	expect_not_shown(screen, "zoom worker");
	free(screen);
	fake_source_finish(&fake);
}

/* So what was marked while something was zoomed into is counted again for a comparison,
   which has no zoom. */
static void requests_with_another_zoom_are_not_alike(void **state)
{
	(void)state;
	const struct report_request zoomed = {.zoom.length = 1}, plain = {.wall = false};

	assert_true(report_request_alike(&zoomed, &zoomed));
	assert_false(report_request_alike(&zoomed, &plain));
}

static void hidden_rows_are_said_where_they_are_hidden(void **state)
{
	(void)state;
	struct fake_source fake;

	fake_source_init(&fake);
	expect_played(&fake, "key + + + + + x", "writes 10.0 s; small rows, too");
	expect_played(&fake, "key + + + + +", "over 2%");
	char *screen = play(&fake, "key + + + + + Tab Tab\nwait-report");
	expect_not_shown(screen, "over 2%");
	free(screen);
	fake_source_finish(&fake);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_zoom_counts_what_is_below),
		cmocka_unit_test(every_view_shows_the_zoom),
		cmocka_unit_test(a_file_has_what_is_zoomed_into),
		cmocka_unit_test(a_difference_is_zoomed_in_one_view),
		cmocka_unit_test(requests_with_another_zoom_are_not_alike),
		cmocka_unit_test(hidden_rows_are_said_where_they_are_hidden),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
