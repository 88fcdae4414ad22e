/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole sessions: every key, every size, every file that the screen writes. */

#include "tests/lib/play.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "ui/keys/key.h"
#include "ui/view/view.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void every_key_can_be_pressed_in_every_view(void **unused)
{
	char script[4096];
	size_t length = 0;
	struct fake_source fake;

	(void)unused;
	for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
		char name[KEY_NAME_MAX];
		if (action == ACTION_QUIT)
			continue;
		key_describe(action_key(action), name);
		length += (size_t)snprintf(script + length, sizeof(script) - length,
			"key %s\nkey Esc\n", name);
		assert_true(length < sizeof(script));
	}
	for (size_t view = 0; view_list[view]; view++) {
		struct app_options options = plain_options;
		options.view = view_list[view]->name;
		fake_source_init(&fake);
		free(play_with(&fake, &options, script));
		assert_int_equal(fake.clears, 1);
		assert_int_equal(fake.holds, 1);
		assert_int_equal(fake.releases, 1);
		fake_source_finish(&fake);
	}
}

static void survives_every_size(void **unused)
{
	static const char *const sizes[] = {"1 1", "1 40", "200 1", "2 2", "3 5", "10 40",
		"40 10", "200 50", "300 5", "80 24"};
	char script[4096] = "";
	struct fake_source fake;

	(void)unused;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char line[128];
		snprintf(line, sizeof(line),
			"size %s\nkey Tab Tab Tab\nkey ? Down Esc\nkey x Down Esc\n"
			"keys /語x<Esc>\nkeys y<Esc>\n",
			sizes[i]);
		strcat(script, line);
	}
	fake_source_init(&fake);
	free(play(&fake, script));
	fake_source_finish(&fake);
}

/* A C++ name as templates make them, and one of wide characters only. */
static void long_names_break_nothing(void **unused)
{
	static char names[2][4000];
	struct fake_source fake;

	(void)unused;
	for (size_t i = 0; i < 390; i++) {
		strcat(names[0], "std::pair<");
		if (i < 100)
			strcat(names[1], "日本語の名前");
	}
	fake_source_init(&fake);
	struct fixture *fixture = &fake.fixture;
	for (uint32_t i = 0; i < 2; i++) {
		struct function function = {.name = names[i],
			.system_name = names[i],
			.module = names[1],
			.file = ""};
		struct line line = {
			.function = profile_intern_function(fixture->profile, &function)};
		uint32_t location =
			profile_add_location(fixture->profile, 0, 0xfff0 + i, &line, 1);
		struct sample sample = {.time_ns = FIXTURE_END_NS - 1,
			.cpu_ns = NS_PER_SEC * 100,
			.stack = stacktab_intern(
				fixture->stacktab, &location, 1, UNWIND_ROOT),
			.count = 1};
		sample_log_add(&fixture->samples, &sample);
	}
	char *screen = play(&fake, "key Home");
	expect_shown(screen, "std::pair<");
	expect_shown(screen, "日本語の");
	free(screen);
	screen = play(&fake, "key Home y y"); /* the whole name, wrapped */
	expect_shown(screen, "Name    ");
	free(screen);
	for (size_t view = 0; view_list[view]; view++) {
		struct app_options options = plain_options;
		options.view = view_list[view]->name;
		free(play_with(&fake, &options,
			"key Down Down # d t Enter y Esc\nsize 1 1\nkey Down\nsize 7 3\n"
			"key y Down End Esc x Esc\nsize 40 10\nkey y Esc\nsize 300 5"));
	}
	fake_source_finish(&fake);
}

static void quits_by_key(void **unused)
{
	struct fake_source fake;
	static const char *const keys[] = {"q", "F10", "Ctrl-C"};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		const struct term_options term_options = {0};
		struct term *term = term_headless_create(24, 80, &term_options);
		fake_source_init(&fake);
		term_headless_push(term, &(struct term_event){.kind = EVENT_KEY,
						 .key = key_parse(keys[i], NULL)});
		assert_true(app_run(term, &fake.source, &plain_options, NULL));
		term_destroy(term);
		fake_source_finish(&fake);
	}
	expect_after("key ? q", "F1Help"); /* closes the help only */
	expect_after("keys /q<Enter>", "/q:");
	expect_after("key Esc Esc Esc Backspace", "q quits");
}

static void a_prompt_swallows_every_letter(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "keys /qzRPxhjkl ?");
	expect_shown(screen, "Search: qzRPxhjkl ?");
	assert_int_equal(fake.clears, 0);
	free(screen);
	fake_source_finish(&fake);
}

/* The only file in the folder whose name ends in SUFFIX. */
static void find_file(const char *suffix, char *out, size_t size)
{
	DIR *dir = opendir(".");
	const struct dirent *entry;
	int found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name), end = strlen(suffix);
		if (length < end || strcmp(entry->d_name + length - end, suffix) != 0)
			continue;
		snprintf(out, size, "%s", entry->d_name);
		found++;
	}
	closedir(dir);
	assert_int_equal(found, 1);
}

