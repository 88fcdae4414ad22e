/* Whole sessions: ui_run on a source of the fixture, played by scripts in a terminal in
   memory. */
#include "tests/unit.h"

#include "src/clock.h"
#include "tests/fake-source.h"
#include "ui/app.h"
#include "ui/key.h"
#include "ui/view.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cproftop-ui-XXXXXX";

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t self_cpu_ns(void)
{
	return 0;
}

static char *read_text(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const struct ui_options plain_options = {
	.output_fd = -1, .clock_ns = clock_ns, .self_cpu_ns = self_cpu_ns};

/* Play SCRIPT, and then save the screen; the caller frees it. */
static char *play_with(
	struct fake_source *fake, const struct ui_options *given, const char *script)
{
	const struct term_options term_options = {.mouse = true};
	struct term *term = term_headless_create(24, 80, &term_options);
	struct ui_options options = *given;
	struct error err = {{0}};
	char whole[8192];

	snprintf(whole, sizeof(whole), "wait-report\n%s\nsave-display screen\n", script);
	write_text("script", whole);
	options.script = script_open("script", &err);
	assert_non_null(options.script);
	unlink("screen");
	if (!ui_run(term, &fake->source, &options, &err))
		fail_msg("%s", err.text);
	script_close(options.script);
	term_destroy(term);
	return read_text("screen");
}

static char *play(struct fake_source *fake, const char *script)
{
	return play_with(fake, &plain_options, script);
}

static void expect_shown(const char *screen, const char *text)
{
	if (!strstr(screen, text))
		fail_msg("\"%s\" is not on the screen:\n%s", text, screen);
}

static void expect_not_shown(const char *screen, const char *text)
{
	if (strstr(screen, text))
		fail_msg("\"%s\" is on the screen:\n%s", text, screen);
}

/* Play SCRIPT on a new source; TEXT must be on the last screen. */
static void expect_after(const char *script, const char *text)
{
	struct fake_source fake;

	fake_source_init(&fake);
	char *screen = play(&fake, script);
	expect_shown(screen, text);
	free(screen);
	fake_source_finish(&fake);
}

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
		struct ui_options options = plain_options;
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
		window_add(&fixture->samples, &sample);
	}
	char *screen = play(&fake, "key Home");
	expect_shown(screen, "std::pair<");
	expect_shown(screen, "日本語の");
	free(screen);
	screen = play(&fake, "key Home y"); /* the whole name, wrapped */
	expect_shown(screen, "Name    ");
	free(screen);
	for (size_t view = 0; view_list[view]; view++) {
		struct ui_options options = plain_options;
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
		assert_true(ui_run(term, &fake.source, &plain_options, NULL));
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

static void a_search_finds_counts_and_shows_errors(void **unused)
{
	(void)unused;
	expect_after("keys /prime", "Search: prime");
	expect_after("keys /prime<Enter>", "/prime: 2 functions, ");
	expect_after("keys /prime<Enter>\nkeys /fib<Esc>", "/prime: 2 functions, ");
	expect_after(
		"keys /prime(<Enter>", "Search: prime(  missing closing parenthesis");
	expect_after("keys /nothing such<Enter>", "nothing matches /nothing such");
	expect_after("key n", "nothing to search");
}

static void a_filter_goes_into_the_request(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "keys \\fib<Enter>\nwait-report");
	assert_string_equal(fake.last.filter, "fib");
	expect_shown(screen, "filter fib");
	expect_not_shown(screen, "is_prime_by_sieve");
	free(screen);

	screen = play(&fake, "keys \\!fib<Enter>\nwait-report");
	assert_string_equal(fake.last.filter, "!fib");
	expect_not_shown(screen, "fibonacci");
	free(screen);

	screen = play(&fake, "keys \\fib<Enter>\nwait-report\nkey Esc\nwait-report");
	assert_string_equal(fake.last.filter, "");
	free(screen);

	screen = play(&fake, "keys \\fib(<Enter>");
	expect_shown(screen, "missing closing parenthesis");
	assert_string_equal(fake.last.filter, "");
	free(screen);
	fake_source_finish(&fake);
}

static void the_window_has_steps(void **unused)
{
	struct ui_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	options.window_ns = 30 * NS_PER_SEC;
	fake_source_init(&fake);
	free(play_with(&fake, &options, "key w"));
	assert_int_equal(fake.last.window_ns, 10 * NS_PER_SEC);
	free(play_with(&fake, &options, "key w w w w"));
	assert_int_equal(fake.last.window_ns, 5 * NS_PER_SEC);
	free(play_with(&fake, &options, "key W"));
	assert_int_equal(fake.last.window_ns, 60 * NS_PER_SEC);
	free(play_with(&fake, &options, "key W W W W W"));
	assert_int_equal(fake.last.window_ns, 0);
	free(play_with(&fake, &options, "key W W W W W W w"));
	assert_int_equal(fake.last.window_ns, 600 * NS_PER_SEC);
	fake_source_finish(&fake);
}

