/* SPDX-License-Identifier: GPL-2.0-or-later */
/* haskell-stack: frames in a made-up memory, as GHC lays them out, and as nobody should. */

#include "tests/lib/unit.h"

#include "src/read/runtimes/haskell/haskell-stack.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORDS = 256,
	INFO_BYTES = 16,
	ROUNDS = 20000,
};

#define STACK UINT64_C(0x4200000000)
#define CODE  UINT64_C(0x400000)

struct program {
	uint64_t stack[WORDS];
	unsigned char code[8 * WORDS];
	unsigned reads;
};

static bool read_stack(void *context, uint64_t address, uint64_t *word)
{
	struct program *program = context;
	program->reads++;
	if (address < STACK || (address - STACK) / 8 >= WORDS)
		return false;
	*word = program->stack[(address - STACK) / 8];
	return true;
}

static bool read_code(void *context, uint64_t address, void *out, size_t length)
{
	struct program *program = context;
	uint64_t at = address - CODE;
	if (address < CODE || at > sizeof(program->code) ||
		length > sizeof(program->code) - at)
		return false;
	memcpy(out, program->code + at, length);
	return true;
}

/* Put the table for code at CODE + AT. */
static uint64_t code_of(
	struct program *program, size_t at, uint64_t layout, uint32_t kind)
{
	memcpy(program->code + at - INFO_BYTES, &layout, sizeof(layout));
	memcpy(program->code + at - sizeof(layout), &kind, sizeof(kind));
	return CODE + at;
}

static void test_sizes_of_frames(void **state)
{
	(void)state;
	struct program program = {.stack = {[1] = 4, [100] = 0}};
	const uint64_t large = 77;
	const struct {
		uint64_t layout;
		uint32_t kind;
		uint64_t words; /* 0: no frame */
	} cases[] = {
		{0, 30, 1},
		{(5 << 6) + 3, 30, 4},
		{(UINT64_C(1) << 63) + 58, 30, 59},
		{(8 << 6) + 3, 30, 0}, /* a bit for a word that it does not have */
		{63, 30, 0},
		{1, 33, 2},
		{2, 34, 3},
		{1, 55, 2},
		{1, 56, 2},
		{2, 57, 3},
		{0, 32, 3 + 4},
		{(uint32_t)-128, 31, 78},
		{1 << 20, 31, 0}, /* nothing is there */
		{0, 29, 0},
		{0, 8, 0},
		{0, 0, 0},
	};
	struct haskell_memory memory = {read_stack, read_code, &program};
	memcpy(program.code + 512 - 128, &large, sizeof(large));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		program.stack[0] = code_of(&program, 512, cases[i].layout, cases[i].kind);
		struct haskell_frame frame = haskell_frame_at(&memory, STACK);
		assert_int_equal(
			frame.kind, cases[i].words ? HASKELL_RETURN : HASKELL_NONE);
		if (cases[i].words)
			assert_int_equal(frame.next, STACK + 8 * cases[i].words);
		assert_int_equal(frame.pc, program.stack[0]);
	}
}

static void test_frames_are_found_above_arguments(void **state)
{
	(void)state;
	struct program program = {.stack = {[0] = 7, [1] = CODE + 3, [2] = STACK}};
	struct haskell_memory memory = {read_stack, read_code, &program};
	program.stack[3] = code_of(&program, 64, 1, 30);
	program.stack[5] = code_of(&program, 128, 2, 34);
	program.stack[8] = code_of(&program, 256, 0, 36);
	assert_int_equal(haskell_find_frame(&memory, STACK), STACK + 3 * 8);
	assert_int_equal(haskell_frame_at(&memory, STACK + 8 * 8).kind, HASKELL_FIRST);
	program.stack[8] = code_of(&program, 256, 1, 35);
	assert_int_equal(haskell_find_frame(&memory, STACK), STACK + 3 * 8);
	assert_int_equal(haskell_frame_at(&memory, STACK + 8 * 8).kind, HASKELL_CHUNK);
	program.stack[9] = 4711;
	assert_int_equal(haskell_frame_at(&memory, STACK + 8 * 8).next, 4711);
	/* Not those that lead nowhere; and what follows these is not taken instead. */
	program.stack[5] = 0;
	assert_int_equal(haskell_find_frame(&memory, STACK), 0);
	assert_int_equal(haskell_find_frame(&memory, STACK + 1), 0);
	assert_int_equal(haskell_find_frame(&memory, STACK + 8 * WORDS), 0);
}

/* Of frames of one word that never end, or of sizes at random, no more is read than a
   chunk has. */
static void test_hostile_frames(void **state)
{
	(void)state;
	struct program program = {.reads = 0};
	struct haskell_memory memory = {read_stack, read_code, &program};
	uint64_t code = code_of(&program, 64, 0, 30);
	for (size_t i = 0; i < WORDS; i++)
		program.stack[i] = code;
	assert_int_equal(haskell_find_frame(&memory, STACK), 0);
	srand(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < sizeof(program.code); i++)
			program.code[i] = (unsigned char)(rand() % 64);
		for (size_t i = 0; i < WORDS; i++)
			program.stack[i] = CODE + 8 * (uint64_t)(rand() % WORDS);
		program.reads = 0;
		uint64_t found = haskell_find_frame(&memory, STACK);
		assert_true(found == 0 || (found >= STACK && found < STACK + 8 * WORDS));
		assert_true(program.reads <= 4 * WORDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_of_frames),
		cmocka_unit_test(test_frames_are_found_above_arguments),
		cmocka_unit_test(test_hostile_frames),
	};
	return unit_run(tests);
}
