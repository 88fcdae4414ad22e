/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT's functions in a made-up memory: of the interpreter, also between two functions, of C, of compiled code;
   where the native frames are wrong; and what nobody should have. */

#include "src/read/runtimes/lua/luajit-layout.h"
#include "tests/lib/made-luajit.h"
#include "tests/lib/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 3000,
};

static struct profile *profile;
static struct address_space
	*space; /* ours, in which nothing of what is made up is mapped */

static void read_stack(struct made_luajit *made, struct script_stack *out)
{
	made_luajit_sample(made);
	luajit_stack_read(&made->place, made->snapshot, made->chain, out);
}

static void assert_frame(struct made_luajit *made, const struct script_frame *frame,
	const char *name, const char *file, uint32_t line)
{
	struct script_function found;
	assert_int_equal(
		luajit_codes_find(made->place.codes, frame, &found), SCRIPT_NAMED);
	assert_string_equal(found.name, name);
	assert_string_equal(found.file, file);
	assert_int_equal(found.line, line);
}

/* The comparator, which sort has called, at LINE; 0: it is not known. */
static void assert_whole(struct made_luajit *made, uint32_t line)
{
	struct script_stack stack;
	read_stack(made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 3);
	assert_int_equal(stack.n_segments, 2);
	assert_int_equal(
		stack.segments[0].mark, MADE_STACK + MADE_INNER + LUAJIT_CFRAME_STATE);
	assert_int_equal(
		stack.segments[1].mark, MADE_STACK + MADE_OUTER + LUAJIT_CFRAME_STATE);
	assert_int_equal(stack.segments[1].first, 1);
	assert_int_equal(stack.segments[1].count, 2);
	assert_frame(
		made, &stack.frames[0], "function <file.lua:3>", "dir/file.lua", line);
	assert_frame(made, &stack.frames[1], "sort", "[C]", 0);
	assert_frame(made, &stack.frames[2], "main chunk", "dir/file.lua", 2);
}

/* Sort, which the main chunk has called, is the innermost one. */
static void assert_sort(struct made_luajit *made)
{
	struct script_stack stack;
	made_luajit_put(made, MADE_STATE + LUAJIT_STATE_CFRAME, MADE_STACK + MADE_OUTER);
	memset(made->stack + MADE_INNER, 0, LUAJIT_CFRAME_BYTES);
	read_stack(made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_segments, 1);
	assert_int_equal(stack.n_frames, 2);
	assert_frame(made, &stack.frames[0], "sort", "[C]", 0);
}

static void test_functions_have_names_files_and_lines(void **state)
{
	(void)state;
	struct made_luajit made;
	made_luajit_init(&made, space);
	assert_whole(&made, 4);
	/* It is at its first instruction. */
	made_luajit_registers(&made, MADE_COMPARATOR_BASE,
		MADE_COMPARATOR_PROTO + MADE_CODE,
		MADE_COMPARATOR_PROTO + MADE_CONSTANTS);
	assert_whole(&made, 4);
	made_luajit_finish(&made);
}

/* The base is that of the called one, the instruction the caller's. */
static void test_between_two_functions(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	made_luajit_init(&made, space);
	made_luajit_put(&made, MADE_STATE + LUAJIT_STATE_CFRAME, MADE_STACK + MADE_OUTER);
	memset(made.stack + MADE_INNER, 0, LUAJIT_CFRAME_BYTES);
	made.chain->frames[1].sp = MADE_STACK + MADE_CALLER;
	made.chain->length = 2;
	made_luajit_registers(&made, MADE_SORT_BASE, MADE_MAIN_PROTO + MADE_CODE + 12,
		MADE_MAIN_PROTO + MADE_CONSTANTS);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 1);
	assert_frame(&made, &stack.frames[0], "main chunk", "dir/file.lua", 2);
	/* A function of C has instructions near the global state. */
	made_luajit_registers(&made, MADE_SORT_BASE, MADE_GLOBAL + 364, 0);
	assert_sort(&made);
	made_luajit_finish(&made);
}

