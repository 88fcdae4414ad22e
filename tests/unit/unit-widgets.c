/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that the screen is put together from: prompt, menu, sheet, output, gauges. */
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "ui/draw/utf8.h"
#include "ui/header/gauges.h"
#include "ui/keys/key.h"
#include "ui/sheets/help-sheet.h"
#include "ui/view/output.h"
#include "ui/view/view.h"
#include "ui/widget/menu.h"
#include "ui/widget/prompt.h"
#include "ui/widget/sheet.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *dumped(const struct grid *grid)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	grid_dump(grid, out);
	fclose(out);
	return text;
}

static void expect(const struct grid *grid, const char *expected)
{
	char *text = dumped(grid);
	assert_string_equal(text, expected);
	free(text);
}

static void type(struct prompt *prompt, const char *text)
{
	for (struct utf8 c; (c = utf8_decode(text, strlen(text))).length > 0;
		text += c.length)
		prompt_key(prompt, c.code);
}

static void a_prompt_edits_whole_characters(void **unused)
{
	struct prompt prompt;

	(void)unused;
	prompt_start(&prompt, "Search: ", "añb");
	type(&prompt, "qPz語");
	assert_string_equal(prompt.text, "añbqPz語");
	prompt_key(&prompt, K_BACKSPACE);
	prompt_key(&prompt, K_HOME);
	prompt_key(&prompt, K_RIGHT);
	prompt_key(&prompt, K_DELETE);
	assert_string_equal(prompt.text, "abqPz");
	prompt_key(&prompt, K_LEFT);
	prompt_key(&prompt, K_LEFT);
	prompt_key(&prompt, 0x301); /* a mark can be typed */
	prompt_key(&prompt, K_UP);
	assert_string_equal(prompt.text, "\u0301abqPz");
	assert_int_equal(prompt_key(&prompt, K_CTRL('K')), PROMPT_CHANGED);
	assert_string_equal(prompt.text, "\u0301");
	assert_int_equal(prompt_key(&prompt, K_CTRL('K')), PROMPT_SAME);
	type(&prompt, "one two  ");
	prompt_key(&prompt, K_CTRL('W'));
	assert_string_equal(prompt.text, "\u0301one ");
	prompt_key(&prompt, K_CTRL('U'));
	assert_string_equal(prompt.text, "");
	prompt_key(&prompt, K_BACKSPACE);
	prompt_key(&prompt, K_DELETE);
	assert_int_equal(prompt_key(&prompt, K_ENTER), PROMPT_DONE);
	assert_int_equal(prompt_key(&prompt, K_ESC), PROMPT_CANCELLED);
}

static void a_prompt_is_never_too_long(void **unused)
{
	struct prompt prompt;
	char text[1000];

	(void)unused;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	prompt_start(&prompt, "L: ", text);
	assert_int_equal(prompt.length, PROMPT_MAX - 1);
	prompt_key(&prompt, 'y');
	assert_int_equal(strlen(prompt.text), PROMPT_MAX - 1);
	prompt_key(&prompt, K_BACKSPACE);
	prompt_key(&prompt, 0x8a9e); /* three bytes, one is free */
	assert_int_equal(strlen(prompt.text), PROMPT_MAX - 2);
}

static void a_prompt_shows_its_cursor_and_what_is_wrong(void **unused)
{
	struct prompt prompt;
	struct grid grid;

	(void)unused;
	grid_init(&grid, 1, 20, false);
	prompt_start(&prompt, "Find: ", "日本");
	assert_int_equal(prompt_draw(&prompt, &grid), 10);
	expect(&grid, "Find: 日本\n");
	snprintf(prompt.error, sizeof(prompt.error), "no");
	prompt_draw(&prompt, &grid);
	expect(&grid, "Find: 日本  no\n");
	type(&prompt, "abcdefghijklmnop");
	assert_int_equal(prompt_draw(&prompt, &grid), 19);
	expect(&grid, "Find: defghijklmnop\n");
	grid_resize(&grid, 1, 1);
	assert_int_equal(prompt_draw(&prompt, &grid), 0);
	grid_resize(&grid, 1, 0);
	prompt_draw(&prompt, &grid);
	grid_finish(&grid);
}

static struct menu some_menu(void)
{
	struct menu menu = {.title = "Choose"};

	menu_add(&menu, "pprof", "for go tool pprof");
	menu_add(&menu, "folded", "one line a stack");
	menu_add(&menu, "text", "to read");
	return menu;
}

static void a_menu_chooses_by_cursor_number_and_letter(void **unused)
{
	struct menu menu = some_menu();

	(void)unused;
	assert_int_equal(menu_key(&menu, K_UP), MENU_OPEN);
	assert_int_equal(menu_key(&menu, K_ENTER), 2);
	assert_int_equal(menu_key(&menu, K_DOWN), MENU_OPEN);
	assert_int_equal(menu_key(&menu, K_ENTER), 0);
	assert_int_equal(menu_key(&menu, 'f'), 1);
	assert_int_equal(menu_key(&menu, '3'), 2);
	assert_int_equal(menu_key(&menu, '4'), MENU_OPEN);
	while (menu.n_rows < 10)
		menu_add(&menu, "x", "");
	assert_int_equal(menu_key(&menu, '9'), 8);
	assert_int_equal(menu_key(&menu, ':'), MENU_OPEN); /* behind '9' */
	assert_int_equal(menu_key(&menu, K_ESC), MENU_CLOSED);
	for (int i = 0; i < 2 * MENU_MAX; i++)
		menu_add(&menu, "more", "");
	assert_int_equal(menu.n_rows, MENU_MAX);
}

