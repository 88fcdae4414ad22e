/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The curses back end, looked at through a real terminal emulator. */
#include "tests/lib/term-shown.h"
#include "tests/lib/unit.h"

#include "ui/draw/theme.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void text_arrives_as_drawn(void **unused)
{
	struct vterm_screen screen;
	char row[256];

	(void)unused;
	term_shown_start(&screen, "xterm-256color", NULL);
	assert_true(screen.alternate);
	assert_true(screen.mouse);
	assert_false(screen.cursor_visible);
	vterm_screen_row(&screen, 2, row, sizeof(row));
	assert_string_equal(row, "wide 日本 mark e\u0301 end");
	vterm_screen_row(&screen, 9, row, sizeof(row)); /* down to the last cell */
	assert_string_equal(row + 54, "corner");
	VTermScreenCell both = vterm_screen_cell(&screen, 4, 0);
	assert_true(both.attrs.reverse && both.attrs.underline && !both.attrs.bold);
	term_shown_quit(&screen);
}

static void roles_have_the_colours_of_the_terminal(void **unused)
{
	static const struct {
		const char *type, *option;
		struct theme theme;
	} types[] = {
		{"xterm-256color", NULL, {DEPTH_256, GROUND_UNKNOWN}},
		{"xterm-256color", "--dark", {DEPTH_256, GROUND_DARK}},
		{"xterm-256color", "--16", {DEPTH_16, GROUND_UNKNOWN}},
		{"xterm-256color", "--rgb", {DEPTH_RGB, GROUND_UNKNOWN}},
		{"xterm", NULL, {DEPTH_8, GROUND_UNKNOWN}},
		{"linux", NULL, {DEPTH_8, GROUND_DARK}},
		{"vt220", "--rgb", {DEPTH_NONE, GROUND_UNKNOWN}},
	};
	struct vterm_screen screen;

	(void)unused;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		term_shown_start(&screen, types[i].type, types[i].option);
		term_shown_expect(&screen, types[i].type, types[i].theme);
		term_shown_quit(&screen);
	}
}

/* The environment says that there are more than the description has, but not of GNU screen. */
static void any_colour_where_the_terminal_has_it(void **unused)
{
	static const struct {
		const char *type, *tmux;
		enum theme_depth depth;
	} types[] = {
		{"xterm-256color", NULL, DEPTH_RGB},
		{"xterm", NULL, DEPTH_RGB},
		{"screen-256color", NULL, DEPTH_256},
		{"screen-256color", "/tmp/tmux", DEPTH_RGB},
		{"tmux-256color", "/tmp/tmux", DEPTH_RGB},
	};
	struct vterm_screen screen;

	(void)unused;
	setenv("COLORTERM", "truecolor", 1);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].tmux)
			setenv("TMUX", types[i].tmux, 1);
		term_shown_start(&screen, types[i].type, NULL);
		unsetenv("TMUX");
		term_shown_expect(&screen, types[i].type,
			(struct theme){types[i].depth, GROUND_UNKNOWN});
		/* all else is as the terminal's own description has it */
		vterm_screen_type(&screen, "\033[6~");
		assert_true(vterm_screen_wait(&screen, "key PgDn."));
		term_shown_quit(&screen);
	}
	unsetenv("COLORTERM");
}

static void no_color_means_none(void **unused)
{
	struct vterm_screen screen;

	(void)unused;
	setenv("NO_COLOR", "1", 1);
	term_shown_start(&screen, "xterm-256color", NULL);
	term_shown_expect(
		&screen, "xterm-256color", (struct theme){DEPTH_NONE, GROUND_UNKNOWN});
	term_shown_quit(&screen);
	unsetenv("NO_COLOR");
}

static void keys_have_their_names(void **unused)
{
	static const struct {
		const char *bytes, *shown;
	} keys[] = {{"x", "1 key x."}, {"\033OA", "2 key Up."},
		{"\033[6~", "3 key PgDn."}, {"\r", "4 key Enter."},
		{"\033", "5 key Esc."}, {"\033OP", "6 key F1."},
		{"\033[21~", "7 key F10."}, {"\t", "8 key Tab."},
		{"\033[Z", "9 key S-Tab."}, {"\177", "10 key Backspace."},
		{" ", "11 key Space."}, {"\003", "12 key Ctrl-C."}, {"語", "13 key 語."},
		{"\f", "14 key Ctrl-L."}, {"\033OH", "15 key Home."},
		{"\033[3~", "16 key Del."}, {"\033[?99xy", "17 key y."}};
	struct vterm_screen screen;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", NULL);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		vterm_screen_type(&screen, keys[i].bytes);
		assert_true(vterm_screen_wait(&screen, keys[i].shown));
	}
	vterm_screen_finish(&screen);
}

