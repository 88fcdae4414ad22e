/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-returns: which bytecode of a function has called what returns to an instruction of maglev's code.
 *
 * By what that code has for the moment when it is no longer right: its safepoint table leads from where
 * a call returns to an entry of its DeoptimizationData, which has the bytecode. That is how V8's own
 * stack traces find lines. One thread.
 */
#ifndef CPROFTOP_V8_RETURNS_H
#define CPROFTOP_V8_RETURNS_H

#include "src/read/runtimes/v8/v8-heap.h"

enum {
	V8_RETURNS_MAX = 1 << 16,
};

struct v8_return {
	uint32_t to, bytecode; /* offsets in the code, and in a BytecodeArray */
};

/* Those of the code with the safepoint table at TABLE and the DeoptimizationData DEOPT, of WORDS words. Returns how
   many, in *OUT, which is the caller's to free; 0: none, or not known. */
size_t v8_returns_read(const struct v8_heap *heap, uint64_t table, uint64_t deopt,
	uint64_t words, struct v8_return **out);

#endif
