/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole screens, as a person sees them: sessions on the made-up profile, held by golden
   files at three sizes, with and without Unicode. */

#include "tests/lib/unit.h"

#include "tests/lib/fake-source.h"
#include "tests/lib/golden.h"
#include "tests/lib/play.h"
#include "ui/screen/app.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t own_cpu_ns(void)
{
	return 0;
}

/* Play SCRIPT at this size; the last screen is the golden one. */
static void check_screen(
	const char *name, const char *script, int rows, int columns, bool ascii)
{
	struct term_options term_options = {.ascii = ascii, .mouse = true};
	struct term *term = term_headless_create(rows, columns, &term_options);
	struct app_options options = {.output_fd = -1,
		.clock_ns = clock_ns,
		.own_cpu_ns = own_cpu_ns,
		.script = play_script(script)};
	struct fake_source fake;
	struct error err;
	char file[128];

	fake_source_init(&fake);
	if (!app_run(term, &fake.source, &options, &err))
		fail_msg("%s", err.text);
	snprintf(file, sizeof(file), "screen-%s-%dx%d%s", name, columns, rows,
		ascii ? "-ascii" : "");
	golden_check(file, term_headless_screen(term));
	script_close(options.script);
	fake_source_finish(&fake);
	term_destroy(term);
}

/* The same at each size. */
static void check_screens(const char *name, const char *script)
{
	static const struct {
		int rows, columns;
	} sizes[] = {{24, 80}, {50, 200}, {10, 40}};

	for (int i = 0; i < 6; i++)
		check_screen(
			name, script, sizes[i / 2].rows, sizes[i / 2].columns, i % 2);
}

static void test_table(void **state)
{
	(void)state;
	check_screens("table", "key Down Down");
}

static void test_flame_searched_and_zoomed(void **state)
{
	(void)state;
	check_screens("flame", "key Tab\nkeys /prime<Enter>\nkey Up Enter n");
}

static void test_threads(void **state)
{
	(void)state;
	check_screens("threads", "key Tab Tab Down Enter");
}

static void test_lines(void **state)
{
	(void)state;
	check_screens("lines", "key L\nwait-report\nkey Down");
}

static void test_flame_of_modules(void **state)
{
	(void)state;
	check_screens("modules", "key Tab i L L\nwait-report\nkey Esc");
}

static void test_menu(void **state)
{
	(void)state;
	check_screens("menu", "key x");
}

static void test_settings(void **state)
{
	(void)state;
	check_screens("settings", "key F2 Down Right");
}

static void test_palette(void **state)
{
	(void)state;
	check_screens("palette", "keys :prime\nkey Down");
}

static void test_health(void **state)
{
	(void)state;
	check_screens("health", "key H");
}

static void test_help(void **state)
{
	(void)state;
	check_screens("help", "key ?");
}

/* Too narrow at two of the three sizes, which say so. */
static void test_side_by_side(void **state)
{
	(void)state;
	check_screens("side-by-side", "key | Down Down");
	check_screen("side-by-side", "key | Tab J", 40, 160, false);
	check_screens("side-by-side-why", "key |");
	check_screen("table", "key Down Down", 40, 120, false);
	check_screen("table", "key Down Down", 30, 100, false);
}

static void test_filter_prompt(void **state)
{
	(void)state;
	check_screens("filter", "keys \\worker\n");
}

static void test_function(void **state)
{
	(void)state;
	check_screens("callers", "keys /qsort<Enter>y");
	check_screens("function", "keys /qsort<Enter>yy");
}

static void test_earlier(void **state)
{
	(void)state;
	check_screens("earlier", "key } [\nwait-report\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_flame_searched_and_zoomed),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_flame_of_modules),
		cmocka_unit_test(test_menu),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_palette),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_filter_prompt),
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_earlier),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