static void the_mouse_clicks_drags_and_turns(void **unused)
{
	struct vterm_screen screen;
	int row, column;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", NULL);
	vterm_screen_type(&screen, "\033[<0;11;3M\033[<0;11;3m");
	assert_true(vterm_screen_wait(&screen, "mouse left 2 10."));
	vterm_screen_type(&screen, "\033[<2;1;1M\033[<2;1;1m");
	assert_true(vterm_screen_wait(&screen, "mouse right 0 0."));
	vterm_screen_type(&screen, "\033[<0;5;5M\033[<0;5;5m\033[<0;5;5M\033[<0;5;5m");
	assert_true(vterm_screen_wait(&screen, "mouse double 4 4."));
	vterm_screen_type(&screen, "\033[<64;1;1M");
	assert_true(vterm_screen_wait(&screen, "mouse up 0 0."));
	vterm_screen_type(&screen, "\033[<65;1;1M");
	assert_true(vterm_screen_wait(&screen, "mouse down 0 0."));
	/* Held and moved: each cell once; a move without a button is none. */
	vterm_screen_type(&screen, "\033[<0;3;8M\033[<32;3;8M\033[<32;9;8M");
	assert_true(vterm_screen_wait(&screen, "mouse drag 7 8."));
	assert_false(vterm_screen_find(&screen, "mouse drag 7 2.", &row, &column));
	vterm_screen_type(&screen, "\033[<0;12;9m");
	assert_true(vterm_screen_wait(&screen, "mouse release 8 11."));
	vterm_screen_type(&screen, "\033[<35;2;2M\033[<64;1;2M");
	assert_true(vterm_screen_wait(&screen, "mouse up 1 0."));
	assert_false(vterm_screen_find(&screen, "mouse drag 1 1.", &row, &column));
	/* All that is read at once is told, and in its order: a drag is one only while the button
	   is held. */
	vterm_screen_type(
		&screen, "\033[<0;3;4M\033[<0;3;4m\033[<0;6;5M\033[<32;7;5M\033[<0;8;5m");
	assert_true(vterm_screen_wait(
		&screen, "mouse left 4 5.mouse drag 4 6.mouse release 4 7."));
	term_shown_quit(&screen);

	term_shown_start(&screen, "xterm-256color", "--no-mouse");
	assert_false(screen.mouse);
	term_shown_quit(&screen);
}

static void resizes_down_to_one_column(void **unused)
{
	struct vterm_screen screen;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", NULL);
	vterm_screen_resize(&screen, 20, 100);
	assert_true(vterm_screen_wait(&screen, "size 20 100"));
	vterm_screen_resize(&screen, 1, 1);
	assert_true(vterm_screen_wait_gone(&screen, "size"));
	vterm_screen_resize(&screen, 5, 30);
	assert_true(vterm_screen_wait(&screen, "size 5 30"));
	vterm_screen_type(&screen, "r");
	assert_true(vterm_screen_wait(&screen, "key r."));
	term_shown_quit(&screen);
}

static void an_ascii_screen_has_no_other_characters(void **unused)
{
	struct vterm_screen screen;

	(void)unused;
	term_shown_start(&screen, "xterm-256color", "--ascii");
	assert_true(vterm_screen_wait(&screen, "wide ???? mark e end"));
	term_shown_quit(&screen);
}

