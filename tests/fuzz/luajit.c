/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT's frames, functions and traces: a sound process, in which any words are then any others, before the
 * sample and after it. */

#include "src/facts/profile.h"
#include "src/read/runtimes/lua/luajit-states.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-luajit.h"

#include <string.h>

/* A small number, a bad one, or an address in the made-up memory. */
static uint64_t take_word(struct input *input)
{
	uint64_t word = input_number(input, 3);
	return word & 0x800000	 ? word + MADE_MEMORY - 0x800000
	       : word & 0x400000 ? ~word
				 : word;
}

static void change(struct made_luajit *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 2) % (MADE_BYTES - 8);
		made_luajit_put(made, at, take_word(input));
	}
}

static void check_natives(struct made_luajit *made)
{
	struct luajit_states states;
	struct arch_registers registers;
	uint32_t length = 0;
	luajit_states_find(
		&made->place.globals, &made->place.memory, made->snapshot, &states);
	const struct luajit_natives natives = {
		made->place.space, &made->place.memory, &made->place.traces};
	if (luajit_natives_check(&natives, &states, made->snapshot, made->chain, &length,
		    &registers) == SCRIPT_NATIVES_WRONG)
		FUZZ_CHECK(length > 0 && length <= made->chain->length);
}

static void check_stack(struct made_luajit *made)
{
	static struct script_stack stack;
	struct script_function found;
	luajit_stack_read(&made->place, made->snapshot, made->chain, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_frames && i < 8; i++)
		if (luajit_codes_find(made->place.codes, &stack.frames[i], &found) ==
			SCRIPT_NAMED)
			FUZZ_CHECK(
				strlen(found.name) < 4096 && strlen(found.file) < 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct made_luajit made;
	static struct address_space *space;
	struct input input = {bytes, bytes + size};
	if (!space) /* without any mapping */
		space = address_space_create(-1, profile_create(), NULL, NULL, NULL);
	made_luajit_init(&made, space);
	for (unsigned round = 0; round < 3; round++) {
		unsigned shape = (unsigned)input_number(&input, 1);
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		if (shape & 1)
			made_luajit_run_trace(&made, shape * MADE_TRACE_BYTES / 256);
		else if (shape & 2)
			made_luajit_registers(&made, (size_t)input_number(&input, 2),
				(size_t)input_number(&input, 2),
				(size_t)input_number(&input, 2));
		if (shape & 4)
			memset(made.stack + input_number(&input, 2) % MADE_STACK_BYTES,
				(int)input_number(&input, 1), 1);
		made.place.globals.n = shape & 8 ? 0 : 1;
		made_luajit_sample(&made);
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_natives(&made);
		check_stack(&made);
	}
	made_luajit_finish(&made);
	return 0;
}
