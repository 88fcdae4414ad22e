/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lua's functions in a made-up memory: as each version has them, in the moments in which a function is
   entered or left, and as nobody should. */

#include "tests/lib/made-lua.h"
#include "tests/lib/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 3000,
	RELEASES = 5,
};

static const char *const releases[RELEASES] = {
	"5.1.5", "5.2.4", "5.3.6", "5.4.0", "5.4.6"};

static void read_stack(struct made_lua *made, struct script_stack *out)
{
	made_lua_sample(made);
	lua_stack_read(&made->place, made->snapshot, made->chain, out);
}

static void assert_frame(struct made_lua *made, const struct script_frame *frame,
	const char *name, const char *file, uint32_t line)
{
	struct script_function found;
	assert_int_equal(lua_codes_find(made->place.codes, made->snapshot, frame, &found),
		SCRIPT_NAMED);
	assert_string_equal(found.name, name);
	assert_string_equal(found.file, file);
	assert_int_equal(found.line, line);
}

static void test_functions_have_names_files_and_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		made_lua_init(&made, releases[i]);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		assert_int_equal(stack.n_segments, 2);
		assert_int_equal(stack.segments[0].mark, MADE_STACK + 16);
		assert_int_equal(stack.segments[1].mark, MADE_STACK + 16 + 64);
		assert_int_equal(stack.segments[1].first, 1);
		assert_int_equal(stack.segments[1].count, 2);
		assert_frame(&made, &stack.frames[0], "function <file.lua:3>",
			"dir/file.lua", 5);
		assert_frame(&made, &stack.frames[1], "sort", "[C]", 0);
		assert_frame(&made, &stack.frames[2], "main chunk", "dir/file.lua", 2);
		made_lua_finish(&made);
	}
}

/* The loop has a call for it only later, and no more earlier. */
static void test_a_function_that_is_entered_or_left(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		made_lua_init(&made, releases[i]);
		made_lua_chain(&made, 1, false);
		made_lua_put(&made, made_lua_pc(&made),
			MADE_MEMORY + MADE_FUNCTIONS + MADE_CODE);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		assert_int_equal(stack.n_segments, 1);
		assert_int_equal(stack.segments[0].first, 1);

		made_lua_chain(&made, 2, true);
		made_lua_enter(&made, MADE_SORT);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		assert_int_equal(stack.n_segments, 1);
		assert_int_equal(stack.segments[0].mark, MADE_STACK + 16 + 64);
		made_lua_finish(&made);
	}
}

static void test_what_contradicts_itself_is_not_believed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		made_lua_init(&made, releases[i]);
		/* more calls of the loop than segments */
		made_lua_chain(&made, 4, false);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_UNSURE);
		made_lua_chain(&made, 2, true);
		/* another function's instruction */
		made_lua_put(&made, made_lua_pc(&made),
			MADE_MEMORY + MADE_FUNCTIONS + 0x1000 + MADE_CODE);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_UNSURE);
		/* calls that do not end */
		if (made.place.layout->is_array)
			made_lua_put(&made, MADE_STATE + made.place.layout->state_base,
				MADE_MEMORY);
		else
			made_lua_put(&made,
				MADE_CALLS + 0x100 + made.place.layout->call_previous,
				MADE_MEMORY + MADE_CALLS + 0x100);
		read_stack(&made, &stack);
		assert_int_not_equal(stack.end, SCRIPT_ALL);
		made_lua_finish(&made);
	}
}

/* A coroutine catches its errors where it was resumed: what the loop runs farther up is not its own, also if
   its innermost call has just been left. */
static void test_who_resumed_it_was_not_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		made_lua_init(&made, releases[i]);
		made_lua_chain(&made, 3, false);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		made_lua_put(&made, MADE_STATE + made.place.layout->state_jump,
			MADE_STACK + 16 + 32 * 4);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_UNSURE);
		made_lua_finish(&made);
	}
}

static void test_what_is_gone_has_no_name(void **state)
{
	(void)state;
	struct made_lua made;
	struct script_stack stack;
	struct script_function found;
	made_lua_init(&made, "5.4.6");
	read_stack(&made, &stack);
	memset(made.bytes + MADE_FUNCTIONS, 0, 0x1000);
	assert_int_equal(
		lua_codes_find(made.place.codes, made.snapshot, &stack.frames[0], &found),
		SCRIPT_GONE);
	made_lua_finish(&made);
}

/* The call has its function already, but the instruction is one of the call before it. */
static void test_a_call_half_written_of_a_function_that_is_gone(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		struct script_function found;
		made_lua_init(&made, releases[i]);
		read_stack(&made, &stack); /* both functions are known since */
		made_lua_put(&made, made_lua_pc(&made),
			MADE_MEMORY + MADE_FUNCTIONS + 0x1000 + MADE_CODE + 8);
		made_lua_sample(&made);
		made.bytes[MADE_FUNCTIONS + LUA_TAG] = 0;
		lua_stack_read(&made.place, made.snapshot, made.chain, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		assert_int_equal(lua_codes_find(made.place.codes, made.snapshot,
					 &stack.frames[0], &found),
			SCRIPT_GONE);
		made_lua_finish(&made);
	}
}

static void test_a_state_is_found_by_its_shape(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RELEASES; i++) {
		struct made_lua made;
		struct script_stack stack;
		made_lua_init(&made, releases[i]);
		made.place.n_globals = 0;
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_UNSURE);
		assert_int_equal(made.place.n_globals, 1);
		assert_int_equal(made.place.globals[0], MADE_MEMORY + MADE_GLOBAL);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_ALL);
		made_lua_finish(&made);
	}
}

static void test_any_words(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct made_lua made;
		struct script_stack stack;
		struct script_function found;
		made_lua_init(&made, releases[round % RELEASES]);
		for (unsigned i = 0; i < 1 + round % 20; i++)
			made_lua_put(&made, (size_t)rand() % (MADE_BYTES / 8) * 8,
				rand() % 2 ? MADE_MEMORY + (size_t)rand() % MADE_BYTES
					   : (uint64_t)rand());
		read_stack(&made, &stack);
		uint32_t next = 0;
		for (uint32_t i = 0; i < stack.n_segments; i++) {
			assert_true(stack.segments[i].first >= next);
			next = stack.segments[i].first + stack.segments[i].count;
		}
		assert_true(next <= SCRIPT_FRAMES_MAX);
		for (uint32_t i = 0; i < stack.n_frames && i < 8; i++)
			if (lua_codes_find(made.place.codes, made.snapshot,
				    &stack.frames[i], &found) == SCRIPT_NAMED)
				assert_true(found.name && found.file);
		made_lua_finish(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_have_names_files_and_lines),
		cmocka_unit_test(test_a_function_that_is_entered_or_left),
		cmocka_unit_test(test_what_contradicts_itself_is_not_believed),
		cmocka_unit_test(test_who_resumed_it_was_not_found),
		cmocka_unit_test(test_what_is_gone_has_no_name),
		cmocka_unit_test(test_a_call_half_written_of_a_function_that_is_gone),
		cmocka_unit_test(test_a_state_is_found_by_its_shape),
		cmocka_unit_test(test_any_words),
	};
	return unit_run(tests);
}
