/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input: the bytes that a fuzzing program was given, taken from the front.
 *
 * Numbers have their most significant byte first. At the end of the bytes all is 0.
 */
#ifndef CPROFTOP_TESTS_FUZZ_INPUT_H
#define CPROFTOP_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
	const uint8_t *at, *end;
};

static inline uint64_t input_number(struct input *input, unsigned bytes)
{
	uint64_t value = 0;
	for (; bytes > 0; bytes--)
		value = value << 8 | (input->at < input->end ? *input->at++ : 0);
	return value;
}

static inline size_t input_left(const struct input *input)
{
	return (size_t)(input->end - input->at);
}

/* At most MOST bytes, copied to OUT. Returns how many there were. */
static inline size_t input_bytes(struct input *input, void *out, size_t most)
{
	size_t length = most < input_left(input) ? most : input_left(input);
	if (length > 0)
		memcpy(out, input->at, length);
	input->at += length;
	return length;
}

#endif
