/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PHP's frames and functions in a made-up memory: as each version has them, and as nobody should. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/runtimes/php/php-functions.h"
#include "src/read/runtimes/php/php-layout.h"
#include "src/read/runtimes/php/php-stack.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY UINT64_C(0x7f0000000000)

enum {
	BLOCKS = 8,
	BYTES = BLOCKS * RECIPE_BLOCK,
	GLOBALS = 0,
	STACK = 0x1000, /* 0x100 for each frame, the outermost first */
	FUNCTIONS = 0x2000,
	OPS = 0x3000,
	NAMES = 0x5000,
	FILE_NAME = 0x6000,
	FRAMES =
		4, /* main, usort, which is internal, a function that it calls, and one more */
	ROUNDS = 3000,
};

struct made {
	const struct php_layout *layout;
	unsigned char bytes[BYTES];
	struct snapshot *snapshot;
	struct php_functions *functions;
};

static void put(struct made *made, size_t at, uint64_t word)
{
	memcpy(made->bytes + at, &word, sizeof(word));
}

static void put_text(struct made *made, size_t at, const char *text)
{
	put(made, at, UINT64_C(6) << 32 | 1);
	put(made, at + PHP_STRING_LENGTH, strlen(text));
	memcpy(made->bytes + at + PHP_STRING_BYTES, text, strlen(text));
}

static size_t read_made(void *context, uint64_t address, void *out, size_t length)
{
	const struct made *made = context;
	uint64_t at = address - MEMORY;
	if (at >= BYTES || length > BYTES - at)
		return 0;
	memcpy(out, made->bytes + at, length);
	return length;
}

static void sample(struct made *made)
{
	memcpy(made->snapshot->stack, made->bytes, BYTES);
}

static size_t frame_at(unsigned i)
{
	return STACK + 0x20 + i * 0x100u;
}

static size_t function_at(unsigned i)
{
	return FUNCTIONS + i * 0x100u;
}

static void put_function(struct made *made, unsigned i, const char *name)
{
	const struct php_layout *layout = made->layout;
	bool is_internal = i == 1;
	size_t at = function_at(i), ops = OPS + i * 0x200u;
	put(made, at, is_internal ? PHP_INTERNAL : PHP_USER);
	put(made, at + PHP_FUNCTION_NAME, name ? MEMORY + NAMES + i * 0x80u : 0);
	if (name)
		put_text(made, NAMES + i * 0x80u, name);
	if (is_internal)
		return;
	uint32_t last = 8, line = 10 * (i + 1);
	memcpy(made->bytes + at + layout->last, &last, sizeof(last));
	put(made, at + layout->opcodes, MEMORY + ops);
	put(made, at + layout->file, MEMORY + FILE_NAME);
	memcpy(made->bytes + at + layout->first_line, &line, sizeof(line));
	for (uint32_t k = 0; k < last; k++)
		put(made, ops + k * PHP_OP_BYTES + PHP_OP_LINE, line + k);
}

/* Each function is at its third instruction. */
static void put_frame(struct made *made, unsigned i, bool is_top)
{
	size_t at = frame_at(i);
	put(made, at + PHP_FRAME_OPLINE, MEMORY + OPS + i * 0x200u + 2 * PHP_OP_BYTES);
	put(made, at + PHP_FRAME_FUNCTION, MEMORY + function_at(i));
	put(made, at + PHP_FRAME_INFO, is_top ? PHP_INFO_TOP : 0);
	put(made, at + PHP_FRAME_PREVIOUS, i > 0 ? MEMORY + frame_at(i - 1) : 0);
}

static void init(struct made *made, uint32_t api)
{
	static const char *const names[FRAMES] = {NULL, "usort", "compare", "inner"};
	*made = (struct made){.layout = php_layout_of(api)};
	assert_non_null(made->layout);
	size_t globals = GLOBALS + made->layout->stack;
	put(made, globals + PHP_TOP_AT, MEMORY + frame_at(FRAMES));
	put(made, globals + PHP_LIMIT_AT, MEMORY + STACK + 0x1000);
	put(made, globals + PHP_START_AT, MEMORY + STACK);
	put(made, globals + PHP_CURRENT_AT, MEMORY + frame_at(FRAMES - 1));
	put_text(made, FILE_NAME, "/srv/file.php");
	for (unsigned i = 0; i < FRAMES; i++) {
		put_function(made, i, names[i]);
		put_frame(made, i, i == 0 || i == 2);
	}
	made->snapshot = mem_zalloc(sizeof(*made->snapshot) + BYTES);
	made->snapshot->second_result = RECIPE_DONE;
	made->snapshot->second_blocks = BLOCKS;
	for (unsigned i = 0; i < BLOCKS; i++)
		made->snapshot->second_addresses[i] = MEMORY + i * RECIPE_BLOCK;
	made->functions = php_functions_create(
		made->layout, &(struct target_memory){read_made, made});
	sample(made);
}

