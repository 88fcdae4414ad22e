/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings, the bar of keys, the palette, copying and the editor, on the whole screen. */
#include "tests/lib/unit.h"

#include "tests/lib/kept.h"
#include "tests/lib/play.h"

#include "ui/keys/key.h"
#include "ui/widget/form.h"
#include "ui/widget/key-bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- settings ------------------------------------------------------------------------- */

static void a_change_holds_and_is_kept(void **unused)
{
	(void)unused;
	/* The last row is the module's column. */
	char *screen = kept_play(
		&plain_options, NULL, "key F2 G Right\nsave-display open\nkey Esc");
	expect_shown(screen, "settings kept in ");
	expect_not_shown(screen, "Module");
	expect_shown(screen, "Function");
	free(screen);
	kept_expect("columns = self%,total%,bar,self,total,samples\n");
	screen = read_text("open");
	expect_shown(screen, "Settings");
	expect_shown(screen, "module                           no");
	free(screen);
}

static void the_rest_of_the_file_stays(void **unused)
{
	(void)unused;
	char *screen = kept_play(&plain_options,
		"# mine\nwindow = 30s\nnonsense\nmode = wall\n", "key F2 Down Left Esc");
	expect_shown(screen, "settings kept in ");
	free(screen);
	kept_expect("# mine\nwindow = 10s\nnonsense\nmode = wall\n");
}

static void looking_changes_nothing(void **unused)
{
	(void)unused;
	/* Keys of the views are no settings, nor is what was looked at only. */
	char *screen =
		kept_play(&plain_options, NULL, "key } L u F2 Down Up Down G g Esc");
	expect_not_shown(screen, "settings");
	free(screen);
	assert_int_not_equal(access(kept_path(), F_OK), 0);
}

/* Two views beside each other are a habit, too, though there is no room for them now. */
static void side_by_side_is_kept(void **unused)
{
	(void)unused;
	char *screen = kept_play(&plain_options, NULL,
		"key F2 Down Down Down Down Down Down Down Down Enter Esc");
	expect_shown(screen, "settings kept in ");
	free(screen);
	kept_expect("side-by-side = yes\n");
}

static void what_cannot_be_kept_says_so(void **unused)
{
	struct app_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play_with(&fake, &options, "key F2 G Right Esc");
	expect_shown(screen, "settings hold now and are not kept: --no-rc");
	expect_not_shown(screen, "Module");
	free(screen);
	options.looks.hidden_columns = 1u << 0 | 1u << 1;
	screen = play_with(&fake, &options, "");
	expect_not_shown(screen, "Self%");
	expect_not_shown(screen, "Total%");
	expect_shown(screen, "Function");
	free(screen);
	fake_source_finish(&fake);
}

static void the_form_has_titles_between(void **unused)
{
	struct form form = {0};

	(void)unused;
	for (int round = 0; round < 2; round++) { /* filled in anew, the cursor stays */
		form_start(&form, "Form");
		form_add_title(&form, "first");
		form_add(&form, "a", "1");
		form_add_title(&form, "second");
		form_add(&form, "b", "2");
		assert_int_equal(form.cursor, round == 0 ? 1 : 3);
		assert_int_equal(form_key(&form, K_DOWN), FORM_OPEN);
		assert_int_equal(form.cursor, 3);
	}
	form_key(&form, 'g');
	assert_int_equal(form.cursor, 1);
	form_key(&form, K_UP); /* there is none above */
	assert_int_equal(form.cursor, 1);
	assert_int_equal(form_key(&form, K_LEFT), FORM_PREVIOUS);
	assert_int_equal(form_key(&form, K_SPACE), FORM_NEXT);
	assert_int_equal(form_key(&form, K_F1 + 1), FORM_CLOSED);
}

/* --- the bar -------------------------------------------------------------------------- */

static void last_line(const char *screen, char *out, size_t size)
{
	size_t length = strlen(screen);
	while (length > 0 && screen[length - 1] == '\n')
		length--;
	size_t begin = length;
	while (begin > 0 && screen[begin - 1] != '\n')
		begin--;
	snprintf(out, size, "%.*s", (int)(length - begin), screen + begin);
}

