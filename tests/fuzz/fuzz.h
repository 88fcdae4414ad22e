/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz: what each fuzzing program has. See tests/fuzz/run.
 *
 * Built with clang's libFuzzer, which calls this with bytes that it changes so that they
 * reach more of the code. 0 in any case; a fault is a crash, a sanitizer's report, or a
 * failed FUZZ_CHECK.
 */
#ifndef CPROFTOP_TESTS_FUZZ_H
#define CPROFTOP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_CHECK(condition)     \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
