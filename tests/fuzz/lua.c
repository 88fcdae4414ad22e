/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lua's calls and functions: a sound process, in which any words are then any others, before the
 * sample and after it. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-lua.h"

#include <string.h>

/* Change COUNT words: to a small number, or an address in the made-up memory. */
static void change(struct made_lua *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 2) % (MADE_BYTES - 8);
		uint64_t word = input_number(input, 3);
		if (word & 0x800000)
			word += MADE_MEMORY - 0x800000;
		else if (word & 0x400000)
			word = ~word;
		made_lua_put(made, at, word);
	}
}

static void check_stack(struct made_lua *made)
{
	static struct script_stack stack;
	struct script_function found;
	lua_stack_read(&made->place, made->snapshot, made->chain, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_frames && i < 8; i++)
		if (lua_codes_find(made->place.codes, made->snapshot, &stack.frames[i],
			    &found) == SCRIPT_NAMED)
			FUZZ_CHECK(
				strlen(found.name) < 4096 && strlen(found.file) < 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const releases[] = {
		"5.2.4", "5.3.6", "5.4.0", "5.4.6", "5.1.5"};
	static struct made_lua made;
	struct input input = {bytes, bytes + size};
	made_lua_init(&made, releases[input_number(&input, 1) % 5]);
	for (unsigned round = 0; round < 3; round++) {
		unsigned shape = (unsigned)input_number(&input, 1);
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		made_lua_chain(&made, shape % 4, shape & 4);
		made.place.n_globals = shape & 8 ? 1 : 0;
		made_lua_sample(&made);
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_stack(&made);
	}
	made_lua_finish(&made);
	return 0;
}