static void a_menu_is_drawn_and_clicked(void **unused)
{
	struct menu menu = some_menu();
	struct grid grid;

	(void)unused;
	grid_init(&grid, 7, 36, false);
	menu_draw(&menu, &grid);
	expect(&grid, "\n"
		      "  ┌─ Choose ────────────────────┐\n"
		      "  │ 1 pprof   for go tool pprof │\n"
		      "  │ 2 folded  one line a stack  │\n"
		      "  │ 3 text    to read           │\n"
		      "  └─────────────────────────────┘\n"
		      "\n");
	assert_int_equal(menu_click(&menu, &grid, 3, 10), 1);
	assert_int_equal(menu_click(&menu, &grid, 1, 10), MENU_OPEN);
	assert_int_equal(menu_click(&menu, &grid, 0, 10), MENU_CLOSED);
	for (int rows = 0; rows < 8; rows++)
		for (int columns = 0; columns < 40; columns++) {
			grid_resize(&grid, rows, columns);
			menu.cursor = 2;
			menu_draw(&menu, &grid);
		}
	/* Too low for all rows: it scrolls to the cursor. */
	grid_resize(&grid, 3, 36);
	menu_draw(&menu, &grid);
	char *text = dumped(&grid);
	assert_non_null(strstr(text, "to read"));
	assert_int_equal(menu_click(&menu, &grid, 1, 10), 2);
	free(text);
	grid_finish(&grid);
}

static void a_sheet_wraps_and_scrolls(void **unused)
{
	struct sheet sheet = {0};
	struct grid grid;

	(void)unused;
	grid_init(&grid, 5, 20, false);
	sheet_start(&sheet, "T");
	sheet_add(&sheet, true, "", "Title");
	sheet_add(&sheet, false, "k", "one two three four");
	sheet_add(&sheet, false, "kk", "abcdefghijklmnopq");
	sheet_draw(&sheet, &grid);
	expect(&grid, "┌─ T ──────────────┐\n"
		      "│ Title            │\n"
		      "│ k   one two      │\n"
		      "│     three four   │\n"
		      "└────────────────▼─┘\n");
	assert_true(sheet_key(&sheet, K_END, &grid));
	sheet_draw(&sheet, &grid);
	expect(&grid, "┌─ T ────────────▲─┐\n"
		      "│     three four   │\n"
		      "│ kk  abcdefghijkl │\n"
		      "│     mnopq        │\n"
		      "└──────────────────┘\n");
	assert_true(sheet_key(&sheet, 'k', &grid)); /* at once, not after coming back */
	sheet_draw(&sheet, &grid);
	char *text = dumped(&grid);
	assert_non_null(strstr(text, "one two"));
	free(text);
	assert_true(sheet_key(&sheet, K_PAGE_UP, &grid));
	assert_true(sheet_key(&sheet, K_UP, &grid));
	assert_int_equal(sheet.top, 0);
	assert_false(sheet_key(&sheet, K_ESC, &grid));
	assert_false(sheet_key(&sheet, 'q', &grid));
	sheet_finish(&sheet);
	grid_finish(&grid);
}

/* In at most 40 rows of 80 columns. What only some views have is on their page. */
static void help_has_every_key(void **unused)
{
	const struct module_hues hues = {0};
	bool is_told[ACTION_COUNT] = {[ACTION_HELP] = true};
	struct sheet sheet = {0};
	struct grid grid;

	(void)unused;
	grid_init(&grid, 42, 80, false);
	for (size_t i = 0; view_list[i]; i++) {
		sheet_help(&sheet, view_list[i], &hues);
		sheet_draw(&sheet, &grid);
		char *text = dumped(&grid);
		assert_null(strstr(text, "▼"));
		for (enum action row = ACTION_NONE + 1; row < ACTION_COUNT; row++) {
			char keys[ACTION_KEYS_MAX];
			action_row_keys(action_row_of(row), keys);
			bool has = strstr(text, keys);
			assert_true(has || action_rows[row].group == GROUP_SOME ||
				    row == ACTION_HELP);
			is_told[row] |= has;
		}
		free(text);
	}
	for (enum action row = ACTION_NONE + 1; row < ACTION_COUNT; row++)
		assert_true(is_told[row]);
	for (int size = 0; size < 12; size++) {
		grid_resize(&grid, size, size);
		sheet_draw(&sheet, &grid);
		sheet_key(&sheet, 'j', &grid);
	}
	sheet_finish(&sheet);
	grid_finish(&grid);
}

static void add_text(struct output *output, const char *text)
{
	output_add(output, text, strlen(text));
}