static void each_view_has_its_keys(void **unused)
{
	static const struct {
		const char *script, *text;
	} rows[] = {
		{"", "Enter Flame"},
		{"key Tab", "J Hottest"},
		{"key Tab Tab", "T Group"},
		{"key Tab Tab Tab", "Enter Go there"},
		{"key Tab Tab Tab Tab", "J Next hot"},
		{"key Tab Tab Tab Tab Tab", "m Wait"},
		{"key Tab Tab Tab Tab Tab Tab", "Enter Range"},
		{"key x", "Enter Choose"},
		{"key F2", "Right Next"},
		{"keys /abc", "Enter Done"},
		{"key :", "Enter Do it"},
		{"key ?", "PgDn Page down"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[512], script[64];
		struct fake_source fake;
		fake_source_init(&fake);
		snprintf(script, sizeof(script), "size 120 24\n%s", rows[i].script);
		char *screen = play(&fake, script);
		last_line(screen, line, sizeof(line));
		expect_shown(line, rows[i].text);
		free(screen);
		fake_source_finish(&fake);
	}
}

/* The line is full: no blank is without a button, and the last one ends at the edge. */
static void the_bar_uses_its_whole_width(void **unused)
{
	struct key_bar bar = {0};

	(void)unused;
	key_bar_end(&bar, K_F1 + 9, "Quit");
	key_bar_add(&bar, K_F1, "Help");
	key_bar_add(&bar, 'e', "Edit");
	key_bar_add(&bar, 'e', "Again"); /* is there already */
	key_bar_add(&bar, K_F1 + 9, "Again");
	key_bar_add(&bar, K_ENTER, "Something long");
	for (int columns = 30; columns < 100; columns++) {
		uint32_t before = K_NONE;
		int buttons = 0;
		for (int x = 0; x < columns; x++) {
			uint32_t key = key_bar_at(&bar, columns, x);
			assert_int_not_equal(key, K_NONE);
			buttons += key != before;
			before = key;
		}
		assert_int_equal(before, K_F1 + 9);
		assert_int_equal(buttons, columns < 43 ? 3 : 4);
	}
}

static void buttons_can_be_clicked(void **unused)
{
	(void)unused;
	expect_after("mouse left 23 1", "Keys");		     /* F1 Help */
	expect_after("key x\nmouse left 23 75", "Table");	     /* Esc Cancel */
	expect_after("key F2\nmouse left 23 75", "▼Self%");	     /* Esc Done */
	expect_after("mouse left 23 1\nmouse left 23 78", "▼Self%"); /* Esc Close */
}

/* --- the palette ---------------------------------------------------------------------- */

static void actions_are_found_and_done(void **unused)
{
	(void)unused;
	expect_after("keys :", "next view");
	expect_after("keys :stack health<Enter>", "How whole the stacks are");
	expect_after("key Ctrl-P\nkeys no such thing", "nothing fits");
	expect_after("keys :freeze\nkey Esc", "▼Self%");
	expect_after("keys :hold the picture<Enter>", "FROZEN");
}

static void functions_are_found_and_shown(void **unused)
{
	(void)unused;
	/* In the table, and in the flame graph: where one is. */
	expect_after("keys :fibo<Enter>\n", "fibonacci  self");
	expect_after("key Tab\nkeys :fibo<Enter>\n", "fibonacci  ");
	expect_after("key Tab Tab\nkeys :fibo<Enter>\n", "fibonacci  self");
	/* The best is the first, and others are below. */
	expect_after("keys :prime\nkey Down Enter", "is_prime_by");
}

static void a_click_chooses(void **unused)
{
	(void)unused;
	expect_after("keys :stack health\nmouse left 6 20", "How whole the stacks are");
	expect_after("size 200 24\nkeys :stack health\nmouse left 6 2", "▼Self%");
}

/* The second click comes when the palette is closed, and is not for what was below it. */
static void a_double_click_is_one_choice(void **unused)
{
	struct fake_source fake;

	(void)unused;
	expect_after("keys :stack health\nmouse left 6 20\nmouse double 6 20",
		"How whole the stacks are");
	fake_source_init(&fake);
	char *screen =
		play(&fake, "keys :hold the picture\nmouse left 6 20\nmouse double 6 20");
	expect_shown(screen, "FROZEN");
	expect_shown(screen, "▼Self%"); /* it zooms into no row of the table */
	free(screen);
	screen = play(&fake, "key ?\nmouse left 8 20\nmouse double 8 20");
	expect_shown(screen, "▼Self%");
	free(screen);
	/* In the settings it is one step. */
	screen = play(&fake, "key F2\nmouse left 7 20\nsave-display once\nkey Esc F2\n"
			     "mouse left 7 20\nmouse double 7 20\n");
	char *once = read_text("once");
	expect_shown(once, "wall");
	expect_shown(screen, "cpu");
	free(once);
	free(screen);
	fake_source_finish(&fake);
}

/* --- other programs ------------------------------------------------------------------- */

static char *sent_after(const char *script, enum osc52_through through)
{
	const struct term_options term_options = {.mouse = true};
	struct term *term = term_headless_create(24, 80, &term_options);
	struct app_options options = plain_options;
	struct fake_source fake;
	struct error err;

	options.copy_through = through;
	fake_source_init(&fake);
	write_text("script", script);
	options.script = script_open("script", &err);
	assert_non_null(options.script);
	assert_true(app_run(term, &fake.source, &options, &err));
	char *sent = strdup(term_headless_sent(term));
	script_close(options.script);
	fake_source_finish(&fake);
	term_destroy(term);
	return sent;
}

static void a_name_is_copied(void **unused)
{
	(void)unused;
	char *sent = sent_after("wait-report\nkeys /^dot$<Enter>c", OSC52_DIRECT);
	assert_string_equal(sent, "\033]52;c;ZG90\a");
	free(sent);
	expect_after("keys /^dot$<Enter>c", "copied: dot");
	expect_after("key Tab Tab Tab Tab Tab c", "select a function first");
}

static void a_row_is_copied(void **unused)
{
	(void)unused;
	expect_after("keys /^dot$<Enter>Y", "copied: 39.2%  39.2%");
	/* The palette, where it was chosen, is not what is copied. */
	expect_after(
		"keys /^dot$<Enter>\nkeys :copy the row<Enter>", "copied: 39.2%  39.2%");
	/* The flame graph has no rows: it says what is selected. */
	expect_after("key Tab\nkeys /^dot$<Enter>Y", "copied: dot  ");
	char *sent = sent_after("wait-report\nkeys Y", OSC52_TMUX);
	expect_shown(sent, "\033Ptmux;\033\033]52;c;");
	free(sent);
}

/* A session that is played has nobody who could edit; e2e-habits has somebody. */
static void without_a_terminal_no_editor_starts(void **unused)
{
	(void)unused;
	expect_after("keys /^dot$<Enter>e", "an editor needs a terminal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_holds_and_is_kept),
		cmocka_unit_test(the_rest_of_the_file_stays),
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(side_by_side_is_kept),
		cmocka_unit_test(what_cannot_be_kept_says_so),
		cmocka_unit_test(the_form_has_titles_between),
		cmocka_unit_test(each_view_has_its_keys),
		cmocka_unit_test(the_bar_uses_its_whole_width),
		cmocka_unit_test(buttons_can_be_clicked),
		cmocka_unit_test(actions_are_found_and_done),
		cmocka_unit_test(functions_are_found_and_shown),
		cmocka_unit_test(a_click_chooses),
		cmocka_unit_test(a_double_click_is_one_choice),
		cmocka_unit_test(a_name_is_copied),
		cmocka_unit_test(a_row_is_copied),
		cmocka_unit_test(without_a_terminal_no_editor_starts),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	kept_end();
	play_end();
	return failed;
}
