/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The colours for the terminal's background: what it answers, what the environment says, and
   what a person chooses. */
#include "tests/lib/unit.h"

#include "tests/lib/term-shown.h"

#include <stdio.h>
#include <stdlib.h>

/* It is asked, and answers when it likes: nothing of that is taken for keys. */
static void the_background_chooses_the_colours(void **unused)
{
	static const struct {
		const char *answer;
		enum theme_ground ground;
	} answers[] = {
		{"\033]11;rgb:1e1e/1e1e/2e2e\a", GROUND_DARK},
		{"\033]11;rgb:ff/ff/f0\033\\", GROUND_LIGHT},
		{"\033]11;rgb:fdf6/f6e3/\a", GROUND_LIGHT}, /* no colour: as before */
	};
	struct vterm_screen screen;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", "--rgb");
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		char expected[16];
		vterm_screen_type(&screen, answers[i].answer);
		/* when the second key is shown, all that came before is */
		vterm_screen_type(&screen, "xy");
		snprintf(expected, sizeof(expected), "%zu key y.", 2 * i + 2);
		assert_true(vterm_screen_wait(&screen, expected));
		term_shown_expect(&screen, "xterm-256color",
			(struct theme){DEPTH_RGB, answers[i].ground});
	}
	term_shown_quit(&screen);
}

/* After KEYS, when LAST is on the screen, the colours are those for GROUND. */
static void expect_ground_after(struct vterm_screen *screen, const char *keys,
	const char *last, enum theme_ground ground)
{
	vterm_screen_type(screen, keys);
	assert_true(vterm_screen_wait(screen, last));
	term_shown_expect(screen, "xterm-256color", (struct theme){DEPTH_256, ground});
}

/* COLORFGBG may be left over from another terminal. */
static void the_terminal_knows_better_than_the_environment(void **unused)
{
	struct vterm_screen screen;

	(void)unused;
	setenv("COLORFGBG", "0;15", 1);
	term_shown_start(&screen, "xterm-256color", NULL);
	term_shown_expect(
		&screen, "xterm-256color", (struct theme){DEPTH_256, GROUND_LIGHT});
	assert_int_equal(screen.ground_asked, 1);
	expect_ground_after(&screen, "\033]11;rgb:0/0/0\axy", "2 key y.", GROUND_DARK);
	term_shown_quit(&screen);
	unsetenv("COLORFGBG");
}

static void it_is_asked_again_when_a_person_wants_that(void **unused)
{
	struct vterm_screen screen;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", NULL);
	expect_ground_after(&screen, "\033]11;rgb:0/0/0\axy", "2 key y.", GROUND_DARK);
	expect_ground_after(&screen, "lx", "4 key x.", GROUND_LIGHT);
	/* an answer that comes now is not what the person has chosen */
	expect_ground_after(&screen, "\033]11;rgb:0/0/0\axy", "6 key y.", GROUND_LIGHT);
	assert_int_equal(screen.ground_asked, 1);
	expect_ground_after(&screen, "ux", "8 key x.", GROUND_DARK);
	assert_int_equal(screen.ground_asked, 2);
	expect_ground_after(
		&screen, "\033]11;rgb:ff/ff/ff\axy", "10 key y.", GROUND_LIGHT);
	term_shown_quit(&screen);

	term_shown_start(&screen, "xterm-256color", "--dark"); /* nobody asks */
	assert_int_equal(screen.ground_asked, 0);
	expect_ground_after(&screen, "ux", "2 key x.", GROUND_UNKNOWN);
	assert_int_equal(screen.ground_asked, 1);
	term_shown_quit(&screen);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_background_chooses_the_colours),
		cmocka_unit_test(the_terminal_knows_better_than_the_environment),
		cmocka_unit_test(it_is_asked_again_when_a_person_wants_that),
	};

	return term_shown_begin() ? unit_run(tests) : 77;
}