/* What the interpreter has called knows its function by the coroutine, and there may be an instruction. */
static void test_c_that_the_interpreter_called(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	uint64_t pc = MADE_MEMORY + MADE_COMPARATOR_PROTO + MADE_CODE + 16;
	made_luajit_init(&made, space);
	made_luajit_registers(&made, 0, 0, 0);
	made_luajit_put(&made, MADE_STATE + LUAJIT_STATE_BASE,
		MADE_MEMORY + MADE_COMPARATOR_BASE);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_UNSURE); /* it has other constants */
	made.chain->frames[0].kept[1] =
		MADE_MEMORY + MADE_COMPARATOR_PROTO + MADE_CONSTANTS;
	assert_whole(&made, 0);
	memcpy(made.stack + MADE_INNER + LUAJIT_CFRAME_PC, &pc, sizeof(pc));
	assert_whole(&made, 6);
	/* While it compiles the constants are not there. */
	made.chain->frames[0].kept[1] = 0;
	made_luajit_put(&made, MADE_GLOBAL + LUAJIT_GLOBAL_MODE, (uint32_t)~4);
	assert_whole(&made, 6);
	made_luajit_put(
		&made, MADE_STATE + LUAJIT_STATE_BASE, MADE_MEMORY + MADE_SORT_BASE);
	assert_sort(&made);
	made_luajit_finish(&made);
}

static void test_a_trace_has_functions_that_it_has_not_called(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	made_luajit_init(&made, space);
	/* Nothing of the comparator is on Lua's stack. */
	memset(made.bytes + MADE_MAIN_BASE, 0, 0x100);
	made_luajit_run_trace(&made, 0x20);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 1);
	assert_frame(&made, &stack.frames[0], "main chunk", "dir/file.lua", 2);

	made_luajit_run_trace(&made, 0x40);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 2);
	assert_int_equal(stack.n_segments, 1);
	assert_frame(&made, &stack.frames[0], "sort", "dir/file.lua", 6);
	assert_frame(&made, &stack.frames[1], "main chunk", "dir/file.lua", 2);

	/* A trace that is gone: the function in which it began. */
	made_luajit_put(&made, MADE_TRACES + 8, 0);
	made.bytes[MADE_TRACE + LUAJIT_TYPE] = 0;
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 1);
	assert_frame(&made, &stack.frames[0], "main chunk", "dir/file.lua", 0);
	made_luajit_finish(&made);
}

static enum script_natives judge(
	struct made_luajit *made, uint32_t *length, struct arch_registers *registers)
{
	struct luajit_states states;
	made_luajit_sample(made);
	luajit_states_find(
		&made->place.globals, &made->place.memory, made->snapshot, &states);
	const struct luajit_natives natives = {
		space, &made->place.memory, &made->place.traces};
	return luajit_natives_check(
		&natives, &states, made->snapshot, made->chain, length, registers);
}

static void test_where_native_frames_are_wrong(void **state)
{
	(void)state;
	struct made_luajit made;
	struct arch_registers registers;
	uint32_t length = 0;
	made_luajit_init(&made, space);
	assert_int_equal(judge(&made, &length, &registers), SCRIPT_NATIVES_RIGHT);
	/* The inner C frame ends elsewhere, */
	made.chain->frames[1].sp += 8;
	assert_int_equal(judge(&made, &length, &registers), SCRIPT_NATIVES_WRONG);
	assert_int_equal(length, 1);
	assert_int_equal(registers.values[arch_sp], MADE_STACK + MADE_INNER + 80);
	assert_int_equal(registers.values[14], 0x105);
	assert_int_equal(registers.values[6], 0x108);
	assert_int_equal(registers.values[16], 0x109);
	/* or there is nothing behind the outer one. */
	made.chain->frames[1].sp -= 8;
	made.chain->length = 3;
	made.chain->end = UNWIND_BAD_MEMORY;
	assert_int_equal(judge(&made, &length, &registers), SCRIPT_NATIVES_WRONG);
	assert_int_equal(registers.values[arch_sp], MADE_STACK + MADE_CALLER);
	made.chain->length = 0;
	assert_int_equal(judge(&made, &length, &registers), SCRIPT_NATIVES_UNKNOWN);
	made_luajit_finish(&made);
}

