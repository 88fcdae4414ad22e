/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disassembler: what its process may do, what it answers, and what happens when it dies. */

#include "tests/lib/begins.h"
#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/base/rights/sanitized.h"
#include "src/read/assembly/disassembler.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- answers ----------------------------------------------------------------------- */

static const unsigned char known[] = {
	0x55,			      /* push rbp */
	0x48, 0x8b, 0x47, 0x08,	      /* mov rax, [rdi + 8] */
	0xe8, 0x10, 0x00, 0x00, 0x00, /* call to what is 16 bytes behind it */
	0x74, 0xfe,		      /* je to itself */
	0x06,			      /* no instruction of 64-bit code */
	0xc3,			      /* ret */
};

static const char *text_of(const struct disassembler *disassembler, size_t index,
	enum assembly_syntax syntax)
{
	size_t count, bytes;
	const struct disassembled *all = disassembler_result(disassembler, &count);
	const char *strings = disassembler_strings(disassembler, &bytes);
	assert_in_range(index, 0, count - 1);
	assert_in_range(all[index].texts[syntax], 0, bytes - 1);
	return strings + all[index].texts[syntax];
}

static void expect_known(struct disassembler *disassembler)
{
	size_t count;
	disassembler_start(disassembler, known, sizeof(known), 0x1000);
	disassembler_wait(disassembler);
	assert_null(disassembler_failure(disassembler));
	const struct disassembled *all = disassembler_result(disassembler, &count);
	assert_int_equal(count, 6);
	assert_string_equal(text_of(disassembler, 0, ASSEMBLY_ATT), "pushq %rbp");
	assert_string_equal(text_of(disassembler, 1, ASSEMBLY_ATT), "movq 8(%rdi), %rax");
	assert_string_equal(
		text_of(disassembler, 1, ASSEMBLY_INTEL), "mov rax, qword ptr [rdi + 8]");
	assert_string_equal(text_of(disassembler, 2, ASSEMBLY_INTEL), "call 0x101a");
	assert_string_equal(text_of(disassembler, 3, ASSEMBLY_ATT), "je 0x100a");
	assert_string_equal(text_of(disassembler, 4, ASSEMBLY_ATT), ".byte 0x06");
	assert_string_equal(text_of(disassembler, 5, ASSEMBLY_INTEL), "ret");
	assert_true(all[4].is_unknown && !all[3].is_unknown);
	assert_int_equal(all[5].offset, sizeof(known) - 1);
}

static void test_it_may_do_next_to_nothing(void **state)
{
	(void)state;
	struct disassembler *disassembler = disassembler_create();
	expect_known(disassembler);
	pid_t works = process_await_only_child(getpid());
	assert_true(process_comm_is(works, "cproftop-asm"));
	assert_int_equal(process_status(works, "NoNewPrivs", 10), 1);
	assert_int_equal(process_status(works, "CapEff", 16), 0);
	assert_int_equal(process_status(works, "CapPrm", 16), 0);
#ifndef SANITIZED
	assert_int_equal(process_status(works, "Seccomp", 10), 2);
#endif
	if (geteuid() == 0)
		assert_int_not_equal(process_status(works, "Uid", 10), 0);
	disassembler_destroy(disassembler);
	assert_true(kill(works, 0) != 0 && errno == ESRCH);
}

/* The first code does not fit into one request, and some instruction lies across the end of
   each; 10 bytes do not divide 16 KiB. */
static void test_long_code_is_one_answer(void **state)
{
	(void)state;
	static const unsigned char move[] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8};
	enum {
		MOVES = 5000
	};
	static unsigned char code[MOVES * sizeof(move)];
	struct disassembler *disassembler = disassembler_create();
	size_t count;
	for (size_t i = 0; i < MOVES; i++)
		memcpy(code + i * sizeof(move), move, sizeof(move));
	disassembler_start(disassembler, code, sizeof(code), 0);
	disassembler_wait(disassembler);
	const struct disassembled *all = disassembler_result(disassembler, &count);
	assert_int_equal(count, MOVES);
	for (size_t i = 0; i < MOVES; i++) {
		assert_int_equal(all[i].offset, i * sizeof(move));
		assert_int_equal(all[i].length, sizeof(move));
		assert_string_equal(text_of(disassembler, i, ASSEMBLY_INTEL),
			"movabs rax, 0x807060504030201");
	}
	expect_known(disassembler); /* and it can be asked again */
	disassembler_destroy(disassembler);
}

static void test_any_bytes_are_taken_to_their_end(void **state)
{
	(void)state;
	static unsigned char code[DISASSEMBLER_BYTES_MAX];
	struct disassembler *disassembler = disassembler_create();
	size_t count, at = 0;
	srand(17);
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (unsigned char)rand();
	disassembler_start(disassembler, code, sizeof(code), UINT64_MAX - 100);
	disassembler_wait(disassembler);
	assert_null(disassembler_failure(disassembler));
	const struct disassembled *all = disassembler_result(disassembler, &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(all[i].offset, at);
		assert_true(text_of(disassembler, i, ASSEMBLY_ATT)[0] != '\0');
		at += all[i].length;
	}
	assert_int_equal(at, sizeof(code));
	disassembler_start(disassembler, code, 0, 0);
	disassembler_wait(disassembler);
	disassembler_result(disassembler, &count);
	assert_int_equal(count, 0);
	disassembler_destroy(disassembler);
}

/* --- when it dies ------------------------------------------------------------------ */

static void test_only_the_code_that_it_dies_of_has_no_instructions(void **state)
{
	(void)state;
	static const unsigned char code[DISASSEMBLER_BYTES_MAX];
	struct disassembler *disassembler = disassembler_create();
	expect_known(disassembler);

	/* Once may have been for another reason: asked again, it answers. */
	pid_t first = process_await_only_child(getpid());
	kill(first, SIGSTOP);
	disassembler_start(disassembler, known, sizeof(known), 0);
	kill(first, SIGKILL);
	disassembler_wait(disassembler);
	assert_null(disassembler_failure(disassembler));

	/* Twice for the same code is its fault. It must be met while it works: of a few bytes
	   that is hardly ever. */
	for (unsigned tries = 0; !disassembler_failure(disassembler); tries++) {
		assert_in_range(tries, 0, 1000);
		disassembler_start(disassembler, code, sizeof(code), 0);
		while (!disassembler_advance(disassembler)) {
			pid_t works = process_only_child(getpid());
			if (works)
				kill(works, SIGKILL);
		}
	}
	expect_known(disassembler);
	disassembler_destroy(disassembler);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_may_do_next_to_nothing),
		cmocka_unit_test(test_long_code_is_one_answer),
		cmocka_unit_test(test_any_bytes_are_taken_to_their_end),
		cmocka_unit_test(test_only_the_code_that_it_dies_of_has_no_instructions),
	};
	return unit_run(tests);
}
