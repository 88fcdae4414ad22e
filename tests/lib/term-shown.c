/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/term-shown.h"

#include "tests/lib/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

char term_shown_program[4096];

void term_shown_start(struct vterm_screen *screen, const char *type, const char *option)
{
	char term[64];
	const char *argv[] = {term_shown_program, option, NULL};
	/* A sanitizer must not end the program before we can, nor count what ncurses
	   keeps until the end. */
	const char *environment[] = {term, "LC_ALL=C.UTF-8",
		"ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1", NULL};

	snprintf(term, sizeof(term), "TERM=%s", type);
	vterm_screen_start(screen, 10, 60, argv, environment);
	assert_true(vterm_screen_wait(screen, "ready."));
	assert_true(vterm_screen_wait(screen, "corner"));
}

void term_shown_quit(struct vterm_screen *screen)
{
	vterm_screen_type(screen, "q");
	assert_true(vterm_screen_wait_exit(screen));
	assert_true(WIFEXITED(screen->exit_status));
	assert_int_equal(WEXITSTATUS(screen->exit_status), 0);
	assert_true(vterm_screen_restored(screen));
	vterm_screen_finish(screen);
}

static void expect_colour(const VTermColor *colour, int32_t expected, bool is_rgb)
{
	if (expected < 0)
		assert_true(VTERM_COLOR_IS_DEFAULT_FG(colour) ||
			    VTERM_COLOR_IS_DEFAULT_BG(colour));
	else if (is_rgb) {
		assert_true(VTERM_COLOR_IS_RGB(colour));
		assert_int_equal(
			colour->rgb.red << 16 | colour->rgb.green << 8 | colour->rgb.blue,
			expected);
	} else {
		assert_true(VTERM_COLOR_IS_INDEXED(colour));
		assert_int_equal(colour->indexed.idx, expected);
	}
}

void term_shown_expect(
	const struct vterm_screen *screen, const char *type, struct theme theme)
{
	for (enum role role = 0; role < ROLE_COUNT; role++) {
		VTermScreenCell cell = vterm_screen_cell(screen,
			5 + (int)role / screen->columns, (int)role % screen->columns);
		struct paint paint = theme_paint(&theme, role);
		bool is_rgb = theme.depth == DEPTH_RGB;

		assert_int_equal(cell.chars[0], 'x');
		expect_colour(&cell.fg, paint.foreground, is_rgb);
		expect_colour(&cell.bg, paint.background, is_rgb);
		assert_int_equal(cell.attrs.bold, (paint.attributes & ATTR_BOLD) != 0);
		assert_int_equal(
			cell.attrs.reverse, (paint.attributes & ATTR_REVERSE) != 0);
		/* The Linux console cannot underline in colour (terminfo: ncv). */
		if (strcmp(type, "linux") != 0)
			assert_int_equal(cell.attrs.underline,
				(paint.attributes & ATTR_UNDERLINE) != 0);
	}
}

bool term_shown_begin(void)
{
	static const char *const unwanted[] = {
		"NO_COLOR", "COLORTERM", "COLORFGBG", "TMUX"};
	const char *builddir = getenv("builddir");

	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		unsetenv(unwanted[i]);
	snprintf(term_shown_program, sizeof(term_shown_program),
		"%s/tests/tools/term-program", builddir ? builddir : ".");
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}
