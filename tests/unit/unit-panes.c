/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table and the flame graph side by side: keys, mouse, and who follows whom. */
#include "tests/lib/play.h"
#include "tests/lib/unit.h"

#include "ui/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At 200 columns the table has 90, then comes a line, then the flame graph. */
#define WIDE "size 200 50\nkey | Home\n"

enum {
	FLAME_COLUMN = 91,
	BODY_ROW = 7
};

/* The styles of the last screen of SCRIPT; the caller frees them. */
static char *styles_after(const char *script)
{
	struct fake_source fake;
	char whole[1024];

	fake_source_init(&fake);
	snprintf(whole, sizeof(whole), "%s\nsave-styles styles", script);
	free(play(&fake, whole));
	fake_source_finish(&fake);
	return read_text("styles");
}

static void both_are_shown_from_160_columns_on(void **unused)
{
	(void)unused;
	expect_after("key |", "side by side needs 160 columns, not 80");
	expect_after("size 159 50\nkey |", "needs 160 columns, not 159");
	expect_after("size 160 50\nkey |", "▼Self%  Total%");
	expect_after("size 160 50\nkey |", "│ all");
	expect_after("size 160 50\nkey |", "side by side; Tab: the other");
	/* from another view to the table; from the flame graph to that */
	expect_after(WIDE "key Tab Tab\nkey | |", "│ all");
	expect_after("size 200 50\nkey Tab | Down", "_start  51.8% of all");

	struct fake_source fake;
	fake_source_init(&fake);
	char *screen = play(&fake, WIDE "key |");
	expect_shown(screen, "one view");
	expect_not_shown(screen, "│ all");
	free(screen);
	/* the choice is kept while there is no room */
	screen = play(&fake, WIDE "size 100 30");
	expect_not_shown(screen, "│ all");
	free(screen);
	expect_played(&fake, WIDE "size 100 30\nsize 200 50", "│ all");
	fake_source_finish(&fake);
}

static void an_option_begins_with_both(void **unused)
{
	struct app_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	options.side_by_side = true;
	fake_source_init(&fake);
	char *screen = play_with(&fake, &options, "size 200 50");
	expect_shown(screen, "│ all");
	free(screen);
	fake_source_finish(&fake);
}

static void the_flame_graph_follows_the_table(void **unused)
{
	(void)unused;
	/* the third row is is_prime_by_sieve; Tab gives the keys to its cell */
	expect_after(WIDE "key Down Down", "is_prime_by_sieve  self 9.4%");
	expect_after(WIDE "key Down Down Tab", "is_prime_by_sieve  9.4% of all");
	/* nothing else moves: Tab and back is where one was */
	expect_after(WIDE "key Down Down Tab S-Tab", "is_prime_by_sieve  self 9.4%");

	char *styles = styles_after(WIDE "key Down Down");
	assert_non_null(strstr(styles, " cursor;"));
	assert_non_null(strstr(styles, " cursor-beside"));
	free(styles);
}

static void the_table_follows_the_flame_graph(void **unused)
{
	(void)unused;
	expect_after(WIDE "key Tab Home J", "is_prime_by_division  35.3% of all");
	expect_after(WIDE "key Tab Home J S-Tab", "is_prime_by_division  self 35.3%");
	expect_after(WIDE "key Tab Home Down Down", "__libc_start_main  51.8% of all");
	expect_after(WIDE "key Tab Home Down Down S-Tab", "__libc_start_main  self 0.0%");
}

/* The table does not leave the zoom of the flame graph, as it would alone. */
static void a_zoom_stays(void **unused)
{
	(void)unused;
	const char *zoomed = WIDE "keys /is_prime_by_sieve<Enter>\nkey Tab Up Enter\n"
				  "wait-report\nkey S-Tab Home Down Down\n";
	struct fake_source fake;

	fake_source_init(&fake);
	char *screen = play(&fake, zoomed);
	expect_shown(screen, "zoom compute");
	expect_shown(screen, "Zoom _start");
	free(screen);
	fake_source_finish(&fake);
}

static void the_mouse_works_in_both(void **unused)
{
	char script[256];

	(void)unused;
	snprintf(script, sizeof(script), WIDE "mouse left %d %d", BODY_ROW + 2,
		FLAME_COLUMN + 10);
	expect_after(script, "__libc_start_main  51.8% of all");
	snprintf(script, sizeof(script), WIDE "mouse left %d %d\nmouse left %d 30",
		BODY_ROW + 2, FLAME_COLUMN + 10, BODY_ROW + 4);
	expect_after(script, "fibonacci  self 7.0%");
	/* on the line between them nothing happens; the wheel goes where it is turned */
	snprintf(script, sizeof(script), WIDE "mouse left %d 90", BODY_ROW + 4);
	expect_after(script, "dot  self 39.2%");
	snprintf(script, sizeof(script), WIDE "mouse wheel-down %d %d", BODY_ROW + 2,
		FLAME_COLUMN + 10);
	expect_after(script, "% of all");
	/* over the header it does not change who has the keys */
	snprintf(script, sizeof(script), WIDE "mouse wheel-down 1 %d", FLAME_COLUMN + 10);
	expect_after(script, "  self ");
	/* a double click zooms */
	snprintf(script, sizeof(script), WIDE "mouse double %d %d\nwait-report",
		BODY_ROW + 2, FLAME_COLUMN + 10);
	expect_after(script, "zoom __libc_start_main");
	/* the headings sort */
	snprintf(script, sizeof(script), WIDE "mouse left %d 12", BODY_ROW);
	expect_after(script, "▼Total%");
}

static void every_key_and_size_with_both(void **unused)
{
	static const char *const sizes[] = {
		"160 1", "160 5", "161 8", "400 20", "200 50", "80 24", "200 50"};
	char script[4096] = WIDE;

	(void)unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char line[256];
		snprintf(line, sizeof(line),
			"size %s\nkey Down Tab Down Left Right J Enter\nwait-report\n"
			"key Esc u S-Tab > PgDn End Home\nkeys /s<Enter>nN<Esc>\n"
			"key ? Esc x Esc L\nwait-report\nkey L L L\nwait-report\n",
			sizes[i]);
		strcat(script, line);
	}
	expect_after(script, "▼");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_are_shown_from_160_columns_on),
		cmocka_unit_test(an_option_begins_with_both),
		cmocka_unit_test(the_flame_graph_follows_the_table),
		cmocka_unit_test(the_table_follows_the_flame_graph),
		cmocka_unit_test(a_zoom_stays),
		cmocka_unit_test(the_mouse_works_in_both),
		cmocka_unit_test(every_key_and_size_with_both),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
