/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/unit.h"

#include "ui/draw/grid.h"
#include "ui/draw/utf8.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* The grid as text, by one of the dump functions. */
static char *dumped(const struct grid *grid, void (*dump)(const struct grid *, FILE *))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	dump(grid, out);
	fclose(out);
	return text;
}

static void expect(const struct grid *grid, const char *expected)
{
	char *text = dumped(grid, grid_dump);
	assert_string_equal(text, expected);
	free(text);
}

static const struct style plain = {ROLE_NORMAL, 0};

static void text_is_clipped_on_all_sides(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 2, 5, false);
	assert_int_equal(grid_put(&grid, 0, -2, plain, "abcdefghij"), 8);
	grid_put(&grid, -1, 0, plain, "above");
	grid_put(&grid, 2, 0, plain, "below");
	grid_put(&grid, 1, 5, plain, "right");
	grid_put(&grid, 1, 4, plain, "xy");
	expect(&grid, "cdefg\n    x\n");
	grid_finish(&grid);
}

static void wide_characters_take_two_cells_or_none(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 1, 6, false);
	grid_put(&grid, 0, 0, plain, "日本語");
	expect(&grid, "日本語\n");
	assert_int_equal(grid_cell(&grid, 0, 0)->width, 2);
	assert_int_equal(grid_cell(&grid, 0, 1)->width, 0);

	grid_put(&grid, 0, 1, plain, "x"); /* the right half of the first */
	expect(&grid, " x本語\n");
	grid_put(&grid, 0, 4, plain, "y"); /* the left half of the last */
	expect(&grid, " x本y\n");
	grid_put(&grid, 0, 5, plain, "語"); /* does not fit */
	expect(&grid, " x本y\n");
	grid_put(&grid, 0, -1, plain, "語z"); /* half of it outside */
	expect(&grid, " z本y\n");

	/* A part overwrites half of a character of which the rest is outside of it. */
	struct grid part = grid_part(&grid, 0, 3, 1, 3);
	grid_put(&part, 0, 0, plain, "q");
	expect(&grid, " z qy\n");
	grid_finish(&grid);
}

static void marks_stay_with_their_character(void **unused)
{
	struct grid grid;
	char many[200] = "e";

	(void)unused;
	grid_init(&grid, 1, 4, false);
	assert_int_equal(grid_put(&grid, 0, 0, plain, "e\u0301x"), 2);
	expect(&grid, "e\u0301x\n");
	assert_string_equal(grid_cell(&grid, 0, 0)->text, "e\u0301");

	/* As many marks as fit, no half of one, and nothing moves. */
	for (int i = 0; i < 60; i++)
		strcat(many, "\u0301");
	strcat(many, "y");
	assert_int_equal(grid_put(&grid, 0, 0, plain, many), 2);
	assert_int_equal(strlen(grid_cell(&grid, 0, 0)->text), 1 + 9 * 2);
	assert_string_equal(grid_cell(&grid, 0, 1)->text, "y");

	grid_put(&grid, 0, 0, plain, "\u0301"); /* with nothing to stand on */
	assert_string_equal(grid_cell(&grid, 0, 0)->text, "?");
	grid_finish(&grid);
}

static void what_cannot_be_shown_is_a_question_mark(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 1, 12, false);
	grid_put(&grid, 0, 0, plain, "a\tb\x1b[\x80\xc3(\xed\xa0\x80");
	expect(&grid, "a?b?[?"
		      "?(???\n");
	grid_finish(&grid);
}

static void ascii_keeps_the_columns(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 3, 12, true);
	grid_put(&grid, 0, 0, plain, "é日e\u0301|µ|");
	assert_int_equal(grid_text_width("é日e\u0301|µ|"), 7);
	grid_bar(&grid, 1, 0, 10, 0.55, plain);
	grid_put(&grid, 1, 10, plain, grid_glyph(&grid, GLYPH_ELLIPSIS));
	grid_put_field(&grid, 2, 0, 5, ALIGN_LEFT, plain, "abcdefgh");
	expect(&grid, "???e|?|\n######    ~\nabcd~\n");
	grid_finish(&grid);
}

