/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live screen as a person sees it: in a real pseudo-terminal, read back by a terminal
   emulator, and compared with the same session in memory. */
#include "tests/lib/unit.h"
#include "tests/lib/vterm-screen.h"

#include "tests/lib/fake-source.h"
#include "ui/screen/app.h"
#include "ui/view/view.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[4096];
static char folder[] = "/tmp/cproftop-screen-XXXXXX";

static void start(struct vterm_screen *screen, int rows, int columns, const char *view,
	const char *option)
{
	const char *argv[] = {program, view, option, NULL};
	static const char *const environment[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"COLORFGBG=15;0", "COLORTERM=", "TZ=UTC", "ASAN_OPTIONS=detect_leaks=0",
		NULL};

	vterm_screen_start(screen, rows, columns, argv, environment);
}

static void quit(struct vterm_screen *screen)
{
	vterm_screen_type(screen, "q");
	assert_true(vterm_screen_wait_exit(screen));
	assert_true(WIFEXITED(screen->exit_status));
	assert_int_equal(WEXITSTATUS(screen->exit_status), 0);
	assert_true(vterm_screen_restored(screen));
	vterm_screen_finish(screen);
}

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t own_cpu_ns(void)
{
	return 0;
}

/* The same view in memory; the terminal to be destroyed by the caller. */
static struct term *play(int rows, int columns, const char *view, bool ascii)
{
	const struct term_options term_options = {.ascii = ascii};
	struct term *term = term_headless_create(rows, columns, &term_options);
	struct app_options options = {.output_fd = -1,
		.clock_ns = clock_ns,
		.own_cpu_ns = own_cpu_ns,
		.view = view};
	struct error err = {{0}};
	struct fake_source fake;
	FILE *file = fopen("script", "w");

	fputs("wait-report\nsleep 0\n", file);
	fclose(file);
	fake_source_init(&fake);
	options.script = script_open("script", &err);
	assert_true(app_run(term, &fake.source, &options, &err));
	script_close(options.script);
	fake_source_finish(&fake);
	return term;
}

/* As start() says that the terminal is. */
static const struct theme theme = {DEPTH_256, GROUND_DARK};

static bool is_colour(const VTermColor *colour, int32_t expected)
{
	if (expected < 0)
		return VTERM_COLOR_IS_DEFAULT_FG(colour) ||
		       VTERM_COLOR_IS_DEFAULT_BG(colour);
	return colour->indexed.idx == expected;
}

/* Its characters are compared in rows. */
static bool is_cell(const VTermScreenCell *seen, const struct cell *cell)
{
	struct paint paint = theme_paint(&theme, cell->style.role);
	bool is_bold = (paint.attributes | cell->style.attributes) & ATTR_BOLD;

	if (cell->width == 0)
		return true;
	return seen->width == cell->width && is_colour(&seen->bg, paint.background) &&
	       (strcmp(cell->text, " ") == 0 || (is_colour(&seen->fg, paint.foreground) &&
							seen->attrs.bold == is_bold));
}

/* Every cell: its characters and its colours. */
static bool is_same(const struct vterm_screen *screen, const void *drawn)
{
	const struct grid *grid = drawn;

	for (int row = 0; row < grid->rows; row++) {
		char expected[8192] = "", shown[8192];
		for (int column = 0; column < grid->columns; column++) {
			const struct cell *cell = grid_cell(grid, row, column);
			VTermScreenCell seen = vterm_screen_cell(screen, row, column);
			if (!is_cell(&seen, cell))
				return false;
			strcat(expected, cell->text);
		}
		for (size_t end = strlen(expected); end > 0 && expected[end - 1] == ' ';)
			expected[--end] = '\0';
		vterm_screen_row(screen, row, shown, sizeof(shown));
		if (strcmp(shown, expected) != 0)
			return false;
	}
	return true;
}

static void expect_same(struct vterm_screen *screen, const struct grid *grid)
{
	if (vterm_screen_wait_for(screen, is_same, grid))
		return;
	vterm_screen_show(screen);
	fprintf(stderr, "# wanted:\n");
	grid_dump(grid, stderr);
	fail_msg("the terminal does not show what was drawn");
}

static void every_view_looks_as_drawn(void **unused)
{
	static const struct {
		int rows, columns;
	} sizes[] = {{24, 80}, {50, 200}, {10, 40}};
	struct vterm_screen screen;

	(void)unused;
	for (size_t view = 0; view_list[view]; view++)
		for (size_t size = 0; size < 3; size++)
			for (int ascii = 0; ascii < 2; ascii++) {
				if (view_list[view]->available)
					continue;
				int rows = sizes[size].rows,
				    columns = sizes[size].columns;
				struct term *term =
					play(rows, columns, view_list[view]->name, ascii);
				start(&screen, rows, columns, view_list[view]->name,
					ascii ? "--ascii" : NULL);
				expect_same(&screen, term_headless_screen(term));
				quit(&screen);
				term_destroy(term);
			}
}

static void click(struct vterm_screen *screen, int row, int column)
{
	char bytes[64];

	snprintf(bytes, sizeof(bytes), "\033[<0;%d;%dM\033[<0;%d;%dm", column + 1,
		row + 1, column + 1, row + 1);
	vterm_screen_type(screen, bytes);
}

