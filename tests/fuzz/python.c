/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python's frames and functions: a sound process, in which any words are then any others, before
 * the sample and after it. The rest of the bytes is a table of lines. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/lib/made-python.h"

#include "src/read/runtimes/python/python-lines.h"

#include <string.h>

/* Change COUNT words: to a small number, or an address in the made-up memory. */
static void change(struct made_python *made, struct input *input, unsigned count)
{
	for (unsigned i = 0; i < count && input_left(input) > 0; i++) {
		size_t at = input_number(input, 2) % (MADE_BYTES - 8);
		uint64_t word = input_number(input, 3);
		if (word & 0x800000)
			word += MADE_MEMORY - 0x800000;
		else if (word & 0x400000)
			word = ~word;
		made_python_put(made, at, word);
	}
}

static void check_function(struct python_codes *codes, const struct made_python *made,
	const struct script_frame *frame)
{
	uint32_t line;
	const struct python_code *code =
		python_codes_find(codes, made->snapshot, frame, &line);
	FUZZ_CHECK(!code || (code->name && code->file));
	FUZZ_CHECK(!code || (strlen(code->name) < 4096 && strlen(code->file) < 4096));
}

static void check_stack(const struct made_python *made, struct python_codes *codes)
{
	static struct script_stack stack;
	python_stack_read(made->layout, made->place, made->snapshot, &stack);
	FUZZ_CHECK(stack.n_frames <= SCRIPT_FRAMES_MAX);
	FUZZ_CHECK(stack.n_segments <= SCRIPT_FRAMES_MAX);
	for (uint32_t i = 0; i < stack.n_segments; i++)
		FUZZ_CHECK(stack.segments[i].first + stack.segments[i].count <=
			   stack.n_frames);
	for (uint32_t i = 0; i < stack.n_frames && i < MADE_FUNCTIONS; i++)
		check_function(codes, made, &stack.frames[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const unsigned calls[] = {2, 1, 3, 0};
	static struct made_python made;
	struct input input = {bytes, bytes + size};
	unsigned version = 0x0307 + (unsigned)input_number(&input, 1) % 9;
	made_python_init(&made, version, calls);
	struct python_codes *codes = python_codes_create(made.layout, &made.memory);
	for (unsigned round = 0; round < 3; round++) {
		change(&made, &input, (unsigned)input_number(&input, 1) % 16);
		made_python_sample(&made);
		made.snapshot->second_result =
			(enum recipe_result)(input_number(&input, 1) % RECIPE_RESULTS);
		made.snapshot->time_ns = round == 2 ? UINT64_MAX : round;
		change(&made, &input, (unsigned)input_number(&input, 1) % 4);
		check_stack(&made, codes);
	}
	python_codes_destroy(codes);
	made_python_finish(&made);
	for (uint64_t unit = 0; unit < 64; unit += 3)
		python_line((enum python_lines)(unit % 3), input.at, input_left(&input),
			1, unit);
	return 0;
}
