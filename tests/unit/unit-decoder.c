/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decoder: instructions as texts, of any bytes. */
#include "config.h"
#include "tests/lib/unit.h"

#include "src/read/assembly/decoder.h"

#include <stdlib.h>
#include <string.h>

static struct decoded next(struct decoder *decoder, const unsigned char *code,
	size_t length, uint64_t address)
{
	struct decoded decoded;
	decoder_next(decoder, code, length, address, &decoded);
	assert_in_range(decoded.length, 1, length);
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		assert_in_range(strlen(decoded.texts[i]), 1, DECODER_TEXT_MAX - 1);
		for (const char *at = decoded.texts[i]; *at; at++)
			assert_in_range(*at, ' ', '~');
	}
	return decoded;
}

static void test_known_code(void **state)
{
	(void)state;
	static const unsigned char code[] = {
		0x55,			      /* push rbp */
		0x48, 0x8b, 0x47, 0x08,	      /* mov rax, [rdi + 8] */
		0xe8, 0x10, 0x00, 0x00, 0x00, /* call to what is 16 bytes behind it */
		0x74, 0xfe,		      /* je to itself */
		0x06,			      /* no instruction of 64-bit code */
		0xc3,			      /* ret */
	};
	static const char *const texts[][ASSEMBLY_SYNTAXES] = {
		{"pushq %rbp", "push rbp"},
		{"movq 8(%rdi), %rax", "mov rax, qword ptr [rdi + 8]"},
		{"callq 0x101a", "call 0x101a"},
		{"je 0x100a", "je 0x100a"},
		{".byte 0x06", ".byte 0x06"},
		{"retq", "ret"},
	};
	struct decoder *decoder = decoder_create();
	size_t at = 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct decoded decoded =
			next(decoder, code + at, sizeof(code) - at, 0x1000 + at);
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			assert_string_equal(decoded.texts[syntax], texts[i][syntax]);
		assert_int_equal(decoded.is_unknown, i == 4);
		at += decoded.length;
	}
	assert_int_equal(at, sizeof(code));
	decoder_destroy(decoder);
}

static void test_any_bytes_are_taken_to_their_end(void **state)
{
	(void)state;
	static unsigned char code[ASSEMBLY_BYTES_MAX];
	struct decoder *decoder = decoder_create();
	srand(17);
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (unsigned char)rand();
	for (size_t at = 0; at < sizeof(code);)
		at += next(decoder, code + at, sizeof(code) - at, UINT64_MAX - 100 + at)
			      .length;
	decoder_destroy(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_code),
		cmocka_unit_test(test_any_bytes_are_taken_to_their_end),
	};
	return unit_run(tests);
}