static void keys_walk_through_the_screen(void **unused)
{
	struct vterm_screen screen;
	int row, column;

	(void)unused;
	start(&screen, 24, 80, "table", NULL);
	assert_true(vterm_screen_wait(&screen, "is_prime_by_division"));
	vterm_screen_type(&screen, "/fibo");
	assert_true(vterm_screen_wait(&screen, "Search: fibo"));
	assert_true(screen.cursor_visible);
	vterm_screen_type(&screen, "\r");
	assert_true(vterm_screen_wait(&screen, "/fibo: 1 function"));
	assert_true(vterm_screen_find(&screen, "fibonacci", &row, &column));
	assert_int_equal(vterm_screen_cell(&screen, row, 0).bg.indexed.idx,
		theme_paint(&theme, ROLE_CURSOR).background);
	vterm_screen_type(&screen, "\\!prime\r");
	assert_true(vterm_screen_wait(&screen, "filter !prime"));
	assert_true(vterm_screen_wait_gone(&screen, "is_prime_by_division"));
	vterm_screen_type(&screen, "\033");
	assert_true(vterm_screen_wait(&screen, "is_prime_by_division"));
	vterm_screen_type(&screen, "?");
	assert_true(vterm_screen_wait(&screen, "In every view"));
	vterm_screen_type(&screen, "q");
	assert_true(vterm_screen_wait_gone(&screen, "In every view"));
	vterm_screen_type(&screen, "\t");
	assert_true(vterm_screen_wait(&screen, "__libc_start_main"));

	/* A click on a tab, and one on the F-bar. */
	assert_true(vterm_screen_find(&screen, "Threads", &row, &column));
	click(&screen, row, column);
	assert_true(vterm_screen_wait(&screen, "worker/1"));
	assert_true(vterm_screen_wait(&screen, "Only it")); /* its bar */
	assert_true(vterm_screen_find(&screen, ": Find", &row, &column));
	click(&screen, row, column);
	assert_true(vterm_screen_wait(&screen, "Views, actions and functions"));
	vterm_screen_type(&screen, "pause\r");
	assert_true(vterm_screen_wait(&screen, "FROZEN"));

	vterm_screen_type(&screen, "P");
	assert_true(vterm_screen_wait(&screen, "wrote cproftop-primes-4711-2026"));
	assert_int_equal(access("cproftop-primes-4711-20260102-030415.pb.gz", R_OK), 0);
	quit(&screen);
}

static void resizes_at_any_moment(void **unused)
{
	static const struct {
		int rows, columns;
	} sizes[] = {{50, 200}, {1, 1}, {10, 40}, {2, 200}, {100, 1}, {24, 80}};
	struct vterm_screen screen;

	(void)unused;
	start(&screen, 24, 80, "flame", NULL);
	assert_true(vterm_screen_wait(&screen, "F10Quit"));
	for (size_t i = 0; i < 6; i++) {
		vterm_screen_resize(&screen, sizes[i].rows, sizes[i].columns);
		vterm_screen_type(&screen, "\tjl\r?\033");
	}
	assert_true(vterm_screen_wait(&screen, "F10Quit"));
	quit(&screen);
}

static void ends_well_when_asked_or_not(void **unused)
{
	static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT};
	struct vterm_screen screen;

	(void)unused;
	for (size_t i = 0; i < 5; i++) {
		start(&screen, 24, 80, "table", NULL);
		assert_true(vterm_screen_wait(&screen, "is_prime_by_division"));
		kill(screen.pid, signals[i]);
		assert_true(vterm_screen_wait_exit(&screen));
		assert_true(vterm_screen_restored(&screen));
		vterm_screen_finish(&screen);
	}
}

static void holds_the_target_while_suspended(void **unused)
{
	static const char *const argv[] = {"sh", "-i", NULL};
	static const char *const environment[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"PS1=prompt$ ", "ENV=", "ASAN_OPTIONS=detect_leaks=0", NULL};
	struct vterm_screen screen;
	char command[4200];

	(void)unused;
	vterm_screen_start(&screen, 24, 80, argv, environment);
	assert_true(vterm_screen_wait(&screen, "prompt$"));
	snprintf(command, sizeof(command), "%s table\r", program);
	vterm_screen_type(&screen, command);
	assert_true(vterm_screen_wait(&screen, "is_prime_by_division"));
	vterm_screen_type(&screen, "\032");
	assert_true(vterm_screen_wait(&screen, "Stopped"));
	assert_true(vterm_screen_wait(&screen, "prompt$"));
	vterm_screen_type(&screen, "clear\r");
	assert_true(vterm_screen_wait_gone(&screen, "Stopped"));
	vterm_screen_type(&screen, "fg\r");
	assert_true(vterm_screen_wait(&screen, "is_prime_by_division"));
	vterm_screen_type(&screen, "q");
	assert_true(vterm_screen_wait(&screen, "bye: 1 holds, 1 releases"));
	vterm_screen_finish(&screen);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_looks_as_drawn),
		cmocka_unit_test(keys_walk_through_the_screen),
		cmocka_unit_test(resizes_at_any_moment),
		cmocka_unit_test(ends_well_when_asked_or_not),
		cmocka_unit_test(holds_the_target_while_suspended),
	};
	const char *builddir = getenv("builddir");
	char command[64];

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	unsetenv("NO_COLOR");
	setenv("TZ", "UTC", 1);
	if (!realpath(builddir ? builddir : ".", program) || !mkdtemp(folder) ||
		chdir(folder) != 0)
		return 77;
	strcat(program, "/tests/tools/ui-program");
	int failed = unit_run(tests);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	(void)!chdir("/");
	(void)!system(command);
	return failed;
}