static void a_frozen_picture_keeps_its_end(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "key z\nkey w\nwait-report");
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS);
	expect_shown(screen, "FROZEN");
	free(screen);
	screen = play(&fake, "key z\nkey Space\nwait-report");
	assert_int_equal(fake.last.until_ns, 0);
	expect_not_shown(screen, "FROZEN");
	free(screen);

	/* A target that has ended keeps its last window. */
	meter_set(&fake.meter.ended_ns, FIXTURE_END_NS - 7);
	free(play(&fake, "wait-report"));
	assert_int_equal(fake.last.until_ns, FIXTURE_END_NS - 7);
	fake_source_finish(&fake);
}

/* At once, and what was looked at stays: the zoom, the cursor of each view. */
static void names_change_and_places_stay(void **unused)
{
	struct ui_options options = plain_options;
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	options.view = "flame";
	/* Into worker(void*), on the operator that is inlined into. */
	const char *zoomed = "keys /^worker<Enter>\nkey n Enter Down";
	char *screen = play_with(&fake, &options, zoomed);
	expect_shown(screen, "zoom worker(void*)");
	free(screen);
	char script[1024];
	static const char *const shown[] = {"zoom worker\n", "zoom worker\n",
		"zoom _Z6workerPv", "zoom worker(void*)"};
	snprintf(script, sizeof(script), "%s", zoomed);
	for (size_t i = 0; i < 4; i++) {
		strcat(script, "\nkey M\nwait-report");
		screen = play_with(&fake, &options, script);
		assert_int_equal(fake.last.naming.style, (i + 1) % DEMANGLE_STYLES);
		expect_shown(screen, shown[i]);
		free(screen);
	}
	options.view = "table";
	screen = play_with(
		&fake, &options, "keys /^Matrix<Enter>\nkey M M\nwait-report\nkey y");
	expect_shown(screen, "Matrix::operator*");
	expect_shown(screen, "_ZNK6MatrixIdEmlERKS0_");
	free(screen);
	fake_source_finish(&fake);
}

static void what_is_counted_as_one_can_be_changed(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	char *screen = play(&fake, "size 140 30\nkeys /^compute<Enter>\nkey "
				   "L\nwait-report\nkey i\nwait-report");
	assert_int_equal(fake.last.naming.granularity, NAMING_LINE);
	assert_true(fake.last.naming.fold_inlines);
	expect_shown(screen, "by line  inlines folded");
	expect_shown(screen, "compute main.c:23");
	expect_shown(screen, "is_prime_by_division prime.c:12");
	expect_not_shown(screen, "matrix.h:33");
	free(screen);
	/* The cursor went along. */
	screen = play(
		&fake, "size 140 30\nkeys /^compute<Enter>\nkey L\nwait-report\nkey y");
	expect_shown(screen, "Name    compute main.c:23");
	free(screen);
	screen = play(&fake, "size 140 30\nkey L L\nwait-report");
	expect_shown(screen, "by module");
	expect_shown(screen, "libc.so.6");
	expect_not_shown(screen, "qsort_r");
	free(screen);
	screen = play(&fake, "size 140 30\nkey L L L\nwait-report");
	expect_shown(screen, "is_prime_by_division 0x555555556304");
	free(screen);
	screen = play(&fake, "size 140 30\nkey L L L L\nwait-report");
	assert_int_equal(fake.last.naming.granularity, NAMING_FUNCTION);
	free(screen);
	fake_source_finish(&fake);
}

/* The source samples it, and the next report counts it; from the start, if it did then.
 */
static void wall_clock_is_asked_of_source_and_report(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	free(play(&fake, "key m"));
	assert_true(fake.wall);
	assert_true(fake.last.wall);
	free(play(&fake, "key m m"));
	assert_false(fake.wall);
	assert_false(fake.last.wall);
	fake.source.facts.wall = true;
	free(play(&fake, ""));
	assert_true(fake.last.wall);
	fake_source_finish(&fake);
}

