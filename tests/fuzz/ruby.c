/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ruby's frames and functions: a sound process, in which any words are then any others, before the
 * sample and after it. The rest of the bytes says which lines code has. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-ruby.h"

#include <string.h>

/* Change COUNT words: to a small number, or an address in the made-up memory. */
static void change(struct made_ruby *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 3) % (RUBY_BYTES - 8);
		uint64_t word = input_number(input, 3);
		if (word & 0x800000)
			word += RUBY_MEMORY - 0x800000;
		else if (word & 0x400000)
			word = ~word;
		made_ruby_put(made, at, word);
	}
}

static void check_stack(const struct made_ruby *made, struct ruby_codes *codes)
{
	static struct script_stack stack;
	struct script_function function;
	ruby_stack_read(made->layout, &made->place, made->snapshot, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   stack.n_frames);
	for (uint32_t i = 0; i < stack.n_frames && i < RUBY_METHODS; i++)
		if (ruby_codes_find(codes, made->snapshot, &stack.frames[i], &function) ==
			SCRIPT_NAMED)
			FUZZ_CHECK(strlen(function.name) < 8192 &&
				   strlen(function.file) < 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const unsigned calls[] = {2, 1, 3, 0};
	static struct made_ruby made;
	struct input input = {bytes, bytes + size};
	made_ruby_version = size % 2 ? 0x0303 : 0x0301;
	made_ruby_init(&made, calls);
	ruby_objects_learn(&made.objects, RUBY_MEMORY + RUBY_CLASS);
	struct ruby_codes *codes = ruby_codes_create(&made.objects, &made.place);
	for (unsigned round = 0; round < 3; round++) {
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		made_ruby_sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(input_number(&input, 1) % RECIPE_RESULTS);
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_stack(&made, codes);
	}
	ruby_codes_destroy(codes);
	made_ruby_finish(&made);
	for (uint64_t word = 0; word < 1200; word += 7)
		ruby_line_entry(input.at, input_left(&input), word, 9);
	return 0;
}