/* The program ends unexpectedly: the terminal must be restored. */
static void expect_death(const char *keys, int sent, int signal_or_0, int status)
{
	struct vterm_screen screen;

	term_shown_start(&screen, "xterm-256color", NULL);
	assert_false(vterm_screen_restored(&screen));
	if (keys)
		vterm_screen_type(&screen, keys);
	else
		kill(screen.pid, sent);
	assert_true(vterm_screen_wait_exit(&screen));
	assert_true(vterm_screen_restored(&screen));
	if (signal_or_0) {
		assert_true(WIFSIGNALED(screen.exit_status) ||
			    WEXITSTATUS(screen.exit_status) != 0 /* a sanitizer's */);
		if (WIFSIGNALED(screen.exit_status))
			assert_int_equal(WTERMSIG(screen.exit_status), signal_or_0);
	} else
		assert_int_equal(WEXITSTATUS(screen.exit_status), status);
	vterm_screen_finish(&screen);
}

static void every_way_out_restores_the_terminal(void **unused)
{
	(void)unused;
	expect_death(NULL, SIGTERM, 0, 0);
	expect_death(NULL, SIGINT, 0, 0);
	expect_death(NULL, SIGHUP, 0, 0);
	expect_death("a", 0, SIGABRT, 0);
	expect_death("s", 0, SIGSEGV, 0);
	expect_death(NULL, SIGBUS, SIGBUS, 0);
	expect_death("m", 0, 0, 1);
}

static void suspends_and_comes_back(void **unused)
{
	static const char *const argv[] = {"sh", "-i", NULL};
	static const char *const environment[] = {
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "PS1=prompt$ ", "ENV=", NULL};
	struct vterm_screen screen;
	char command[4200];

	(void)unused;
	vterm_screen_start(&screen, 10, 60, argv, environment);
	assert_true(vterm_screen_wait(&screen, "prompt$"));
	snprintf(command, sizeof(command), "%s\r", term_shown_program);
	vterm_screen_type(&screen, command);
	assert_true(vterm_screen_wait(&screen, "ready."));
	for (int i = 0; i < 2; i++) {
		vterm_screen_type(&screen, "\032");
		assert_true(vterm_screen_wait(&screen, "Stopped"));
		assert_true(vterm_screen_wait(&screen, "prompt$"));
		assert_false(screen.alternate);
		assert_true(screen.cursor_visible);
		assert_false(screen.mouse);
		vterm_screen_type(&screen, "echo alive $((40 + 2))\r");
		assert_true(vterm_screen_wait(&screen, "alive 42"));
		vterm_screen_type(&screen, "clear\r");
		assert_true(vterm_screen_wait_gone(&screen, "alive 42"));
		vterm_screen_type(&screen, "fg\r");
		assert_true(vterm_screen_wait(&screen, "key Ctrl-Z."));
		assert_true(vterm_screen_wait(&screen, "corner"));
		assert_true(screen.alternate);
		assert_true(screen.mouse);
		vterm_screen_type(&screen, "\033OA");
		assert_true(vterm_screen_wait(&screen, "key Up."));
	}
	vterm_screen_type(&screen, "q");
	assert_true(vterm_screen_wait(&screen, "bye"));
	vterm_screen_finish(&screen);
}

static void says_why_there_is_no_screen(void **unused)
{
	const char *argv[] = {term_shown_program, NULL};
	static const char *const unknown[] = {"TERM=no-such-terminal", NULL};
	struct vterm_screen screen;

	(void)unused;
	vterm_screen_start(&screen, 10, 60, argv, unknown);
	assert_true(vterm_screen_wait(&screen, "\"no-such-terminal\" is not known"));
	assert_true(vterm_screen_wait_exit(&screen));
	assert_int_equal(WEXITSTATUS(screen.exit_status), 1);
	assert_true(vterm_screen_restored(&screen));
	vterm_screen_finish(&screen);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_arrives_as_drawn),
		cmocka_unit_test(roles_have_the_colours_of_the_terminal),
		cmocka_unit_test(any_colour_where_the_terminal_has_it),
		cmocka_unit_test(no_color_means_none),
		cmocka_unit_test(keys_have_their_names),
		cmocka_unit_test(the_mouse_clicks_drags_and_turns),
		cmocka_unit_test(resizes_down_to_one_column),
		cmocka_unit_test(an_ascii_screen_has_no_other_characters),
		cmocka_unit_test(every_way_out_restores_the_terminal),
		cmocka_unit_test(suspends_and_comes_back),
		cmocka_unit_test(says_why_there_is_no_screen),
	};

	return term_shown_begin() ? unit_run(tests) : 77;
}