static void finish(struct made *made)
{
	php_functions_destroy(made->functions);
	free(made->snapshot);
}

static void read_stack(const struct made *made, struct script_stack *out)
{
	php_stack_read(
		made->layout, MEMORY + GLOBALS, made->functions, made->snapshot, out);
}

static void assert_end(const struct made *made, enum script_end end)
{
	struct script_stack stack;
	read_stack(made, &stack);
	assert_int_equal(stack.end, end);
}

static const uint32_t versions[] = {20210902, 20220829, 20230831, 20240924};

static void test_calls_from_c_are_segments(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
		struct made made;
		struct script_stack stack;
		struct script_function function;
		init(&made, versions[v]);
		read_stack(&made, &stack);
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
		assert_string_equal(function.name, "<main>");
		finish(&made);
	}
}

static void test_what_contradicts_itself_is_not_known(void **state)
{
	(void)state;
	struct made made;
	init(&made, versions[1]);
	/* above the top of the stack */
	put(&made, GLOBALS + made.layout->stack + PHP_TOP_AT, MEMORY + frame_at(3));
	sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	put(&made, GLOBALS + made.layout->stack + PHP_TOP_AT, MEMORY + frame_at(FRAMES));
	/* called by what lies above it */
	put(&made, frame_at(1) + PHP_FRAME_PREVIOUS, MEMORY + frame_at(2));
	sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	put(&made, frame_at(1) + PHP_FRAME_PREVIOUS, MEMORY + frame_at(0));
	/* a generator that nobody runs */
	put(&made, frame_at(0) + PHP_FRAME_INFO, PHP_INFO_TOP | PHP_INFO_GENERATOR);
	sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	/* nobody has called the outermost one */
	put(&made, frame_at(0) + PHP_FRAME_INFO, 0);
	sample(&made);
	assert_end(&made, SCRIPT_UNSURE);
	put(&made, GLOBALS + made.layout->stack + PHP_CURRENT_AT, 0);
	sample(&made);
	assert_end(&made, SCRIPT_NONE);
	finish(&made);
}

static void test_another_function_is_not_named(void **state)
{
	(void)state;
	struct made made;
	struct script_stack stack;
	struct script_function function;
	init(&made, versions[1]);
	read_stack(&made, &stack);
	put(&made, function_at(3) + made.layout->opcodes,
		MEMORY + OPS); /* after the sample */
	assert_false(php_functions_find(
		made.functions, made.snapshot, &stack.frames[0], &function));
	finish(&made);
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
	struct made made;
	init(&made, versions[1]);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct script_stack stack;
		struct script_function function;
		size_t at = (size_t)rand() % (BYTES - 8);
		uint64_t word = (uint64_t)rand() % BYTES;
		put(&made, at, rand() % 2 ? word + MEMORY : word);
		sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(rand() % RECIPE_RESULTS);
		made.snapshot->time_ns = round % 3 ? UINT64_MAX : 0;
		read_stack(&made, &stack);
		assert_true(stack.n_frames <= SCRIPT_FRAMES_MAX);
		for (uint32_t i = 0; i < stack.n_segments; i++)
			assert_true(stack.segments[i].first + stack.segments[i].count <=
				    stack.n_frames);
		for (uint32_t i = 0; i < stack.n_frames && i < FRAMES; i++)
			if (php_functions_find(made.functions, made.snapshot,
				    &stack.frames[i], &function))
				assert_true(strlen(function.name) < 8192);
	}
	finish(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_from_c_are_segments),
		cmocka_unit_test(test_what_contradicts_itself_is_not_known),
		cmocka_unit_test(test_another_function_is_not_named),
		cmocka_unit_test(test_registers_say_where_the_innermost_is),
		cmocka_unit_test(test_a_version_is_said),
		cmocka_unit_test(test_any_memory_is_survived),
	};
	return unit_run(tests);
}
