/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl's frames and functions: a sound process, in which any words are then any others, before the
 * sample and after it. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-perl.h"

#include <string.h>

/* Change COUNT words: to a small number, or an address in the made-up memory. */
static void change(struct made_perl *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 2) % (MADE_BYTES - 8);
		uint64_t word = input_number(input, 3);
		if (word & 0x800000)
			word += MADE_MEMORY - 0x800000;
		else if (word & 0x400000)
			word = ~word;
		made_perl_put(made, at, word);
	}
}

static void check_stack(const struct made_perl *made, struct perl_codes *codes)
{
	static struct script_stack stack;
	struct script_function found;
	stack.n_inner = 0;
	stack.resting = UINT32_MAX;
	perl_stack_read(made->layout, made->place, made->snapshot, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_inner <= SCRIPT_INNER_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   stack.n_frames);
	for (uint32_t i = 0; i < stack.n_frames && i < 8; i++)
		if (perl_codes_find(codes, made->snapshot, MADE_MEMORY + MADE_INTERPRETER,
			    &stack.frames[i], &found) == SCRIPT_NAMED)
			FUZZ_CHECK(
				strlen(found.name) < 4096 && strlen(found.file) < 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct made_perl made;
	struct input input = {bytes, bytes + size};
	made_perl_init(&made, 32 + 2 * ((unsigned)input_number(&input, 1) % 5));
	struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
	for (unsigned round = 0; round < 3; round++) {
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		made_perl_sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(input_number(&input, 1) % RECIPE_RESULTS);
		made.snapshot->time_ns = round == 2 ? UINT64_MAX : round;
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_stack(&made, codes);
	}
	perl_codes_destroy(codes);
	made_perl_finish(&made);
	return 0;
}