static void fields_are_exactly_as_wide_as_asked(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 7, 10, false);
	assert_int_equal(
		grid_put_field(&grid, 0, 0, 6, ALIGN_LEFT, plain, "abcdefgh"), 6);
	grid_put_field(&grid, 1, 0, 6, ALIGN_RIGHT, plain, "ab");
	grid_put_field(&grid, 2, 0, 6, ALIGN_CENTRE, plain, "ab");
	grid_put_field(&grid, 3, 0, 6, ALIGN_LEFT, plain, "日本語語");
	grid_put_field(&grid, 4, 0, 6, ALIGN_LEFT, plain, "日本語");
	grid_put_field(&grid, 5, 0, 1, ALIGN_LEFT, plain, "ab");
	grid_put_field(&grid, 6, 0, 0, ALIGN_LEFT, plain, "ab");
	for (int row = 0; row < 7; row++)
		grid_put(&grid, row, 6, plain, "|");
	expect(&grid, "abcde…|\n    ab|\n  ab  |\n日本 …|\n日本語|\n…     |\n      |\n");
	grid_finish(&grid);
}

static void bars_and_sparks(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 4, 8, false);
	grid_bar(&grid, 0, 0, 8, 0.5 + 1.0 / 64, plain);
	grid_bar(&grid, 1, 0, 4, 7.0, plain);
	grid_bar(&grid, 2, 0, 8, -1.0, plain);
	for (int i = 0; i < 8; i++)
		grid_spark(&grid, 3, i, (i + 1) / 8.0, plain);
	expect(&grid, "████▏\n████\n\n▁▂▃▄▅▆▇█\n");
	grid_spark(&grid, 3, 0, 0.0001, plain);
	assert_string_equal(grid_cell(&grid, 3, 0)->text, "▁");
	grid_spark(&grid, 3, 0, 0, plain);
	assert_string_equal(grid_cell(&grid, 3, 0)->text, " ");
	grid_finish(&grid);
}

static void boxes_fit_into_anything(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 3, 12, false);
	grid_box(&grid, 0, 0, 3, 12, plain, "a long title");
	expect(&grid, "┌─ a lon… ─┐\n│          │\n└──────────┘\n");
	for (int rows = -1; rows < 4; rows++)
		for (int columns = -1; columns < 14; columns++)
			grid_box(&grid, rows - 2, columns - 2, rows, columns, plain, "t");
	grid_finish(&grid);
}

static void parts_are_clipped(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 3, 4, false);
	struct grid part = grid_part(&grid, 1, 2, 10, 10);
	assert_int_equal(part.rows, 2);
	assert_int_equal(part.columns, 2);
	grid_put(&part, 0, 0, plain, "abc");
	grid_put(&part, 0, -1, plain, "X"); /* left of the part, though inside the grid */
	expect(&grid, "\n  ab\n\n");

	struct grid none = grid_part(&grid, 5, 5, 1, 1);
	assert_int_equal(none.rows, 0);
	grid_put(&none, 0, 0, plain, "a");
	grid_fill(&none, 0, 0, 9, 9, plain);
	grid_fill(&grid, -5, -5, INT32_MAX, INT32_MAX, plain);
	expect(&grid, "\n\n\n");

	struct grid empty;
	grid_init(&empty, 0, -3, false);
	grid_put(&empty, 0, 0, plain, "a");
	grid_box(&empty, 0, 0, 3, 3, plain, "t");
	expect(&empty, "");
	grid_finish(&empty);
	grid_finish(&grid);
}

static void styles_are_dumped_below_their_row(void **unused)
{
	struct grid grid;

	(void)unused;
	grid_init(&grid, 2, 8, false);
	grid_put(&grid, 0, 0, STYLE(ROLE_DIM), "ab");
	grid_put(&grid, 0, 4, STYLE(ROLE_HUE + 3, ATTR_BOLD | ATTR_REVERSE), "cd");
	grid_restyle(&grid, 0, 5, 1, 1, STYLE(ROLE_SHADE + 11));
	char *text = dumped(&grid, grid_dump_styles);
	assert_string_equal(
		text, "ab  cd\n   0+2 dim; 4+1 hue3,bold,reverse; 5+1 shade11\n\n");
	free(text);
	grid_finish(&grid);
}