static void exports_write_what_is_shown(void **unused)
{
	struct fake_source fake;
	char name[300];

	(void)unused;
	setenv("TZ", "UTC", 1);
	fake_source_init(&fake);
	expect_played(
		&fake, "key P", "wrote cproftop-primes-4711-20260102-030415.pb.gz (");
	find_file(".pb.gz", name, sizeof(name));
	assert_string_equal(name, "cproftop-primes-4711-20260102-030415.pb.gz");
	unlink(name);

	expect_played(&fake, "keys \\fib<Enter>\nwait-report\nkeys xf",
		"Write to: cproftop-primes-4711-20260102-030415.folded");
	expect_played(&fake,
		"keys \\fib<Enter>\nwait-report\nkeys xf<Ctrl-U>mine.folded<Enter>",
		"wrote mine.folded (");
	char *folded = read_text("mine.folded");
	expect_shown(folded, "fibonacci;fibonacci");
	expect_not_shown(folded, "is_prime_by_sieve");
	free(folded);

	expect_played(&fake,
		"keys \\!fib<Enter>\nwait-report\nkeys xt<Ctrl-U>mine.txt<Enter>",
		"wrote mine.txt (");
	char *text = read_text("mine.txt");
	expect_shown(text, "sampling: ");
	expect_shown(text, "; stacks without /fib/; ");
	free(text);

	expect_played(
		&fake, "keys xf<Ctrl-U>/no/such/folder/x<Enter>", "/no/such/folder");
	char *screen = play(&fake, "key x Esc");
	expect_not_shown(screen, "Write what");
	free(screen);
	fake_source_finish(&fake);
}

static void keys_are_answered_while_a_report_is_awaited(void **unused)
{
	const struct term_options term_options = {0};
	struct term *term = term_headless_create(24, 80, &term_options);
	struct app_options options = plain_options;
	struct error err = {{0}};
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	fake.is_slow = true;
	write_text("script",
		"save-display before\nkey ?\nsave-display help\nkey Esc Tab\n"
		"keys \\x<Enter>\nkey } { z R P x\nsleep 0\nsave-display after\n");
	options.script = script_open("script", &err);
	assert_true(app_run(term, &fake.source, &options, &err));
	script_close(options.script);
	term_destroy(term);
	char *screen = read_text("before");
	expect_shown(screen, "Waiting for the first samples");
	free(screen);
	screen = read_text("help");
	expect_shown(screen, "Keys");
	free(screen);
	/* One question for each change, and none while an answer is due. */
	assert_true(fake.requests <= 4);
	fake_source_finish(&fake);
}

static void the_mouse_reaches_tabs_bar_and_menus(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "mouse left 23 1"); /* F1Help */
	expect_shown(screen, "Keys");
	free(screen);
	screen = play(&fake, "mouse left 23 1\nmouse wheel-down 10 10\nmouse left 10 10");
	expect_not_shown(screen, "Keys");
	free(screen);
	screen = play(&fake, "key x\nmouse left 0 0\nmouse left 5 0");
	expect_not_shown(screen, "Write what");
	free(screen);
	free(play(&fake, "mouse right 10 10\nmouse double 12 3\nmouse wheel-up 12 3\n"
			 "mouse left -1 -1\nmouse left 100 1000"));
	fake_source_finish(&fake);
}

/* On a narrow screen the tabs at the left make room for the one that is shown. */
static void the_tab_of_the_view_is_always_there(void **unused)
{
	(void)unused;
	expect_after("size 40 10", "1Table 2Flame ");
	expect_after("size 40 10\nkey S-Tab", "Locks 7Time");
}

static void output_of_a_command_has_its_view(void **unused)
{
	struct app_options options = plain_options;
	struct fake_source fake;
	int fds[2];

	(void)unused;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(write(fds[1], "hello\n\033[31mred\n", 15), 15);
	fake_source_init(&fake);
	options.output_fd = fds[0];
	options.view = "output";
	char *screen = play_with(&fake, &options, "wait-report");
	expect_shown(screen, "Output");
	expect_shown(screen, "\nhello\n\\x1b[31mred\n");
	free(screen);
	screen = play(&fake, "");
	expect_not_shown(screen, "Output");
	free(screen);
	close(fds[0]);
	close(fds[1]);
	fake_source_finish(&fake);
}

static void a_script_says_where_it_is_wrong(void **unused)
{
	static const struct {
		const char *script, *why;
	} wrong[] = {
		{"key Up\nkey Upp\n", "script:2: no key is called \"Upp\""},
		{"# comment\n\nfly away\n", "script:3: no command is called \"fly\""},
		{"size big\n", "script:1: size COLUMNS ROWS"},
		{"mouse tail 1 1\n", "script:1: no mouse event is called \"tail\""},
		{"save-display /no/such/file\n", "script:1: /no/such/file: "},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct term_options term_options = {0};
		struct term *term = term_headless_create(24, 80, &term_options);
		struct app_options options = plain_options;
		struct error err = {{0}};
		struct fake_source fake;

		fake_source_init(&fake);
		write_text("script", wrong[i].script);
		options.script = script_open("script", &err);
		assert_false(app_run(term, &fake.source, &options, &err));
		expect_shown(err.text, wrong[i].why);
		script_close(options.script);
		term_destroy(term);
		fake_source_finish(&fake);
	}
	assert_null(script_open("/no/such/script", NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_can_be_pressed_in_every_view),
		cmocka_unit_test(survives_every_size),
		cmocka_unit_test(long_names_break_nothing),
		cmocka_unit_test(quits_by_key),
		cmocka_unit_test(a_prompt_swallows_every_letter),
		cmocka_unit_test(exports_write_what_is_shown),
		cmocka_unit_test(keys_are_answered_while_a_report_is_awaited),
		cmocka_unit_test(the_mouse_reaches_tabs_bar_and_menus),
		cmocka_unit_test(the_tab_of_the_view_is_always_there),
		cmocka_unit_test(output_of_a_command_has_its_view),
		cmocka_unit_test(a_script_says_where_it_is_wrong),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	play_end();
	return failed;
}
