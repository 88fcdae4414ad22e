/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-file: an ELF file of a few functions, whose code, unwind table and names are from the
 * bytes of a fuzzing program, while all around them is as a linker makes it.
 */
#ifndef CPROFTOP_TESTS_FUZZ_MADE_FILE_H
#define CPROFTOP_TESTS_FUZZ_MADE_FILE_H

#include "tests/fuzz/input.h"

#include <stddef.h>
#include <stdint.h>

enum {
	MADE_FILE_CODE = 0x1000, /* the offset of the code, and its address in the file */
	MADE_FILE_CODE_MAX = 0x800,
	MADE_FILE_BYTES = MADE_FILE_CODE + MADE_FILE_CODE_MAX,
	MADE_FILE_VARIABLES = 12,
};

/* Make it from INPUT; its dynamic symbols are variables, called NAMES, whose addresses in the
   file are VARIABLES, one word after the other. A static buffer. */
const void *made_file(struct input *input, uint64_t variables,
	const char *const names[MADE_FILE_VARIABLES]);

#endif
