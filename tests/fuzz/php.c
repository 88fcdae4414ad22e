/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PHP's frames and functions: a sound process, in which any words are then any others, before the
 * sample and after it. The rest of the bytes is where the version is looked for. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-php.h"

#include <string.h>

/* Change COUNT words: to a small number, or an address in the made-up memory. */
static void change(struct made_php *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 2) % (MADE_BYTES - 8);
		uint64_t word = input_number(input, 3);
		if (word & 0x800000)
			word += PHP_MEMORY - 0x800000;
		else if (word & 0x400000)
			word = ~word;
		made_php_put(made, at, word);
	}
}

static void check_stack(const struct made_php *made)
{
	static struct script_stack stack;
	struct script_function function;
	made_php_stack(made, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   stack.n_frames);
	for (uint32_t i = 0; i < stack.n_frames && i < 2 * MADE_FRAMES; i++)
		if (php_functions_find(
			    made->functions, made->snapshot, &stack.frames[i], &function))
			FUZZ_CHECK(strlen(function.name) < 8192 &&
				   strlen(function.file) < 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint32_t versions[] = {20210902, 20220829, 20230831, 20240924};
	static struct made_php made;
	uint64_t settled[8];
	bool is_other;
	struct input input = {bytes, bytes + size};
	unsigned version = (unsigned)input_number(&input, 1);
	made_php_init(&made, versions[version % 4]);
	made.shared_from = version & 4 ? MADE_OPS : MADE_BYTES;
	for (unsigned round = 0; round < 12; round++) {
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		made_php_sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(input_number(&input, 1) % RECIPE_RESULTS);
		/* Blocks that were not copied, and functions that are known without. */
		made.snapshot->second_blocks =
			MADE_BLOCKS - (unsigned)input_number(&input, 1) % MADE_BLOCKS;
		made.snapshot->time_ns = round * UINT64_C(1000000000);
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_stack(&made);
		FUZZ_CHECK(php_functions_settled(made.functions, settled, 8) <= 8);
	}
	made_php_finish(&made);
	php_api_in(input.at, input_left(&input), &is_other);
	return 0;
}