static void output_is_lines_cleaned_and_bounded(void **unused)
{
	struct output *output = output_create();
	char line[32];

	(void)unused;
	add_text(output, "one\ntw");
	assert_int_equal(output->end, 1);
	add_text(output, "o\nprogress 1%\rprogress 2%\n\tx\033[2J\n\n");
	assert_string_equal(output_line(output, 0), "one");
	assert_string_equal(output_line(output, 1), "two");
	assert_string_equal(output_line(output, 2), "progress 2%");
	assert_string_equal(output_line(output, 3), "        x\\x1b[2J");
	assert_string_equal(output_line(output, 4), "");
	for (int i = 0; i < OUTPUT_LINES + 7; i++) {
		snprintf(line, sizeof(line), "%d\n", i);
		add_text(output, line);
	}
	assert_int_equal(output->end - output->first, OUTPUT_LINES);
	assert_string_equal(output_line(output, output->first), "7");
	for (int i = 0; i < 3 * CLEAN_MAX; i++)
		output_add(output, "y", 1);
	output_add(output, "\n", 1);
	assert_true(strlen(output_line(output, output->end - 1)) < CLEAN_MAX);
	output_destroy(output);
}

static void output_is_read_without_waiting(void **unused)
{
	struct output *output = output_create();
	int fds[2];

	(void)unused;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	output_read(output, fds[0]); /* nothing yet: returns */
	assert_false(output->closed);
	assert_int_equal(write(fds[1], "a\nb", 3), 3);
	output_read(output, fds[0]);
	assert_int_equal(output->end, 1);
	close(fds[1]);
	output_read(output, fds[0]);
	assert_true(output->closed);
	assert_string_equal(output_line(output, 1), "b");
	close(fds[0]);
	output_destroy(output);
}

static void gauges_are_rates_between_readings(void **unused)
{
	static struct meter meter;
	struct gauges gauges = {0};
	const uint64_t s = NS_PER_SEC;

	(void)unused;
	gauges_update(&gauges, &meter, 5 * s, s);
	assert_int_equal(gauges.elapsed_ns, 0);
	meter_set(&meter.began_ns, 5 * s);
	meter_set(&meter.frequency_hz, 99);
	gauges_update(&gauges, &meter, 5 * s, s);

	meter_set(&meter.periods, 98);
	meter_set(&meter.cpu_kernel_ns, 2 * s);
	meter_set(&meter.cpu_sampled_ns, s);
	for (int i = 0; i < 100; i++)
		meter_count_stop(&meter, 20000);
	gauges_update(&gauges, &meter, 6 * s, s + s / 100);
	assert_float_equal(gauges.rate_hz, 98, 0.01);
	assert_float_equal(gauges.kernel_cpu_share, 2, 0.001);
	assert_float_equal(gauges.sampled_cpu_share, 1, 0.001);
	assert_float_equal(gauges.own_cpu_share, 0.01, 0.0001);
	assert_float_equal(gauges.paused_share, 0.001, 0.00001);
	assert_true(gauges.stop_p50_ns > 17000 && gauges.stop_p50_ns < 23000);

	/* Too soon for other rates; then none, because nothing happened. */
	gauges_update(&gauges, &meter, 7 * s, s + s / 100);
	assert_float_equal(gauges.rate_hz, 98, 0.01);
	gauges_update(&gauges, &meter, 9 * s, s + s / 100);
	assert_float_equal(gauges.rate_hz, 0, 0.01);

	meter_set(&meter.ended_ns, 8 * s);
	gauges_update(&gauges, &meter, 20 * s, 2 * s);
	assert_true(gauges.sampling_ended);
	assert_int_equal(gauges.elapsed_ns, 3 * s);
}

static void zooms_are_a_stack(void **unused)
{
	struct view_state state;
	static const uint32_t path[] = {1, 2, 3};

	(void)unused;
	view_state_init(&state);
	assert_null(view_zoom(&state));
	view_zoom_push(&state, path, 2);
	view_zoom_push(&state, path, 3);
	assert_int_equal(view_zoom(&state)->length, 3);
	assert_int_equal(view_zoom(&state)->path[2], 3);
	assert_true(view_zoom_pop(&state));
	assert_int_equal(view_zoom(&state)->length, 2);
	view_zoom_push(&state, NULL, 0);
	view_state_finish(&state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prompt_edits_whole_characters),
		cmocka_unit_test(a_prompt_is_never_too_long),
		cmocka_unit_test(a_prompt_shows_its_cursor_and_what_is_wrong),
		cmocka_unit_test(a_menu_chooses_by_cursor_number_and_letter),
		cmocka_unit_test(a_menu_is_drawn_and_clicked),
		cmocka_unit_test(a_sheet_wraps_and_scrolls),
		cmocka_unit_test(help_has_every_key),
		cmocka_unit_test(output_is_lines_cleaned_and_bounded),
		cmocka_unit_test(output_is_read_without_waiting),
		cmocka_unit_test(gauges_are_rates_between_readings),
		cmocka_unit_test(zooms_are_a_stack),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return unit_run(tests);
}
