/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PHP's frames and functions in a made-up memory: as each version has them, and as nobody should. */

#include "tests/lib/made-php.h"
#include "tests/lib/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 3000,
};

static void assert_end(const struct made_php *made, enum script_end end)
{
	struct script_stack stack;
	made_php_stack(made, &stack);
	assert_int_equal(stack.end, end);
}

static const uint32_t versions[] = {20210902, 20220829, 20230831, 20240924};

static void test_calls_from_c_are_segments(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
		struct made_php made;
		struct script_stack stack;
		struct script_function function;
		made_php_init(&made, versions[v]);
		made_php_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		assert_int_equal(stack.n_segments, 2);
		assert_int_equal(stack.segments[0].count, 2); /* inner, compare */
		assert_int_equal(stack.segments[1].count, 2); /* usort, main */
		assert_true(php_functions_find(
			made.functions, made.snapshot, &stack.frames[0], &function));
		assert_string_equal(function.name, "inner");
		assert_string_equal(function.file, "/srv/file.php");
		assert_int_equal(function.first_line, 40);
		assert_int_equal(function.line, 42);
		assert_true(php_functions_find(
			made.functions, made.snapshot, &stack.frames[2], &function));
		assert_string_equal(function.name, "usort");
		assert_int_equal(function.line, 0);
		assert_true(php_functions_find(
			made.functions, made.snapshot, &stack.frames[3], &function));
		assert_string_equal(function.name, "<file.php>");
		made_php_finish(&made);
	}
}

static void test_what_contradicts_itself_is_not_known(void **state)
{
	(void)state;
	struct made_php made;
	made_php_init(&made, versions[1]);
	/* above the top of the stack */
	made_php_put(&made, MADE_GLOBALS + made.layout->stack + PHP_TOP_AT,
		PHP_MEMORY + made_php_frame(3));
	made_php_sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	made_php_put(&made, MADE_GLOBALS + made.layout->stack + PHP_TOP_AT,
		PHP_MEMORY + made_php_frame(MADE_FRAMES));
	/* called by what lies above it */
	made_php_put(&made, made_php_frame(1) + PHP_FRAME_PREVIOUS,
		PHP_MEMORY + made_php_frame(2));
	made_php_sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	made_php_put(&made, made_php_frame(1) + PHP_FRAME_PREVIOUS,
		PHP_MEMORY + made_php_frame(0));
	/* a generator that nobody runs */
	made_php_put(&made, made_php_frame(0) + PHP_FRAME_INFO,
		PHP_INFO_TOP | PHP_INFO_GENERATOR);
	made_php_sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	/* nobody has called the outermost one */
	made_php_put(&made, made_php_frame(0) + PHP_FRAME_INFO, 0);
	made_php_sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	made_php_put(&made, MADE_GLOBALS + made.layout->stack + PHP_CURRENT_AT, 0);
	made_php_sample(&made);
	assert_end(&made, SCRIPT_NONE);
	made_php_finish(&made);
}

/* The native stack of a fiber has one call; what has resumed it is on another one. */
static void test_a_fiber_is_below_who_has_resumed_it(void **state)
{
	(void)state;
	struct made_php made;
	struct script_stack stack;
	made_php_init(&made, versions[1]);
	made_php_put(&made, made_php_function(1) + PHP_FUNCTION_NAME, 0);
	made_php_sample(&made);
	made_php_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_segments, 1);
	assert_int_equal(stack.segments[0].count, 3); /* inner, compare, main */
	made_php_finish(&made);
}

static void test_another_function_is_not_named(void **state)
{
	(void)state;
	struct made_php made;
	struct script_stack stack;
	struct script_function function;
	made_php_init(&made, versions[1]);
	made_php_stack(&made, &stack);
	made_php_put(&made, made_php_function(3) + made.layout->opcodes,
		PHP_MEMORY + MADE_OPS); /* after the sample */
	assert_false(php_functions_find(
		made.functions, made.snapshot, &stack.frames[0], &function));
	made_php_finish(&made);
}