static void test_what_contradicts_itself_is_not_believed(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	made_luajit_init(&made, space);
	/* an instruction that calls nothing */
	made_luajit_put(
		&made, MADE_SORT_BASE - 8, MADE_MEMORY + MADE_MAIN_PROTO + MADE_CODE + 8);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_UNSURE);
	/* a frame that was called by itself */
	made_luajit_put(&made, MADE_COMPARATOR_BASE - 8, LUAJIT_LINK_C);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_UNSURE);
	/* a trace at an instruction of another function */
	made_luajit_put(&made, MADE_MAP,
		(MADE_MEMORY + MADE_COMPARATOR_PROTO + MADE_CODE + 8) << 8);
	made_luajit_run_trace(&made, 0);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_UNSURE);
	made_luajit_finish(&made);
}

static void test_what_is_gone_has_no_name(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	struct script_function found;
	made_luajit_init(&made, space);
	read_stack(&made, &stack);
	/* Of a closure that is gone the function is still known, */
	memset(made.bytes + MADE_COMPARATOR, 0, LUAJIT_FUNCTION_BYTES);
	assert_frame(&made, &stack.frames[0], "function <file.lua:3>", "dir/file.lua", 4);
	memset(made.bytes + MADE_COMPARATOR_PROTO, 0, LUAJIT_PROTO_BYTES);
	assert_int_equal(luajit_codes_find(made.place.codes, &stack.frames[0], &found),
		SCRIPT_GONE);
	made_luajit_finish(&made);
}

static void test_a_global_state_is_found_by_its_shape(void **state)
{
	(void)state;
	struct made_luajit made;
	struct script_stack stack;
	made_luajit_init(&made, space);
	made.place.globals.n = 0;
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_NONE);
	assert_int_equal(made.place.globals.n, 1);
	assert_int_equal(made.place.globals.list[0], MADE_MEMORY + MADE_GLOBAL);
	assert_whole(&made, 4);
	made_luajit_finish(&made);
}

static void test_any_words(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct made_luajit made;
		struct script_stack stack;
		struct script_function found;
		made_luajit_init(&made, space);
		if (round % 3 == 0)
			made_luajit_run_trace(&made, round % MADE_TRACE_BYTES);
		for (unsigned i = 0; i < 1 + round % 20; i++)
			made_luajit_put(&made, (size_t)rand() % (MADE_BYTES / 8) * 8,
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
			if (luajit_codes_find(made.place.codes, &stack.frames[i],
				    &found) == SCRIPT_NAMED)
				assert_true(found.name && found.file);
		made_luajit_finish(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_have_names_files_and_lines),
		cmocka_unit_test(test_between_two_functions),
		cmocka_unit_test(test_c_that_the_interpreter_called),
		cmocka_unit_test(test_a_trace_has_functions_that_it_has_not_called),
		cmocka_unit_test(test_where_native_frames_are_wrong),
		cmocka_unit_test(test_what_contradicts_itself_is_not_believed),
		cmocka_unit_test(test_what_is_gone_has_no_name),
		cmocka_unit_test(test_a_global_state_is_found_by_its_shape),
		cmocka_unit_test(test_any_words),
	};
	profile = profile_create();
	space = address_space_create(-1, profile, NULL, NULL, NULL);
	int status = unit_run(tests);
	address_space_destroy(space);
	profile_unref(profile);
	return status;
}