static void utf8_goes_both_ways(void **unused)
{
	static const uint32_t codes[] = {
		1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
	char bytes[4];

	(void)unused;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		size_t length = utf8_write(codes[i], bytes);
		struct utf8 back = utf8_decode(bytes, length);
		assert_true(back.valid);
		assert_int_equal(back.code, codes[i]);
		assert_int_equal(back.length, length);
		assert_int_equal(utf8_decode(bytes, length - 1).valid, false);
	}
	assert_int_equal(utf8_write(0xd800, bytes), 3);
	assert_int_equal(utf8_decode(bytes, 3).code, 0xfffd);
	assert_false(utf8_decode("\xc0\x80", 2).valid);		/* overlong */
	assert_false(utf8_decode("\xe0\x80\x80", 3).valid);	/* overlong */
	assert_false(utf8_decode("\xf4\x90\x80\x80", 4).valid); /* beyond the last */
}

static void every_role_has_a_name_and_paint(void **unused)
{
	(void)unused;
	const struct theme none = {DEPTH_NONE, GROUND_DARK},
			   eight = {DEPTH_8, GROUND_DARK};
	for (enum role role = ROLE_NORMAL; role < ROLE_COUNT; role++) {
		char name[THEME_ROLE_NAME_MAX];
		theme_role_name(role, name);
		assert_true(strlen(name) > 2);
		assert_int_equal(theme_paint(&none, role).foreground, -1);
		assert_int_equal(theme_paint(&none, role).background, -1);
		assert_true(theme_paint(&eight, role).foreground < 8);
		assert_true(theme_paint(&eight, role).background < 8);
	}
}

static void a_stack_fills_its_width(void **unused)
{
	(void)unused;
	static const struct {
		uint64_t amounts[3];
		const char *ascii, *unicode;
	} cases[] = {
		{{50, 25, 25}, "####==..", "████▒▒··"},
		{{1, 0, 1000000}, "........", "········"},
		{{1, 1, 1000000}, "........", "········"},
		{{1, 0, 99}, "........", "▏·······"},
		{{10, 0, 90}, "#.......", "▊·······"},
		{{30, 2, 68}, "##=.....", "██▍▏····"},
		{{1000000, 1, 1}, "########", "████████"},
		{{0, 0, 5}, "........", "········"},
		{{3, 0, 0}, "########", "████████"},
		{{0, 0, 0}, "        ", "        "},
	};
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		struct grid grid;
		char text[64] = "";
		bool ascii = i % 2;
		const uint64_t *amounts = cases[i / 2].amounts;
		grid_init(&grid, 1, 8, ascii);
		const struct grid_part parts[] = {
			{amounts[0], GLYPH_BAR_FULL, STYLE(ROLE_BAR)},
			{amounts[1], GLYPH_BAR_HALF, STYLE(ROLE_WARN)},
			{amounts[2], GLYPH_BAR_LOW, STYLE(ROLE_DIM)},
		};
		grid_stack(&grid, 0, 0, 8, parts, 3);
		for (int c = 0; c < 8; c++)
			strcat(text, grid_cell(&grid, 0, c)->text);
		assert_string_equal(
			text, ascii ? cases[i / 2].ascii : cases[i / 2].unicode);
		grid_finish(&grid);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_fills_its_width),
		cmocka_unit_test(text_is_clipped_on_all_sides),
		cmocka_unit_test(wide_characters_take_two_cells_or_none),
		cmocka_unit_test(marks_stay_with_their_character),
		cmocka_unit_test(what_cannot_be_shown_is_a_question_mark),
		cmocka_unit_test(ascii_keeps_the_columns),
		cmocka_unit_test(fields_are_exactly_as_wide_as_asked),
		cmocka_unit_test(bars_and_sparks),
		cmocka_unit_test(boxes_fit_into_anything),
		cmocka_unit_test(parts_are_clipped),
		cmocka_unit_test(styles_are_dumped_below_their_row),
		cmocka_unit_test(utf8_goes_both_ways),
		cmocka_unit_test(every_role_has_a_name_and_paint),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return unit_run(tests);
}