/* The request has ended; what opcache has compiled is still where it was. */
static void test_a_shared_function_is_named_when_it_is_gone(void **state)
{
	(void)state;
	struct made_php made;
	struct script_stack stack;
	struct script_function function;
	made_php_init(&made, versions[1]);
	made_php_stack(&made, &stack);
	memset(made.bytes + MADE_FUNCTIONS, 0, 0x1000);
	assert_false(php_functions_find(
		made.functions, made.snapshot, &stack.frames[0], &function));
	made.shared_from = MADE_OPS;
	assert_true(php_functions_find(
		made.functions, made.snapshot, &stack.frames[0], &function));
	assert_string_equal(function.name, "inner");
	assert_int_equal(function.line, 42);
	/* Its name is not; a later sample. */
	made.shared_from = MADE_FILE_NAME;
	made.snapshot->time_ns = UINT64_MAX;
	assert_false(php_functions_find(
		made.functions, made.snapshot, &stack.frames[0], &function));
	made_php_finish(&made);
}

static void test_registers_say_where_the_innermost_is(void **state)
{
	(void)state;
	struct script_frame frame = {.place = 5, .more = 7};
	assert_int_equal(php_place_now(&(struct frame){.kept = {7, 9}}, &frame), 9);
	assert_int_equal(php_place_now(&(struct frame){.kept = {8, 9}}, &frame), 5);
	assert_int_equal(php_place_now(&(struct frame){.kept = {0, 9}}, &frame), 0);
}

static void test_a_version_is_said(void **state)
{
	(void)state;
	bool is_other = false;
	static const unsigned char text[] = "xAPI20x API20220829,NTS\0y",
				   threads[] = "API20220829,TS\0yyyyy";
	assert_int_equal(php_api_in(text, sizeof(text), &is_other), 20220829);
	assert_false(is_other);
	assert_int_equal(php_api_in(threads, sizeof(threads), &is_other), 20220829);
	assert_true(is_other);
	assert_int_equal(php_api_in(text, 9, &is_other), 0);
	assert_null(php_layout_of(20190902));
}

static void test_any_memory_is_survived(void **state)
{
	(void)state;
	struct made_php made;
	made_php_init(&made, versions[1]);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct script_stack stack;
		struct script_function function;
		size_t at = (size_t)rand() % (MADE_BYTES - 8);
		uint64_t word = (uint64_t)rand() % MADE_BYTES;
		made_php_put(&made, at, rand() % 2 ? word + PHP_MEMORY : word);
		made_php_sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(rand() % RECIPE_RESULTS);
		made.snapshot->time_ns = round % 3 ? UINT64_MAX : 0;
		made_php_stack(&made, &stack);
		assert_true(stack.n_frames <= SCRIPT_FRAMES_MAX);
		for (uint32_t i = 0; i < stack.n_segments; i++)
			assert_true(stack.segments[i].first + stack.segments[i].count <=
				    stack.n_frames);
		for (uint32_t i = 0; i < stack.n_frames && i < MADE_FRAMES; i++)
			if (php_functions_find(made.functions, made.snapshot,
				    &stack.frames[i], &function))
				assert_true(strlen(function.name) < 8192);
	}
	made_php_finish(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_from_c_are_segments),
		cmocka_unit_test(test_what_contradicts_itself_is_not_known),
		cmocka_unit_test(test_a_fiber_is_below_who_has_resumed_it),
		cmocka_unit_test(test_another_function_is_not_named),
		cmocka_unit_test(test_a_shared_function_is_named_when_it_is_gone),
		cmocka_unit_test(test_registers_say_where_the_innermost_is),
		cmocka_unit_test(test_a_version_is_said),
		cmocka_unit_test(test_any_memory_is_survived),
	};
	return unit_run(tests);
}