static void rates_and_clearing_reach_the_source(void **unused)
{
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	free(play(&fake, "key ."));
	assert_int_equal(fake.frequency_hz, 199);
	free(play(&fake, "key , ,"));
	assert_int_equal(fake.frequency_hz, 49);
	free(play(&fake, "key R"));
	assert_int_equal(fake.clears, 1);
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
	char *screen = play(&fake, "key P");
	expect_shown(screen, "wrote cproftop-primes-4711-20260102-030415.pb.gz (");
	free(screen);
	find_file(".pb.gz", name, sizeof(name));
	assert_string_equal(name, "cproftop-primes-4711-20260102-030415.pb.gz");
	unlink(name);

	screen = play(&fake, "keys \\fib<Enter>\nwait-report\nkeys xf");
	expect_shown(screen, "Write to: cproftop-primes-4711-20260102-030415.folded");
	free(screen);
	screen = play(&fake,
		"keys \\fib<Enter>\nwait-report\nkeys xf<Ctrl-U>mine.folded<Enter>");
	expect_shown(screen, "wrote mine.folded (");
	free(screen);
	char *folded = read_text("mine.folded");
	expect_shown(folded, "fibonacci;fibonacci");
	expect_not_shown(folded, "is_prime_by_sieve");
	free(folded);

	screen = play(
		&fake, "keys \\!fib<Enter>\nwait-report\nkeys xt<Ctrl-U>mine.txt<Enter>");
	expect_shown(screen, "wrote mine.txt (");
	free(screen);
	char *text = read_text("mine.txt");
	expect_shown(text, "sampling: ");
	expect_shown(text, "; stacks without /fib/; ");
	free(text);

	screen = play(&fake, "keys xf<Ctrl-U>/no/such/folder/x<Enter>");
	expect_shown(screen, "/no/such/folder");
	free(screen);
	screen = play(&fake, "key x Esc");
	expect_not_shown(screen, "Write what");
	free(screen);
	fake_source_finish(&fake);
}

static void keys_are_answered_while_a_report_is_awaited(void **unused)
{
	const struct term_options term_options = {0};
	struct term *term = term_headless_create(24, 80, &term_options);
	struct ui_options options = plain_options;
	struct error err = {{0}};
	struct fake_source fake;

	(void)unused;
	fake_source_init(&fake);
	fake.is_slow = true;
	write_text("script",
		"save-display before\nkey ?\nsave-display help\nkey Esc Tab\n"
		"keys \\x<Enter>\nkey w W z R P x\nsleep 0\nsave-display after\n");
	options.script = script_open("script", &err);
	assert_true(ui_run(term, &fake.source, &options, &err));
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

static void output_of_a_command_has_its_view(void **unused)
{
	struct ui_options options = plain_options;
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
		struct ui_options options = plain_options;
		struct error err = {{0}};
		struct fake_source fake;

		fake_source_init(&fake);
		write_text("script", wrong[i].script);
		options.script = script_open("script", &err);
		assert_false(ui_run(term, &fake.source, &options, &err));
		expect_shown(err.text, wrong[i].why);
		script_close(options.script);
		term_destroy(term);
		fake_source_finish(&fake);
	}
	assert_null(script_open("/no/such/script", NULL));
}

/* The tests write files; each run has a folder of its own. */
static void remove_folder(void)
{
	DIR *dir = opendir(".");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlink(entry->d_name);
	if (dir)
		closedir(dir);
	(void)!chdir("/");
	rmdir(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_can_be_pressed_in_every_view),
		cmocka_unit_test(survives_every_size),
		cmocka_unit_test(long_names_break_nothing),
		cmocka_unit_test(quits_by_key),
		cmocka_unit_test(a_prompt_swallows_every_letter),
		cmocka_unit_test(a_search_finds_counts_and_shows_errors),
		cmocka_unit_test(a_filter_goes_into_the_request),
		cmocka_unit_test(the_window_has_steps),
		cmocka_unit_test(a_frozen_picture_keeps_its_end),
		cmocka_unit_test(names_change_and_places_stay),
		cmocka_unit_test(what_is_counted_as_one_can_be_changed),
		cmocka_unit_test(wall_clock_is_asked_of_source_and_report),
		cmocka_unit_test(rates_and_clearing_reach_the_source),
		cmocka_unit_test(exports_write_what_is_shown),
		cmocka_unit_test(keys_are_answered_while_a_report_is_awaited),
		cmocka_unit_test(the_mouse_reaches_tabs_bar_and_menus),
		cmocka_unit_test(output_of_a_command_has_its_view),
		cmocka_unit_test(a_script_says_where_it_is_wrong),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8") || !mkdtemp(folder) || chdir(folder) != 0)
		return 77;
	int failed = unit_run(tests);
	remove_folder();
	return failed;
}
